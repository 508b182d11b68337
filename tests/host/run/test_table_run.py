"""A run over a real pseudo terminal against a board that is played by the test: the store must equal what was sent."""

import io
import os
import select
import tty
from datetime import datetime, timezone

import pytest
from rich.console import Console

from host_tools.capture import Capture
from host_tools.errors import UserError
from host_tools.link.port import LinkLost, Port
from host_tools.run import table
from host_tools.run.screen import Screen
from host_tools.run.table import TableRun
from host_tools.settler import paytable as paytables
from host_tools.settler.settle import Wager
from host_tools.store import Settler, Store
from tests.host.link.fake_board import FakeBoard

HOIANA = paytables.load("hoiana")
WAGERS = [Wager("W1", "Aroha", "small", "", 1000), Wager("W2", "Ben", "total", "15", 500)]


class Wire:
    """A board's end of a pseudo terminal."""

    def __init__(self):
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.device = os.ttyname(slave)
        self.slave = slave  # kept open, so that the master survives a host that is not there yet
        self.written = 0  # by the host, as far as the board has not heard it

    def port(self):
        """The host's end; it counts what is written, for a pseudo terminal delivers when it likes."""
        port = Port(self.device)
        write = port.write

        def counted(data):
            write(data)
            self.written += len(data)

        port.write = counted
        return port

    def heard(self):
        """All that the host wrote since the last time."""
        data = b""
        while len(data) < self.written:
            assert select.select([self.master], [], [], 5)[0], "what the host wrote does not arrive"
            data += os.read(self.master, 65536)
        self.written = 0
        return data

    def cut(self):
        os.close(self.master)
        os.close(self.slave)


class Bench:
    """A run with its store and screen, a board and the wire between them; time is moved by the test."""

    def __init__(self, tmp_path, board=None, wagers=(), wire=None):
        self.wire = wire or Wire()
        self.board = board or FakeBoard()
        self.now = 100.0
        self.text = io.StringIO()
        self.store = Store.open(f"sqlite:///{tmp_path}/t.db")
        screen = Screen(Console(file=self.text, width=120), HOIANA)
        self.capture = Capture(tmp_path / "out", datetime.now(timezone.utc))
        self.run = TableRun(self, self.store, Settler(HOIANA), wagers, self.capture, screen, lambda: self.now)
        self.port = self.open()
        self.sent = 0
        self.waits = 0

    # what a target is to a run
    def open(self):
        return self.wire.port()

    def open_again(self):
        return self.open()

    def check(self):
        pass

    def close(self):
        pass

    def say(self, data):
        """The board says bytes, in pieces that a pseudo terminal takes, and hears the answers until it is quiet."""
        while data:
            while data:
                self.write(data[:1024])
                data = data[1024:]
            data = self.board.hear(self.wire.heard())

    def write(self, data):
        """Write to the wire and let the run read all of it."""
        os.write(self.wire.master, data)
        self.sent += len(data)
        for _ in range(1000):
            self.run.step(self.port)
            if self.capture.log_path.stat().st_size == self.sent:
                return
        raise AssertionError("what was written does not arrive")

    def wait(self, seconds):
        self.now += seconds
        self.run.step(self.port)

    def meet(self):
        self.say(self.board.status())
        return self

    def stored(self):
        with self.store._db.reading() as connection:
            rows = connection.exec_driver_sql("select line from records order by seq")
            return [row[0].encode() + b"\n" for row in rows]

    def shown(self):
        return self.text.getvalue()


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setattr("host_tools.link.port.READ_TIMEOUT_S", 0.005)
    benches = []

    def make(**kwargs):
        benches.append(Bench(tmp_path, **kwargs))
        return benches[-1]

    yield make
    for made in benches:
        made.port.close()
        made.capture.close()
        made.store.close()


def started(**kwargs):
    board = FakeBoard(**kwargs)
    board.start()
    return board


