"""A run that is started again: behind a named gap, with bets open, with a new dev of the board, after an alarm."""

import re
from datetime import datetime, timezone

import pytest

from host_tools.errors import UserError
from tests.host.link.fake_board import DEV, FakeBoard
from tests.host.run.table_bench import WAGERS, play, started

NEW = "sim-0000000000a1-77aa"


def confirm(made, by="anna"):
    (alarm,) = made.store.open_alarms()
    assert made.store.confirm_alarm(alarm.id, by, datetime.now(timezone.utc))


def betting(made, number=1):
    board = made.board
    made.say(b"".join(board.unacked()) + board.write("spin", number, 3))
    made.say(board.write("bets_open", number, 3))
    made.say(board.status("BETTING", number))


def test_after_store_behind_was_confirmed_the_run_serves_the_board(bench):
    board = started()
    board.play(1)
    board.acked = 6  # by a host whose store is lost
    board.play(2)
    with pytest.raises(UserError, match=r"alarm 1 \(store_behind\).*1 to 6.*alarms confirm 1 --by NAME"):
        bench(board=board).meet()
    made = bench(board=board)
    confirm(made)
    made.meet()
    made.say(b"".join(board.unacked()))
    assert made.stored() == board.lines[6:]
    assert board.acked == board.next_seq - 1
    assert made.store.open_alarms() == []
    assert "its mac cannot be checked" in made.shown()
    play(made, 3)
    assert made.stored() == board.lines[6:]
    assert bench(board=board).meet().store.open_alarms() == []


def test_a_run_that_is_started_again_while_bets_are_open_goes_on(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    betting(made)
    again = bench(board=board, wagers=WAGERS).meet()
    again.say(board.status("BETTING", 1))
    again.say(board.write("bets_closed", 1, "dealer"))
    assert "the wagers of this file are placed already" in again.shown()
    assert "No wager" not in again.shown()


def test_a_run_that_is_started_again_with_another_file_says_that_it_differs(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    board = made.board
    betting(made)
    again = bench(board=board, wagers=[WAGERS[0]._replace(stake_cents=900), WAGERS[1]]).meet()
    again.say(board.status("BETTING", 1))
    again.say(board.write("bets_closed", 1, "dealer"))
    assert re.search(r"No wager .*'W1' .*differs", again.shown())


def test_a_new_dev_of_the_board_gives_back_the_stakes_that_the_lost_journal_left_open(bench):
    made = bench(board=started(), wagers=WAGERS).meet()
    betting(made)
    new = FakeBoard(dev=NEW)
    new.start(replaces=DEV)
    with pytest.raises(UserError, match=r"\(new_dev\).*lost its journal and goes on as board " + NEW):
        made.say(new.hello() + new.lines[0])
    confirm(made)
    made.store.enrol(NEW, DEV, datetime.now(timezone.utc))
    again = bench(board=new).meet()
    again.say(new.lines[0])
    entries = again.store.settlements(DEV, 1)
    assert [(e.settlement.outcome, e.settlement.returned_cents) for e in entries] == [("void", 1000), ("void", 500)]
    assert f"replaces board {DEV}" in again.shown()


def test_a_refused_ack_stops_the_settling(bench):
    made = bench(board=started()).meet()
    made.say(made.board.lines[0])
    with pytest.raises(UserError, match=r"\(ack_refused\)"):
        made.say(made.board.answer(made.board.heard[-1], ok=False, why="bad_ack"))


def test_the_bound_of_the_time_is_kept_with_the_record(bench):
    made = bench(board=started()).meet()
    made.say(made.board.lines[0])
    with made.store._db.reading() as connection:
        (bound_ms,) = connection.exec_driver_sql("select bound_ms from records").scalars()
    assert bound_ms is not None and 0 <= bound_ms < 1000


def test_what_was_under_way_when_the_port_was_opened_is_told_apart_from_damage(bench):
    made = bench(board=started())
    made.say(b'"cause":"power","mode":"production"}\n' + made.board.status())
    assert (made.run.early_bytes, made.run.noise_bytes) == (36, 0)
    made.say(b"an echo\n" + made.board.status())
    assert (made.run.early_bytes, made.run.noise_bytes) == (36, 7)


def test_a_board_that_is_behind_the_store_is_told_before_the_run_ends(bench):
    """The board makes that the fault journal_lost, which is its only way on."""
    made = bench(board=started()).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    behind = started()
    again = bench(board=behind)
    with pytest.raises(UserError, match=r"\(journal_behind\).*F12"):
        again.meet()
    behind.hear(again.wire.heard())
    assert behind.lost


def test_two_simulated_boards_in_one_store_leave_each_other_their_tables(bench):
    first, second = started(), started(dev=NEW)
    bench(board=first).meet()
    made = bench(board=second).meet()
    assert (made.store.table_of(DEV), made.store.table_of(NEW)) == (DEV, NEW)
