"""One run owns a board: a second one is refused, a dead one's lease runs out, one that stood still writes no more."""

import os
import subprocess
import sys

import pytest

from host_tools.errors import UserError
from host_tools.run import ownership
from tests.host.run.table_bench import WAGERS, Wire, started


def second(bench, first, **kwargs):
    """Another run on the same store, and the same board behind another path."""
    return bench(beside=True, board=first.board, wire=Wire(), **kwargs)


def hello(made, seconds=0.0):
    """Time passes and the board says hello, as it does until somebody welcomes it."""
    made.now += seconds
    made.board.nonces += 1
    made.say(made.board.hello())


def test_a_second_run_on_the_same_board_is_refused_with_a_sentence(bench):
    first = bench(board=started()).meet()
    other = second(bench, first)
    hello(other)
    assert "belongs to process" in other.shown() and "takes over within 8 s" in other.shown()
    first.wait(ownership.RENEW_S)
    with pytest.raises(UserError, match=r"which is running: a board has one owner, so stop that run first\.$"):
        hello(other, 2)
    assert other.run._session.dev is None


def test_the_second_run_takes_nothing_before_the_lease_is_over(bench):
    first = bench(board=started()).meet()
    other = second(bench, first)
    for _ in range(2):
        hello(other, 2)
    other.say(b"".join(first.board.lines))
    assert other.stored() == [] and other.run._session.dev is None


@pytest.mark.parametrize("set_s", [0, -86400, 86400])
def test_a_run_that_died_is_followed_within_8_s_however_the_clock_was_set(bench, set_s):
    first = bench(board=started()).meet()
    other = second(bench, first)
    other.set_s = set_s
    waited = 0
    hello(other)
    while other.run._session.dev is None:
        hello(other, 2)
        waited += 2
        assert waited <= 8
    assert waited >= ownership.LEASE_S
    other.say(b"".join(first.board.unacked()))
    assert other.stored() == first.board.lines


@pytest.mark.parametrize("set_s", [-86400, 86400])
def test_a_lease_that_is_renewed_by_a_clock_that_was_set_is_not_over(bench, set_s):
    first = bench(board=started()).meet()
    first.set_s = set_s
    other = second(bench, first)
    hello(other)
    first.wait(ownership.RENEW_S)
    with pytest.raises(UserError, match="which is running"):
        hello(other, 60)


def test_a_run_that_ended_leaves_the_board_to_the_next_at_once(bench):
    first = bench(board=started()).meet()
    first.run.until(first.port, None, lambda: True, lambda _: None)
    other = second(bench, first).meet()
    assert other.run._session.dev == first.board.dev


def taken_over(bench, **kwargs):
    first = bench(board=started(), **kwargs).meet()
    first.say(first.board.lines[0])
    other = second(bench, first)
    for _ in range(5):
        hello(other, 2)
    assert other.run._session.dev is not None
    return first, other


def test_a_run_that_stood_still_stores_no_record_more(bench):
    first, other = taken_over(bench)
    with pytest.raises(UserError, match=r"is no longer this run's, process \d+ on .* owns it"):
        first.say(first.board.write("spin", 1, 3))
    assert len(first.stored()) == 1
    other.say(b"".join(first.board.unacked()))
    assert len(first.stored()) == 2


def test_a_run_that_stood_still_places_no_wagers_and_says_nothing_live(bench):
    first, other = taken_over(bench, wagers=WAGERS)
    other.say(first.board.write("spin", 1, 3) + first.board.write("bets_open", 1, 3))
    other.say(first.board.status("BETTING", 1))
    with pytest.raises(UserError, match="is no longer this run's"):
        first.store.place_wagers(first.board.dev, 1, WAGERS, first.run._settler.paytable, first.run._clock.utc_now)
    with pytest.raises(UserError, match="is no longer this run's"):
        first.store.update_live(first.board.dev, 1, "IDLE", 1, None, first.run._clock.utc_now())
    assert other.store.live(first.board.dev).state == "BETTING"


def test_a_run_that_stood_still_ends_by_itself_when_its_port_is_silent(bench):
    first, _ = taken_over(bench)
    with pytest.raises(UserError, match="is no longer this run's"):
        first.wait(ownership.RENEW_S)


def test_the_lease_is_renewed_while_the_port_is_away(bench):
    made = bench(board=started()).meet()
    made.open_again = lambda: None
    renewed = []

    def pause(seconds):
        made.now += seconds
        with made.store._db.reading() as connection:
            renewed.append(connection.exec_driver_sql("select renewed_at from owners").scalar())

    made.wire.cut()
    made.run.until(made.port, None, lambda: len(renewed) > 8, pause)
    assert len(set(renewed)) == 3


def owned_by(bench, monkeypatch, pid):
    """A board whose owner is another process."""
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: pid)
        return bench(board=started()).meet()


def test_a_killed_process_of_this_computer_is_followed_at_once(bench, monkeypatch):
    killed = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    first = owned_by(bench, monkeypatch, killed.pid)
    killed.kill()
    killed.communicate()
    other = second(bench, first)
    hello(other)
    assert other.run._session.dev == first.board.dev


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_process_that_lives_or_is_of_another_computer_is_waited_for(bench, monkeypatch, elsewhere):
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    first = owned_by(bench, monkeypatch, process.pid)
    if elsewhere:
        process.kill()
        process.wait()
        monkeypatch.setattr("socket.gethostname", lambda: "elsewhere")
    other = second(bench, first)
    hello(other)
    process.communicate(b"\n")
    assert other.run._session.dev is None
