"""What a capture tells of the board and the port, each thing once; time is moved by the test."""

import io
from datetime import datetime, timedelta, timezone

import pytest
from rich.console import Console
from tumbler.core import ledger

from host_tools.boards import load_board
from host_tools.capture import Capture
from host_tools.capture.listen import Listening, most_rounds
from host_tools.capture.screen import Screen
from host_tools.errors import UserError
from host_tools.link.port import LinkLost
from host_tools.run.clock import RunClock
from tests.host.link.fake_board import DEV, FW
from tests.host.run.table_bench import started

NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)


class Line:
    """A port that gives what the test put there; it is its own target."""

    device = "the port"

    def __init__(self):
        self.coming, self.here, self.failure = [], True, None

    def read(self):
        if not self.here:
            raise LinkLost("pulled")
        return self.coming.pop(0) if self.coming else b""

    def close(self):
        pass

    def open_again(self):
        return self if self.here else None

    def check(self):
        if self.failure is not None:
            raise self.failure


class Desk:
    def __init__(self, folder):
        self.now = 0.0
        self.line = Line()
        self.text = io.StringIO()
        self.screen = Screen(Console(file=io.StringIO()), Console(file=self.text, width=300), quiet=False)
        self.capture = Capture(folder, NOON)
        clock = RunClock(lambda: self.now, lambda: NOON + timedelta(seconds=self.now))
        self.work = Listening(self.line, self.capture, self.screen, clock, load_board("pico"))
        self.port = self.line

    def step(self, data=b"", seconds=1.0):
        self.now += seconds
        if data:
            self.line.coming.append(data)
        self.port = self.work.step(self.port) if self.port else self.work._look_again(lambda _: None)

    def said(self):
        self.screen.close()
        self.capture.close()
        return self.text.getvalue()


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def hello(board, free_rounds):
    values = (FW, "1.28.0", "pico", "production", board.nonce, board.next_seq, len(board.unacked()), free_rounds)
    return ledger.encode_ephemeral("hello", DEV, 1, 1000, values)


def test_after_how_many_rounds_the_board_stops_is_told_once_and_that_it_stopped_too(desk):
    board = started()
    for room in (2, 2, 1, 0, 0):
        desk.step(hello(board, room))
    said = desk.said()
    assert said.count("begins no new round after 2 more rounds") == 1
    assert said.count("journal is full: it begins no new round until a `tumbler run` acks") == 1
    assert said.count("Nobody acks") == 2


def test_a_board_that_was_welcomed_before_is_told_by_its_board_file(desk):
    board = started()
    for _ in range(20):
        desk.step(board.status())
    assert desk.said().count("no new round after 19 more rounds at most") == 1


def test_an_empty_journal_has_the_room_that_the_firmware_says():
    """19 is what the first hello of a simulated board says (test_sim.py)."""
    assert most_rounds(load_board("pico")) == 19


def test_a_port_on_which_nothing_comes_is_told_once_for_each_opening(desk):
    for _ in range(20):
        desk.step()
    desk.line.here = False
    desk.step()
    desk.step()
    desk.line.here = True
    for _ in range(20):
        desk.step()
    said = desk.said()
    assert said.count("Nothing came within 8 s") == 2 and "DTR" in said
    assert said.count("The port is gone (pulled)") == 1 and said.count("Port the port is back") == 1


def test_a_board_that_speaks_is_not_told_to_be_silent(desk):
    desk.step(b"x")
    for _ in range(20):
        desk.step()
    assert "Nothing came" not in desk.said()


def test_what_plays_the_board_ends_the_capture_with_its_sentence(desk):
    desk.line.failure = UserError("The dealer stopped: FULL.")
    with pytest.raises(UserError, match="The dealer stopped"):
        desk.step(b"x")
    desk.said()
    assert desk.capture.log_path.read_bytes() == b"x"


def test_a_clock_of_the_computer_that_was_set_is_told_and_taken(tmp_path):
    desk = Desk(tmp_path)
    desk.work._clock._wall = lambda: NOON + timedelta(seconds=desk.now + 3600)
    desk.step(b"x", 2.0)
    desk.step(b"y", 1.0)
    assert "was set forward by 3600.0 s" in desk.said()
    last = desk.capture.log_path.with_suffix(".times.csv").read_text().splitlines()[-1]
    assert last == "1,2026-11-30T13:00:03.000000+00:00"
