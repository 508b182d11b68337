"""Lines that arrive late, on a board that runs in real time: no wager is placed once the dice may have been seen."""

import re

import pytest
from tumbler.core import ledger

from host_tools.link.session import RENEW_S
from host_tools.run import table
from tests.host.link.fake_board import KEY, FakeBoard
from tests.host.run.table_bench import NOON, WAGERS

DEV = "e6614c31d3b8a52f-9c1e"
ROOM = 2800  # bytes


class SlowBoard(FakeBoard):
    """Lines that were signed under an earlier nonce are ignored, as a board does."""

    def hear(self, data):
        said = b""
        for line in data.splitlines(keepends=True):
            if ledger.decode_command(line[:-1]).get("nonce") in (None, self.nonce):
                said += super().hear(line)
        return said


class Line:
    """A run and a board in one time; what the board says is as long under way as the test wants, either way."""

    def __init__(self, made, delay_s=0.0):
        self.bench, self.board, self.delay_s = made, made.board, delay_s
        made.store.enrol(DEV, "t1", NOON)
        self.board.start()
        self.under_way: list[tuple[float, bytes]] = []  # (arrives, bytes) to the host
        self.to_board: list[tuple[float, bytes]] = []
        self.stopped = False
        self.next_status_s = made.now
        self.state, self.number = "IDLE", 0

    def say(self, data):
        self.under_way.append((self.bench.now + self.delay_s, data))

    def write(self, kind, *values, state=None):
        self.state = state or self.state
        self.say(self.board.write(kind, *values))

    def run(self, seconds):
        """Let time pass in steps of 50 ms; a host that is stopped reads nothing meanwhile."""
        for step in range(round(seconds / 0.05)):
            self.bench.now += 0.05
            self.board.t_ms += 50
            if self.bench.now >= self.next_status_s:
                self.next_status_s += 1
                self.each_second()
            heard = b"".join(data for at, data in self.to_board if at <= self.bench.now)
            self.to_board = [(at, data) for at, data in self.to_board if at > self.bench.now]
            if heard and self.state != "SPINNING":
                self.say(self.board.hear(heard))
            if not self.stopped and (step % 5 == 0 or any(at <= self.bench.now for at, _ in self.under_way)):
                self.deliver()

    def each_second(self):
        """What a port that nobody reads has no room for is not said."""
        if sum(len(data) for _, data in self.under_way) < ROOM:
            self.say(self.board.status(self.state, self.number))
            if self.state != "SPINNING":
                self.say(b"".join(self.board.unacked()[:2]))

    def deliver(self):
        """What has arrived lies in the port at once, as in the buffer of a system whose reader was stopped."""
        arrived = b"".join(data for at, data in self.under_way if at <= self.bench.now)
        self.under_way = [(at, data) for at, data in self.under_way if at > self.bench.now]
        assert len(arrived) < 4000, "more than a pseudo terminal takes"
        if arrived:
            self.bench.write(arrived)
        self.bench.run.step(self.bench.port)
        said = self.bench.wire.heard()
        if said:
            self.to_board.append((self.bench.now + self.delay_s, said))

    def open_bets(self, number=1):
        self.number = number
        self.write("spin", number, 3, state="COASTING")
        self.run(2)
        self.write("bets_open", number, 3, state="BETTING")

    def end_round(self):
        """Within 2 s: no more bets, the cover, and the result."""
        self.write("bets_closed", self.number, "dealer", state="CLOSED")
        self.run(0.5)
        self.write("uncovered", self.number, state="UNCOVERED")
        self.run(1)
        self.write("result", self.number, (1, 3, 6), 4, state="RESULT")
        self.run(0.5)

    def outcomes(self, number=1):
        return [e.settlement.outcome for e in self.bench.store.settlements(DEV, number)]


@pytest.fixture
def line(bench, monkeypatch):
    monkeypatch.setattr(table.keys, "board_key", lambda dev: KEY)
    return lambda delay_s=0.0: Line(bench(board=SlowBoard(dev=DEV), wagers=WAGERS), delay_s)


def test_on_a_good_line_the_wagers_are_placed_and_paid(line):
    made = line()
    made.run(3)
    made.open_bets()
    made.run(5)
    made.end_round()
    made.run(1)
    assert made.outcomes() == ["win", "lose"]


@pytest.mark.parametrize("stopped_s", [4, 25])
def test_a_host_that_was_stopped_while_the_dice_came_to_light_places_nothing(line, stopped_s):
    made = line()
    made.run(3)
    made.number = 1
    made.write("spin", 1, 3, state="COASTING")
    made.run(1)
    made.stopped = True
    made.write("bets_open", 1, 3, state="BETTING")
    made.run(stopped_s - 2)
    made.end_round()
    made.stopped = False
    made.run(3)
    assert made.outcomes() == []
    assert "No wager of this batch is taken in round 1" in made.bench.shown()


def test_a_host_that_was_stopped_with_only_old_bets_in_its_buffer_places_nothing(line):
    """The later lines are still on the way, so that nothing but the time tells."""
    made = line()
    made.run(3)
    made.open_bets()
    made.stopped = True
    made.run(2)
    held = made.under_way
    made.under_way = []
    made.end_round()
    later, made.under_way = made.under_way, held
    made.stopped = False
    made.deliver()
    assert "placed" not in made.bench.shown()
    made.under_way = later
    made.run(3)
    assert made.outcomes() == []
    assert re.search(r"No wager .* last said so \d\.\d+ s ago", made.bench.shown())


