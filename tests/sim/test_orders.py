"""Orders of the host end to end in virtual time: the store, a run and the unchanged firmware, and a line that fails."""

import io
from datetime import datetime, timedelta, timezone

import pytest
from rich.console import Console

from host_tools.capture import Capture
from host_tools.link.port import Port
from host_tools.rig import CallRig
from host_tools.run.clock import RunClock
from host_tools.run.screen import Screen
from host_tools.run.table import TableRun
from host_tools.settler import paytable as paytables
from host_tools.settler.settle import Wager
from host_tools.sim.board import SimBoard
from host_tools.sim.dealer import Dealer
from host_tools.store import Settler, Store

NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
HOIANA = paytables.load("hoiana")
WAGERS = [Wager("W1", "Aroha", "small", "", 1000), Wager("W2", "Ben", "double", "3", 500)]
DEV = "sim-0000000000a1-9c1e"


class Desk:
    """A board in virtual time whose line is read by a run after every 20 ms of it."""

    def __init__(self, folder, wagers=WAGERS):
        self.board = SimBoard(folder / "board", clock="virtual", dev=DEV)
        self.rig = CallRig(self.board.call)
        self.dealer = Dealer(self.rig, betting_ms=3000)
        self.store = Store.open(f"sqlite:///{folder}/t.db")
        self.screen = Screen(Console(file=io.StringIO()), HOIANA)
        self.capture = Capture(folder / "out", NOON)
        self.wagers = wagers
        self.now_ms = 0
        self.port = None
        self.deaf = False  # the run hears nothing more
        self.start()
        self.board.after_step = self.pump
        self.rig.step(4000)

    def start(self):
        """A run from the start, as after a crash of the one before."""
        if self.port is not None:
            self.port.close()
        self.port = Port(self.board.serial_path)
        clock = RunClock(lambda: self.now_ms / 1000, lambda: NOON + timedelta(milliseconds=self.now_ms))
        self.run = TableRun(self, self.store, Settler(HOIANA), self.wagers, self.capture, self.screen, clock)

    def check(self):
        """Of a target."""

    def pump(self):
        self.now_ms = self.board.request("read")["t_ms"]
        if self.deaf:
            self.port.read()
        else:
            self.run.step(self.port)

    def order(self, verb, **fields):
        """Queue an order on what is in force -> its number."""
        at = NOON + timedelta(milliseconds=self.now_ms)
        if verb != "maintenance" and "round" not in fields:
            last = self.store.rounds(DEV)[-1]
            fields = {"round": last.round, "ref_boot": last.boot, "ref_seq": last.seq} | fields
        return self.store.queue_command(DEV, verb, "host:anna", at, **fields)

    def ending(self, number, limit_ms=4000):
        """(state, answer) of an order once it has ended."""
        for _ in range(limit_ms // 100):
            command = self.store.command(number)
            if command.state not in ("queued", "sent"):
                self.rig.step(100)
                return command.state, command.answer
            self.rig.step(100)
        raise AssertionError(f"{command} has no end")

    def returned(self):
        entries = [entry for row in self.store.rounds(DEV) for entry in self.store.settlements(DEV, row.round)]
        got = dict.fromkeys([(entry.round, entry.settlement.wager.wager_id) for entry in entries], 0)
        for entry in entries:
            got[entry.round, entry.settlement.wager.wager_id] += entry.settlement.returned_cents
        return got

    def state(self):
        return self.store.rounds(DEV)[-1].state

    def close(self):
        self.board.stop()
        self.port.close()
        self.capture.close()
        self.store.close()


@pytest.fixture
def desk(micropython, tmp_path, monkeypatch):
    monkeypatch.setattr("host_tools.link.port.READ_TIMEOUT_S", 0)
    made = Desk(tmp_path)
    yield made
    made.close()


def uncovered(desk):
    desk.dealer.open_bets()
    desk.rig.step(2000)
    desk.dealer.close_bets()
    desk.rig.cover(True)
    desk.rig.step(500)


STAKES_BACK = {(1, "W1"): 1000, (1, "W2"): 500}


def test_no_more_bets_correct_and_void_each_once_and_on_what_is_in_force(desk):
    desk.rig.next_dice(1, 3, 6)
    desk.dealer.open_bets()
    desk.rig.step(2000)
    stale = desk.order("no_more_bets", ref_seq=1)
    assert desk.ending(stale) == ("refused", "not_in_force")
    assert desk.ending(desk.order("no_more_bets")) == ("done", "done")
    assert desk.state() == "bets_closed"
    assert desk.ending(desk.order("correct", dice=(1, 1, 1), reason="other")) == ("refused", "not_now")
    desk.dealer.enter_result()
    desk.rig.step(500)
    assert desk.returned() == {(1, "W1"): 2000, (1, "W2"): 0}
    assert desk.ending(desk.order("correct", dice=(6, 3, 1), reason="other")) == ("refused", "same_dice")
    assert desk.ending(desk.order("correct", dice=(3, 3, 6), reason="wrong_entry")) == ("done", "done")
    assert desk.returned() == {(1, "W1"): 0, (1, "W2"): 4500}
    assert desk.ending(desk.order("void", reason="dispute")) == ("done", "done")
    assert desk.returned() == STAKES_BACK
    assert desk.ending(desk.order("void", reason="dispute")) == ("refused", "final")
    assert [(row.player, row.overpaid_cents) for row in desk.store.overpaid()] == [("Aroha", 2000), ("Ben", 4000)]


@pytest.mark.parametrize("when", ["betting", "closed", "uncovered", "result"])
def test_a_void_returns_all_stakes_whenever_it_comes(desk, when):
    desk.dealer.open_bets()
    desk.rig.step(2000)
    if when != "betting":
        desk.dealer.close_bets()
    if when == "uncovered":
        desk.rig.cover(True)
        desk.rig.step(500)
    elif when == "result":
        desk.dealer.enter_result()
        desk.rig.step(500)
    assert desk.ending(desk.order("void", reason="not_flat")) == ("done", "done")
    assert desk.state() == "void" and desk.returned() == STAKES_BACK


def test_an_order_while_the_motor_runs_is_carried_out_after_it_and_once(desk):
    desk.rig.tap("spin")
    desk.rig.step(500)
    order = desk.order("void", round=1, ref_boot=1, ref_seq=2, reason="other")
    desk.rig.step(500)
    assert desk.store.command(order).state == "sent" and desk.rig.read()["relay"]
    assert desk.ending(order, 15_000)[0] == "done"
    desk.rig.step(6000)
    assert [row.state for row in desk.store.rounds(DEV)] == ["void"]
    assert desk.store.last_identity(DEV).seq == 4  # boot, spin, void, meter


def test_after_the_next_spin_the_board_corrects_no_more_and_the_host_adjusts(desk):
    desk.rig.next_dice(1, 3, 6)
    desk.dealer.play_round()
    desk.rig.step(500)
    first = desk.store.rounds(DEV)[0]
    named = {"round": 1, "ref_boot": first.boot, "ref_seq": first.seq}
    desk.dealer.open_bets()
    assert desk.ending(desk.order("void", reason="dispute", **named)) == ("refused", "not_in_force")
    desk.store.adjust(DEV, 1, first.in_force, (3, 3, 6), "dispute", "host:anna", Settler(HOIANA), NOON)
    assert desk.returned() == {(1, "W1"): 0, (1, "W2"): 4500}
    assert desk.store.round(DEV, 1).dice == (1, 3, 6)


def test_an_answer_that_is_lost_on_the_line_is_found_by_the_record(desk):
    uncovered(desk)
    write = desk.port.write

    def send(data):
        write(data)
        desk.deaf = desk.deaf or b'"cmd":"void"' in data

    desk.port.write = send
    order = desk.order("void", reason="dispute")
    desk.rig.step(1000)
    assert desk.deaf and desk.store.command(order).state == "sent"
    desk.deaf = False
    desk.start()  # the run that waited for the answer is gone too
    assert desk.ending(order, 12_000) == ("done", "by_record")
    assert desk.state() == "void" and desk.returned() == STAKES_BACK


def test_an_order_that_is_lost_on_the_line_is_known_to_be_lost_and_the_next_one_is_obeyed(desk):
    uncovered(desk)
    write, lost = desk.port.write, []

    def cut(data):
        if b'"cmd":"void"' in data and not lost:
            lost.append(data)
            return
        write(data)

    desk.port.write = cut
    order = desk.order("void", reason="dispute")
    assert desk.ending(order, 12_000) == ("lost", None)
    assert lost and desk.state() == "uncovered"
    assert desk.ending(desk.order("void", reason="dispute")) == ("done", "done")
    assert desk.state() == "void"


def test_after_a_power_cut_no_order_attests_the_cover_and_a_clear_voids(desk):
    desk.dealer.open_bets()
    desk.rig.step(2000)
    desk.board.power_cut(500)
    desk.rig.step(4000)
    fault = desk.store.open_fault(DEV)
    assert (fault.code, fault.round) == ("power_lost", 1)
    for verb, fields in (("no_more_bets", {}), ("void", {"reason": "other"}), ("maintenance", {})):
        assert desk.ending(desk.order(verb, **fields)) == ("refused", "not_now")
    clear = desk.order("clear", ref_boot=fault.boot, ref_seq=fault.seq)
    assert desk.ending(clear) == ("done", "done")
    assert desk.state() == "void" and desk.returned() == STAKES_BACK
    assert desk.store.open_fault(DEV) is None
