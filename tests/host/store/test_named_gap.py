"""Going on behind records that a store will never get: the named gap, the chain anew, rounds and meters over it."""

import pytest
from sqlalchemy import select

from host_tools.link.events import NOTHING, Identity
from host_tools.store import Conflict, Gap
from host_tools.store.schema import alarms
from tests.host.store.chain import BATCH, DEV, SETTLER, Chain, at, figures


def name_gap(store, first, last, dev=DEV):
    alarm = store.alarm(dev, "store_behind", "Records are missing.", at(0), (first, last))
    store.confirm_alarm(alarm, "anna", at(1))


def skip(board, kind, *values):
    """A record that the store never gets."""
    board.line(kind, *values)


def test_confirming_store_behind_lets_a_new_store_go_on_behind_the_gap(store, board):
    for number in range(3):
        skip(board, "spin", number + 1, 3)
    name_gap(store, 1, 3)
    assert store.last_identity(DEV) == Identity(0, 3, NOTHING.mac)
    done = board.take("spin", 4, 3)
    assert done.new and "its mac cannot be checked" in done.note and "ends at seq 3" in done.note
    assert board.take("bets_open", 4, 3).note == ""
    assert [row.round for row in store.rounds()] == [4]
    assert store.open_alarms() == []


def test_the_gap_says_which_records_who_and_when(store):
    name_gap(store, 6, 11)
    with store._db.reading() as connection:
        names = ("dev", "missing_from", "missing_to", "confirmed_by", "confirmed_at")
        found = connection.execute(select(*(alarms.c[name] for name in names))).all()
    assert found == [(DEV, 6, 11, "anna", at(1))]


def test_an_open_store_behind_is_no_gap_yet(store, board):
    store.alarm(DEV, "store_behind", "Records are missing.", at(0), (1, 3))
    assert store.last_identity(DEV) is None
    for number in range(3):
        skip(board, "spin", number + 1, 3)
    with pytest.raises(Gap):
        board.take("spin", 4, 3)


def test_a_gap_of_one_board_is_none_of_another(store, board):
    name_gap(store, 1, 3, "sim-0000000000b2-0001")
    assert store.last_identity(DEV) is None


def test_only_the_record_right_behind_the_gap_is_next(store, board):
    for number in range(4):
        skip(board, "spin", number + 1, 3)
    name_gap(store, 1, 3)
    with pytest.raises(Gap):
        board.take("spin", 5, 3)


def test_a_record_of_the_gap_that_comes_after_all_changes_nothing(store, board):
    lines = [board.line("spin", 1, 3), board.line("bets_open", 1, 3), board.line("bets_closed", 1, "dealer")]
    name_gap(store, 1, 2)
    assert board.give(*lines[1]).new is False
    board.give(*lines[2])
    assert board.give(*lines[0]).new is False
    with store._db.reading() as connection:
        assert connection.exec_driver_sql("select seq from records").scalars().all() == [3]


def test_an_earlier_start_behind_the_gap_is_a_conflict(store, board):
    board.boot = 5
    board.take("spin", 1, 3)
    skip(board, "bets_open", 1, 3)
    name_gap(store, 2, 2)
    board.boot = 4
    with pytest.raises(Conflict, match="earlier start"):
        board.take("bets_closed", 1, "dealer")


def test_a_round_over_the_gap_is_settled_by_its_result(store, board):
    """A store restored from a backup of open bets; the closing and the uncovering are lost."""
    board.betting()
    skip(board, "bets_closed", 1, "dealer")
    skip(board, "uncovered", 1)
    name_gap(store, 3, 4)
    done = board.take("result", 1, (6, 1, 3), 4)
    assert [row[3:] for row in figures(done.made.entries)] == [(1000, 2000), (0, 0), (2500, 3000), (0, 0)]
    assert store.open_alarms() == []


def test_a_round_that_a_new_store_sees_only_the_end_of_is_kept_without_an_alarm(store, board):
    for kind, values in (("spin", (7, 3)), ("bets_open", (7, 3)), ("bets_closed", (7, "dealer"))):
        skip(board, kind, *values)
    name_gap(store, 1, 3)
    board.take("uncovered", 7)
    board.take("result", 7, (6, 1, 3), 4)
    assert board.correct(7, (1, 1, 2)).note == ""
    row = store.rounds()[0]
    assert (row.state, row.dice, row.settled) == ("correction", (1, 1, 2), True)
    assert store.open_alarms() == []


def test_behind_the_first_round_after_the_gap_the_order_counts_again(store, board):
    skip(board, "spin", 1, 3)
    name_gap(store, 1, 1)
    board.take("spin", 2, 3)
    assert "cannot follow nothing" in board.take("result", 1, (1, 1, 1), 4).note
    assert "cannot follow spin" in board.take("result", 2, (1, 1, 1), 4).note


def test_the_first_meter_behind_the_gap_is_not_compared_and_the_next_one_is(store, board):
    skip(board, "spin", 1, 3)
    name_gap(store, 1, 1)
    board.result(2)
    assert "cannot be compared" in board.take("meter", 40, 160, 38, 2, 0, 0, 2).note
    assert store.open_alarms() == []
    board.result(3)
    assert "rounds 40, counted 41" in board.take("meter", 40, 164, 39, 2, 0, 0, 2).note


def test_a_round_that_ended_in_the_gap_stays_unsettled(store, board):
    board.betting()
    skip(board, "void", 1, 1, 2, "board", "opened_early")
    name_gap(store, 3, 3)
    board.take("spin", 2, 3)
    assert store.settlements(DEV, 1) == [] and store.settle_due(DEV, SETTLER, at(9)).entries == []
    assert store.balance(DEV, 1).unsettled_cents == sum(wager.stake_cents for wager in BATCH)


def test_two_gaps_the_later_one_counts(store, board):
    name_gap(store, 1, 3)
    board.seq = 3
    board.take("spin", 4, 3)
    name_gap(store, 5, 8)
    assert store.last_identity(DEV) == Identity(1, 8, NOTHING.mac)
    other = Chain(store)
    other.seq = 8
    assert other.take("spin", 5, 3).new
