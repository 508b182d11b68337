"""A board that lost its journal: the new dev's first record gives back the stakes that the old one left open."""

import pytest

from tests.host.store.chain import BATCH, DEV, SETTLER, Chain, at, figures

NEW = "sim-0000000000a1-77aa"
VOIDED = [(wager.wager_id, "settle", "void", 0, wager.stake_cents) for wager in BATCH]


@pytest.fixture
def new(store):
    store.enrol(DEV, "T1", at(0))
    return Chain(store, NEW)


def first(new, replaces=DEV, table="T1"):
    new.store.enrol(NEW, table, at(50))
    return new.take("boot", "0" * 16, "1.28.0", "pico", "power", "production", replaces)


@pytest.mark.parametrize("reached", ["bets_open", "bets_closed", "uncovered"])
def test_stakes_of_a_round_whose_board_lost_its_journal_go_back(store, board, new, reached):
    board.betting() if reached == "bets_open" else board.uncovered()
    done = first(new)
    assert figures(done.made.entries) == VOIDED
    assert {made.reason for made in done.made.entries} == {
        f"round voided: board {DEV} lost its journal, record 1 of board {NEW} replaces it"
    }
    assert NEW in done.note and DEV in done.note
    row = store.rounds(DEV)[0]
    assert (row.state, row.settled) == ("void", True)
    assert store.balance(DEV, 1).unsettled_cents == 0


def test_a_round_with_a_result_stays_as_it_was_settled(store, board, new):
    board.result()
    before = store.settlements(DEV, 1)
    assert first(new).made.entries == []
    assert (store.settlements(DEV, 1), store.rounds(DEV)[0].state) == (before, "result")


def test_late_wagers_that_went_back_before_do_not_go_back_twice(store, board, new):
    board.betting()
    board.take("bets_closed", 1, "dealer", occurred_s=board.seq - 1)
    assert [made.settlement.outcome for made in store.settlements(DEV, 1)] == ["void"] * 4
    assert first(new).made.entries == []
    assert store.balance(DEV, 1).returned_cents == 4000


@pytest.mark.parametrize("replaces", [None, "sim-0000000000a1-0000"])
def test_a_new_board_that_replaces_another_or_none_gives_nothing_back(store, board, new, replaces):
    board.betting()
    done = first(new, replaces)
    assert done.made.entries == [] and store.settlements(DEV, 1) == []
    assert store.rounds(DEV)[0].state == "bets_open"


def test_a_board_of_another_table_gives_nothing_back_but_an_alarm_until_it_is_enrolled_right(store, board, new):
    board.betting()
    done = first(new, table="T2")
    assert store.settlements(DEV, 1) == []
    (alarm,) = store.open_alarms(NEW)
    assert alarm.kind == "replaces" and alarm.text == done.note and "enrol" in alarm.text
    store.confirm_alarm(alarm.id, "anna", at(60))
    assert store.settle_due(NEW, SETTLER, at(61)).entries == []
    store.enrol(NEW, "T1", at(62))
    assert figures(store.settle_due(NEW, SETTLER, at(63)).entries) == VOIDED
    assert store.settle_due(NEW, SETTLER, at(64)).entries == []


def test_an_open_alarm_of_the_lost_board_does_not_keep_the_stakes(store, board, new):
    board.betting()
    store.alarm(DEV, "new_dev", "It goes on as another.", at(40))
    assert figures(first(new).made.entries) == VOIDED


def test_a_result_that_waited_for_an_alarm_of_the_lost_board_is_settled_at_a_start_of_the_new_one(store, board, new):
    board.uncovered()
    alarm = store.alarm(DEV, "new_dev", "It goes on as another.", at(40))
    board.take("result", 1, (6, 1, 3), 4)
    assert first(new).made.entries == []
    store.confirm_alarm(alarm, "anna", at(60))
    made = store.settle_due(NEW, SETTLER, at(61)).entries
    assert [row[3:] for row in figures(made)] == [(1000, 2000), (0, 0), (2500, 3000), (0, 0)]


def test_only_the_first_record_of_a_dev_can_replace(store, board, new):
    board.betting()
    store.enrol(NEW, "T1", at(50))
    new.take("spin", 1, 3)
    done = new.take("boot", "0" * 16, "1.28.0", "pico", "power", "production", DEV)
    assert done.made.entries == [] and store.settle_due(NEW, SETTLER, at(60)).entries == []
    assert store.settlements(DEV, 1) == []


@pytest.mark.parametrize("obeyed", [True, False])
def test_an_order_that_was_sent_to_a_board_that_lost_its_journal_comes_to_its_end(store, board, new, obeyed):
    board.result()
    order = store.queue_command(DEV, "void", "host:anna", at(6), round=1, ref_boot=1, ref_seq=5, reason="dispute")
    store.mark_sent(order, "e5b9a8676dd097b3", 7)
    if obeyed:
        board.take("void", 1, 1, 5, "host:anna", "dispute")
    first(new)
    command = store.command(order)
    assert (command.state, command.answer) == (("done", "by_record") if obeyed else ("lost", None))
    assert command.answered_at == at(1)
