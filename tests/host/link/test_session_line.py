"""The session on a line that delays and damages what it carries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.link.events import NOTHING, Record, Status
from host_tools.link.session import Session
from tests.host.link.fake_board import DEV, KEY, FakeBoard
from tests.host.link.session_host import meeting

FAULTS = st.sampled_from(["keep", "drop", "double", "cut", "garble", "noise", "join"])


def test_a_replayed_log_of_an_earlier_time_changes_nothing():
    board, host = meeting()
    host.hear(b"".join(board.lines))
    log = b"".join(board.lines)
    board.boot = 2
    board.nonces = 0
    board.start()
    board.play(2)
    host.hear(board.status())
    host.hear(b"".join(board.unacked()))
    host.hear(log)
    assert host.stored == board.lines
    assert host.alarms() == []


def test_the_time_of_a_record_is_told_with_its_bound():
    board = FakeBoard()
    session = Session()
    board.t_ms = 10_000
    session.feed(board.status(), 100.020)  # written at 100.000, 20 ms on the way
    asked = session.output()
    board.t_ms = 10_030
    (hello,) = session.feed(board.hear(asked), 100.040)  # written at 100.030
    session.accept(hello, KEY, NOTHING)
    board.t_ms = 9_000
    (record,) = [e for e in session.feed(board.start(), 100.1) if isinstance(e, Record)]
    assert record.moment is not None and record.moment.bound_s is not None
    assert record.moment.at_s == pytest.approx(99.010, abs=0.001)  # the least delay seen is 10 ms
    assert record.moment.at_s - record.moment.bound_s <= 99.000 <= record.moment.at_s


def test_the_line_that_is_repeated_while_the_motor_runs_tells_no_time():
    board, host = meeting()
    board.t_ms = 71_000
    host.now = 120.0
    host.hear(board.status())
    prepared = board.status("SPINNING", 1)
    for second in range(15):
        host.now = 121.0 + second
        host.hear(prepared)
    board.t_ms = 87_000
    host.now = 136.5  # half a second on the way
    host.hear(board.lines[0] + b"".join(board.lines[1:6]) + board.write("void", 1, 1, 6, "board", "fault"))
    moment = host.of(Record)[-1].moment
    assert moment is not None and abs(moment.at_s - 136.0) < 0.1


def test_a_status_has_a_moment_and_one_that_was_prepared_before_the_motor_ran_has_none():
    board, host = meeting()
    board.t_ms += 5000
    host.now += 5
    host.hear(board.status("SPINNING", 1) + board.status("COASTING", 1))
    spinning, coasting = (status.moment for status in host.of(Status)[-2:])
    assert spinning is None
    assert coasting is not None and abs(coasting.at_s - host.now) < 0.01


def test_no_record_is_told_to_be_from_after_it_arrived():
    board = FakeBoard()
    board.start()
    _, host = meeting(board)
    board.t_ms += 60_000  # a clock that is far too fast
    host.hear(board.lines[0] + board.write("spin", 1, 3))
    moment = host.of(Record)[-1].moment
    assert moment is not None and moment.at_s <= host.now


def test_a_record_of_a_boot_that_told_no_time_has_no_moment():
    board = FakeBoard()
    board.start()
    board.boot = 2
    _, host = meeting(board)
    host.hear(board.lines[0])
    assert [record.moment for record in host.of(Record)] == [None]


@given(st.lists(st.lists(st.tuples(FAULTS, st.integers(0, 400)), min_size=11, max_size=11), max_size=6))
def test_whatever_the_line_does_the_store_ends_equal_to_what_was_sent(passes):
    """Each pass sends all that is unacked, each line with one fault; the last pass is clean."""
    board = FakeBoard()
    board.start()
    board.play(1)
    board.play(2, dice=(5, 5, 5))
    _, host = meeting(board)
    for faults in passes:
        host.wait(1.0)
        data = b"".join(faulted(line, *fault) for line, fault in zip(board.unacked(), faults, strict=False))
        host.hear(data)
        assert host.stored == board.lines[: len(host.stored)]
        assert board.acked == len(host.stored)
    host.wait(1.0)
    host.hear(b"\n" + b"".join(board.unacked()))
    assert host.stored == board.lines
    assert board.acked == board.next_seq - 1
    assert host.alarms() == []
    assert host.session.dev == DEV


def faulted(line, fault, place):
    place %= len(line)
    return {
        "keep": line,
        "drop": b"",
        "double": line + line,
        "cut": line[:place],
        "garble": line[:place] + bytes([line[place] ^ 0x11]) + line[place + 1 :],
        "noise": line[:place] + b"\x00\xff>>> " + line[place:],
        "join": line[:-1],
    }[fault]