def test_a_step_places_nothing_while_more_lies_in_the_port(line):
    made = line()
    made.run(3)
    made.open_bets()
    made.stopped = True
    made.run(1)
    status = made.board.status("BETTING", 1)
    records = b"".join(made.board.unacked())
    closed = made.board.write("bets_closed", 1, "dealer")
    reads = [records + status, closed, b""]
    port = made.bench.port
    port.read = lambda: reads.pop(0)
    port.waiting = lambda: len(reads) > 1
    while reads:
        made.bench.run.step(port)
    assert "placed" not in made.bench.shown()
    assert "No wager" in made.bench.shown()


@pytest.mark.parametrize("delay_s", [2, 6])
def test_a_line_that_is_slow_from_the_start_takes_no_bets_and_says_so(line, delay_s):
    made = line(delay_s)
    made.run(30)
    made.open_bets()
    made.run(8)
    made.end_round()
    made.run(20)
    assert made.outcomes() == []
    assert "the line is too slow" in made.bench.shown()
    assert made.bench.store.round_open(DEV) is False


@pytest.mark.parametrize("healthy_s", [3, 15])
@pytest.mark.parametrize("delay_s", [2, 8])
def test_a_delay_that_begins_after_the_welcome_lets_no_late_wager_pass(line, delay_s, healthy_s):
    made = line()
    made.run(healthy_s)
    made.delay_s = delay_s
    made.run(12)
    made.open_bets()
    made.run(6)
    made.end_round()
    made.run(12)
    assert made.outcomes() == []
    assert "No wager of this batch is taken in round 1" in made.bench.shown()


@pytest.mark.parametrize("set_s", [0, -3600, 3600])
def test_wagers_that_were_placed_within_the_lease_but_after_the_closing_are_void_whatever_the_wall_clock(line, set_s):
    """The line is late by 1 s: at +1 s the board says BETTING, at +1.5 s it closes, at +2 s the host has the first."""
    made = line()
    made.run(3)
    made.delay_s = 1.0
    made.open_bets()
    made.next_status_s = made.bench.now + 1
    made.run(1.5)
    made.write("bets_closed", 1, "dealer", state="CLOSED")
    made.run(0.7)
    assert "2 wagers are placed" in made.bench.shown()
    made.bench.set_s = set_s
    made.run(3)
    assert made.outcomes() == ["void", "void"]


def test_a_screen_that_was_held_while_bets_were_open_places_nothing_late(line):
    """Ctrl-S: the run hangs in the middle of a step, between what it read and what it does with that."""
    made = line()
    made.run(3)
    say = made.bench.run._screen.say

    def held(text, style=""):
        say(text, style)
        if "place your bets" in text:
            made.stopped = True
            made.run(3)
            made.end_round()
            made.stopped = False

    made.bench.run._screen.say = held
    made.number = 1
    made.write("spin", 1, 3, state="COASTING")
    made.run(1)
    made.say(made.board.write("bets_open", 1, 3) + made.board.status("BETTING", 1))
    made.state = "BETTING"
    made.run(4)
    assert made.outcomes() == []


def test_a_slow_line_that_gets_well_takes_bets_again(line):
    made = line(2)
    made.run(10)
    made.delay_s = 0
    made.run(30)
    made.open_bets()
    made.run(4)
    made.end_round()
    made.run(1)
    assert made.outcomes() == ["win", "lose"]


def test_a_board_that_runs_for_long_is_asked_again_for_its_time(line):
    made = line()
    made.run(3)
    asked = made.board.nonces
    made.bench.now += RENEW_S
    made.board.t_ms += int(RENEW_S * 1000)
    made.next_status_s = made.bench.now
    made.run(1)
    assert made.board.nonces == asked + 1


def test_status_lines_while_the_motor_runs_tell_no_time(line):
    made = line()
    made.run(3)
    made.number = 1
    made.write("spin", 1, 3, state="SPINNING")
    prepared = made.board.status("SPINNING", 1)
    made.board.status = lambda state, number, whole=made.board.status: (
        prepared if state == "SPINNING" else whole(state, number)
    )
    made.run(12)
    made.state = "COASTING"
    made.run(1)
    made.write("bets_open", 1, 3, state="BETTING")
    made.run(3)
    made.end_round()
    made.run(1)
    assert made.outcomes() == ["win", "lose"]


@pytest.mark.parametrize("set_s", [-3600, 3600])
def test_a_wall_clock_that_is_set_while_bets_are_open_moves_nothing(line, set_s):
    made = line()
    made.run(3)
    made.open_bets()
    made.run(3)
    made.bench.set_s = set_s
    made.run(3)
    made.end_round()
    made.run(2)
    made.open_bets(2)
    made.run(3)
    made.end_round()
    made.run(1)
    assert made.outcomes(1) == made.outcomes(2) == ["win", "lose"]
    assert made.bench.shown().count("The clock of this computer was set") == 1
    first, second = made.bench.store.rounds(DEV)
    assert (first.closed_at - NOON).total_seconds() < 60
    assert (second.opened_at - NOON).total_seconds() == pytest.approx(set_s, abs=60)