def play(bench, number, dice=(1, 3, 6)):
    """One round as a board sends it, with a status BETTING."""
    board = bench.board
    bench.say(board.write("spin", number, 3))
    bench.say(board.write("bets_open", number, 3))
    bench.say(board.status("BETTING", number))
    bench.say(board.write("bets_closed", number, "dealer"))
    bench.say(board.write("uncovered", number))
    bench.say(board.write("result", number, dice, 4))


def test_a_round_is_stored_settled_acked_and_shown(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    assert made.stored() == made.board.lines
    assert made.board.acked == 6
    entries = made.store.settlements(made.board.dev, 1)
    assert [(e.settlement.wager.wager_id, e.settlement.outcome, e.settlement.returned_cents) for e in entries] == [
        ("W1", "win", 2000),
        ("W2", "lose", 0),
    ]
    for text in ("1, 3, 6, total 10", "Place your bets".lower(), "NOT FOR PLAY", "secondary source"):
        assert text in made.shown()


def test_the_wagers_are_placed_anew_in_every_round(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    play(made, 2, dice=(5, 5, 5))
    assert [len(made.store.settlements(made.board.dev, number)) for number in (1, 2)] == [2, 2]


def test_the_wagers_are_placed_once_however_often_the_board_says_betting(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    made.say(board.write("bets_open", 1, 3))
    made.say(board.status("BETTING", 1) * 3)
    made.say(board.write("bets_closed", 1, "dealer"))
    assert made.shown().count("2 wagers are placed") == 1
    assert "No wager" not in made.shown()


def test_wagers_wait_for_a_bets_open_that_was_lost_on_the_way(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    board.write("bets_open", 1, 3)
    made.say(board.status("BETTING", 1))
    made.say(board.unacked()[0] + board.status("BETTING", 1))
    assert "2 wagers are placed" in made.shown()
    assert "No wager" not in made.shown()


def test_wagers_that_were_never_taken_are_told_with_the_reason(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    made.say(board.status("BETTING", 1))
    made.say(board.write("bets_open", 1, 3))
    made.say(board.write("bets_closed", 1, "dealer"))
    assert "No wager of this batch is taken in round 1" in made.shown()


@pytest.mark.parametrize("step", [1, 7, 50])
def test_cut_garbled_doubled_and_dropped_bytes_at_every_place_leave_the_store_equal(bench, step):
    """Every `step`-th byte of a round's lines, from a start that moves, is hit by each fault in turn; then a resend."""
    made = bench(board=started()).meet()
    board = made.board
    board.play(1)
    whole = b"".join(board.lines)
    for number, place in enumerate(range(step // 2, len(whole), step * 9)):
        kinds = (b"", whole[place : place + 1] * 2, b"\xff", b"\n", b"\r\n>>> ")
        made.say(whole[:place] + kinds[number % len(kinds)] + whole[place + 1 :])
        assert made.stored() == board.lines[: len(made.stored())]
        assert board.acked == len(made.stored())
    made.say(b"\n" + b"".join(board.unacked()))
    assert made.stored() == board.lines


def test_every_byte_that_came_is_in_the_capture_and_its_time_beside_it(bench, tmp_path):
    made = bench(board=started())
    sent = b"\x00boot noise\r\n" + made.board.status()
    made.say(sent)
    kept = made.capture.log_path.read_bytes()
    assert kept.startswith(sent)
    times = made.capture.log_path.with_suffix(".times.csv").read_text().splitlines()
    assert times[0] == "offset,utc"
    offsets = [int(line.split(",")[0]) for line in times[1:]]
    assert offsets[0] == 0 and offsets == sorted(offsets) and offsets[-1] < len(kept)
    assert datetime.fromisoformat(times[1].split(",")[1]).utcoffset().total_seconds() == 0


def test_the_run_goes_on_when_the_port_came_back_under_another_name(bench):
    made = bench(board=started()).meet()
    board = made.board
    board.play(1)
    made.say(b"".join(board.lines[:3]) + board.lines[3][:30])
    old, made.wire = made.wire, Wire()
    old.cut()

    def pause(_):
        made.waits += 1

    def step(port, original=made.run.step):
        if port.device == made.wire.device:  # opening it threw away what was there before
            os.write(made.wire.master, board.hear(made.wire.heard()) + board.status() + b"".join(board.unacked()))
        original(port)

    made.run.step = step
    asked = board.nonces
    made.run.until(made.port, None, lambda: board.acked == 6, pause)
    assert board.nonces > asked
    assert made.stored() == board.lines
    assert f"Port {made.wire.device} is back" in made.shown()


def test_a_port_that_goes_away_is_a_lost_link(bench):
    made = bench(board=started()).meet()
    made.wire.cut()
    with pytest.raises(LinkLost):
        for _ in range(3):
            made.run.step(made.port)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        (b"", "DTR"),
        (b"MicroPython v1.28.0 on Pico\r\n>>> ", "put the firmware"),
        (b"Traceback (most recent call last):\n", "captured log"),
        (b"start\nok T:20.1 /0.0\n", "check with --target"),
    ],
)
def test_what_is_not_our_board_is_told_with_a_hint(bench, said, hint):
    made = bench()
    if said:
        made.write(said + b"\n")
    with pytest.raises(UserError, match="not our board") as error:
        made.wait(table.NO_LINE_S)
    assert hint in str(error.value)
    assert made.wire.heard() == b""


def test_an_unknown_board_is_refused_with_the_sentence_how_to_enrol(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(table.keys, "board_key", lambda dev: bytes(range(32)))
    made = bench(board=started(dev="e6614c31d3b8a52f-9c1e"))
    with pytest.raises(UserError, match="tumbler enrol e6614c31d3b8a52f-9c1e --table NAME"):
        made.meet()


def test_a_board_with_another_key_stores_nothing_and_stops(bench):
    made = bench(board=started())
    forger = started(key=bytes(32))
    made.board.lines.clear()
    made.board.macs.clear()
    made.meet()
    with pytest.raises(UserError, match="alarm 1 \\(chain\\)"):
        made.say(forger.lines[0])
    assert made.stored() == []
    assert made.board.acked == 0


def test_a_replayed_log_changes_nothing(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    before = made.store.settlements(made.board.dev, 1)
    made.say(b"".join(made.board.lines) * 2)
    assert made.stored() == made.board.lines
    assert made.store.settlements(made.board.dev, 1) == before


def test_a_log_of_the_same_board_with_other_dice_stops_the_settling(bench):
    made = bench(board=started()).meet()
    made.board.play(1)
    made.say(b"".join(made.board.lines) + made.board.write("meter", 1, 4, 1, 0, 0, 0, 2))
    forger = started()
    forger.play(1, dice=(6, 6, 6))
    with pytest.raises(UserError, match="stopped by alarm 1 \\(conflict\\)"):
        made.say(forger.lines[-1])
    assert made.stored() == made.board.lines


def test_a_board_whose_settling_is_stopped_is_not_started(bench):
    made = bench(board=started())
    made.store.alarm(made.board.dev, "gap", "A record is missing.", datetime.now(timezone.utc))
    with pytest.raises(UserError, match="tumbler alarms confirm 1"):
        made.meet()


def test_a_queued_order_is_sent_and_its_answer_kept(bench):
    made = bench(board=started()).meet()
    board = made.board
    made.say(b"".join(board.unacked()) + board.write("spin", 1, 3) + board.write("bets_open", 1, 3))
    at = datetime.now(timezone.utc)
    order = made.store.queue_command(board.dev, "no_more_bets", "host:anna", at, round=1, ref_boot=1, ref_seq=3)
    made.wait(1)
    board.hear(made.wire.heard())
    assert (board.heard[-1]["cmd"], board.heard[-1]["ref_seq"]) == ("no_more_bets", 3)
    made.say(board.answer(board.heard[-1], ok=False, why="not_in_force"))
    command = made.store.command(order)
    assert (command.state, command.answer) == ("refused", "not_in_force")


def test_orders_go_out_one_at_a_time_for_each_may_change_what_is_in_force(bench):
    made = bench(board=started()).meet()
    board = made.board
    made.say(b"".join(board.unacked()) + board.write("spin", 1, 3) + board.write("bets_open", 1, 3))
    at = datetime.now(timezone.utc)
    for _ in range(2):
        made.store.queue_command(board.dev, "no_more_bets", "host:anna", at, round=1, ref_boot=1, ref_seq=3)
    for _ in range(3):
        made.wait(1)
    board.hear(made.wire.heard())
    assert [c["cmd"] for c in board.heard].count("no_more_bets") == 1
    made.say(board.answer(board.heard[-1]))
    made.wait(1)
    board.hear(made.wire.heard())
    assert [c["cmd"] for c in board.heard].count("no_more_bets") == 2


def test_a_simulated_board_is_said_to_be_not_for_play_before_any_round(bench):
    assert "NOT FOR PLAY" in bench(board=started()).meet().shown()


def test_our_board_may_be_silent_later(bench):
    bench(board=started()).meet().wait(10 * table.NO_LINE_S)


def test_a_board_that_speaks_but_does_not_answer_is_told_once(bench):
    made = bench()
    for _ in range(30):
        made.now += 1
        made.write(made.board.status())
    assert made.shown().count("does not answer") == 1


def test_wagers_that_came_after_the_bets_were_closed_go_back(bench):
    """The board closed the bets 1 s before the status BETTING that was still under way: t tells."""
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    made.say(board.lines[0] + board.write("spin", 1, 3))
    made.say(board.write("bets_open", 1, 3))
    board.t_ms = 10_000
    made.say(board.status("BETTING", 1))
    board.t_ms = 9_000
    made.say(board.write("bets_closed", 1, "dealer"))
    entries = made.store.settlements(board.dev, 1)
    assert [(e.settlement.outcome, e.settlement.returned_cents) for e in entries] == [("void", 1000), ("void", 500)]
    assert "2 late wagers are void" in made.shown()


def test_a_correction_settles_anew_and_lists_who_was_overpaid(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    made.say(made.board.write("correction", 1, 1, 6, (4, 5, 6), "supervisor", "wrong_entry"))
    standing = made.store.settlements(made.board.dev, 1)[-2:]
    assert [(e.settlement.wager.wager_id, e.settlement.returned_cents) for e in standing] == [("W1", 0), ("W2", 7500)]
    for text in (
        "CORRECTED by supervisor",
        "2 settlements are reversed, which had returned 20.00",
        "4, 5, 6, total 15",
    ):
        assert text in made.shown()
    assert "Aroha was overpaid 20.00 on wager W1" in made.shown()


def test_a_meter_that_disagrees_stops_the_settling(bench):
    made = bench(board=started()).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    with pytest.raises(UserError, match="stopped by alarm 1 \\(totals\\)"):
        made.say(made.board.write("meter", 2, 8, 2, 0, 0, 0, 2))


def test_the_live_row_follows_states_and_keys(bench):
    made = bench(board=started()).meet()
    board = made.board
    made.say(board.status("UNCOVERED", 3))
    made.say(board._say("key", 3, "6", "shown", (1, 6)))
    live = made.store.live(board.dev)
    assert (live.state, live.round, live.window) == ("UNCOVERED", 3, (1, 6))


def test_it_stops_after_the_meter_of_the_last_round(bench):
    made = bench(board=started()).meet()
    board = made.board
    made.say(b"".join(board.unacked()))
    play(made, 1)
    assert not made.run._finished(2)
    assert not made.run._finished(1)
    made.say(board.write("meter", 1, 4, 1, 0, 0, 0, 2))
    assert made.run._finished(1)
    assert made.stored()[-1] == board.lines[-1]
