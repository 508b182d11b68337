"""What is seen of a board that is only listened to: kinds, gaps, broken lines, noise, rates."""

import tracemalloc

import pytest

from host_tools.capture.screen import trouble
from host_tools.capture.watch import AGAIN, BROKEN, EPHEMERAL, NOISE, Watch
from tests.host.link.fake_board import FakeBoard
from tests.host.run.table_bench import started

OTHER = "sim-0000000000b2-0001"


@pytest.fixture
def board():
    made = started()
    made.play(1)
    return made


@pytest.fixture
def watch():
    return Watch(0.0)


def kinds(watch, data, now=0.0):
    return [seen.kind for seen in watch.feed(data, now)]


def test_each_line_is_of_its_kind_and_comes_once_as_new(board, watch):
    assert kinds(watch, b"".join(board.lines)) == ["boot", "spin", "bets_open", "bets_closed", "uncovered", "result"]
    assert kinds(watch, board.lines[1] + board.status("RESULT", 1)) == [AGAIN, EPHEMERAL]
    assert (watch.records, watch.again, watch.ephemeral, watch.missing) == (6, 1, 1, 0)
    assert (watch.dev, watch.state, watch.round) == (board.dev, "RESULT", 1)


def test_a_line_with_a_wrong_crc_is_broken_and_other_bytes_are_noise(board, watch):
    damaged = board.lines[1].replace(b'"t":1000', b'"t":1001')
    assert kinds(watch, damaged + b">>> \xff\n") == [BROKEN, NOISE]
    assert (watch.broken, watch.noise_bytes) == (1, 5)


@pytest.mark.parametrize(
    ("count", "said"), [(1, ["1 byte of noise", "1 time away"]), (2, ["2 bytes of noise", "2 times away"])]
)
def test_one_of_a_kind_is_told_as_one(watch, count, said):
    watch.noise_bytes = count
    assert trouble(watch, count) == said


def test_what_a_board_says_cannot_steer_the_terminal_that_shows_it(board, watch):
    damaged = board.lines[1].replace(b'"t":1000', b'"t":\x1b[2J')
    seen = watch.feed(b"\x1b]0;title\x07\x00 \x9b31m \r\t.\n" + damaged, 0.0)
    assert seen[0].text == r"\x1b]0;title\x07\x00 \x9b31m \r\t." and r'"t":\x1b[2J' in seen[1].text
    assert all(one.text.isprintable() for one in seen)


def test_records_that_did_not_come_are_missing_until_they_do(board, watch):
    watch.feed(board.lines[0] + board.lines[4], 0.0)
    assert watch.missing == 3
    assert kinds(watch, board.lines[2]) == ["bets_open"]
    assert watch.missing == 2
    watch.feed(board.lines[1] + board.lines[3], 0.0)
    assert watch.missing == 0 and watch.records == 5


def test_another_board_on_the_port_is_counted_from_its_first_record(board, watch):
    watch.feed(b"".join(board.lines), 0.0)
    other = FakeBoard(dev=OTHER, first_seq=50)
    watch.feed(other.start() + other.play(9), 0.0)
    assert (watch.dev, watch.missing, watch.records) == (OTHER, 0, 12)


def test_a_seq_from_another_past_does_not_fill_the_memory(watch):
    for first_seq in (1, 1_000_000_000):
        board = FakeBoard(first_seq=first_seq)
        watch.feed(board.start(), 0.0)
    assert watch.missing == 0 and watch.records == 2


def test_rates_are_those_of_the_last_five_seconds(board, watch):
    for second in range(10):
        watch.feed(b"x" * 100, float(second))
    watch.feed(board.lines[0], 9.0)
    bytes_s, records_s = watch.rates(9.0)
    assert bytes_s == (500 + len(board.lines[0])) / 5 and records_s == 0.2
    assert watch.rates(20.0) == (0.0, 0.0)


def test_rates_that_nobody_asks_for_take_no_memory(watch):
    """As with --quiet, or on a pipe, for weeks."""
    tracemalloc.start()
    for tick in range(20_000):
        watch.feed(b"x\n", tick / 10)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 100_000


def test_how_much_room_the_journal_has_is_what_the_last_hello_said(board, watch):
    assert watch.free_rounds is None
    watch.feed(board.hello(), 0.0)
    assert (watch.free_rounds, watch.board) == (20, "pico")
