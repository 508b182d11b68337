"""A wager that is taken back: only while betting is known to be open, never deleted, and its stake goes back."""

import pytest

from host_tools import keys
from host_tools.store import Refused
from host_tools.store.schema import withdrawals
from host_tools.verify.stores import check_store
from tests.host.store.behind import change
from tests.host.store.chain import BATCH, DEV, HOIANA, SETTLER, at, figures

ANNA = "host:anna"


def withdraw(store, wager_id="W1", seconds=2.0, number=1):
    return store.withdraw_wager(DEV, number, wager_id, ANNA, lambda: at(seconds))


def finish(board, dice=(6, 1, 3), occurred_s=2.5):
    board.take("bets_closed", 1, "dealer", occurred_s=occurred_s)
    board.take("uncovered", 1)
    return board.take("result", 1, dice, 4)


def test_a_withdrawn_wager_that_would_have_won_gives_its_stake_back_and_no_more(store, board, url):
    board.betting()
    assert withdraw(store)
    assert figures(finish(board).made.entries) == [
        ("W1", "settle", "void", 0, 1000),
        ("W2", "settle", "lose", 0, 0),
        ("W3", "settle", "win", 2500, 3000),
        ("W4", "settle", "lose", 0, 0),
    ]
    assert store.balance(DEV, 1) == (4000, 2500, 4000, 2500, 0)
    assert check_store(url, keys.board_key).damages == []


def test_until_the_end_of_the_round_its_stake_is_not_settled(store, board, url):
    board.betting()
    withdraw(store)
    assert store.balance(DEV, 1) == (4000, 0, 0, 0, 4000)
    assert check_store(url, keys.board_key).damages == []


def test_it_stays_void_when_the_result_is_corrected(store, board, url):
    board.betting()
    withdraw(store)
    finish(board)
    board.correct(1, (5, 5, 6))
    assert [made for made in figures(store.settlements(DEV, 1)) if made[0] == "W1"] == [
        ("W1", "settle", "void", 0, 1000)
    ]
    assert check_store(url, keys.board_key).damages == []


def test_one_that_was_withdrawn_when_the_bets_may_have_been_closed_is_decided_by_the_dice(store, board, url):
    board.betting()
    withdraw(store, "W2", seconds=2.5)
    assert figures(finish(board, occurred_s=2.5).made.entries)[1] == ("W2", "settle", "lose", 0, 0)
    assert check_store(url, keys.board_key).damages == []


def test_of_a_void_round_every_stake_goes_back_once(store, board, url):
    board.betting()
    withdraw(store)
    board.void(1, "opened_early")
    assert store.balance(DEV, 1) == (4000, 0, 4000, 0, 0)
    assert check_store(url, keys.board_key).damages == []


def test_the_id_stays_taken_and_the_same_batch_again_brings_nothing_back(store, board):
    board.betting()
    withdraw(store)
    assert store.place_wagers(DEV, 1, BATCH, HOIANA, lambda: at(2)) == 0
    assert figures(finish(board).made.entries)[0] == ("W1", "settle", "void", 0, 1000)


def test_twice_is_told_and_changes_nothing(store, board):
    board.betting()
    assert withdraw(store)
    assert not withdraw(store, seconds=2.4)
    with store._db.reading() as connection:
        rows = connection.execute(withdrawals.select()).all()
    assert rows == [(DEV, 1, "W1", ANNA, at(2))]


@pytest.mark.parametrize(
    ("wager_id", "seconds", "number", "why"),
    [
        ("W9", 2, 1, "there is no such wager"),
        ("W1", 3.501, 1, r"1\.501 s ago"),
        ("W1", 2, 2, "has not begun it"),
    ],
)
def test_it_is_refused_when_betting_is_not_known_to_be_open(store, board, wager_id, seconds, number, why):
    board.betting()
    with pytest.raises(Refused, match=f"Wager '{wager_id}' stays in round {number}: .*{why}"):
        withdraw(store, wager_id, seconds, number)


def test_it_is_refused_once_the_bets_are_closed(store, board):
    board.uncovered()
    with pytest.raises(Refused, match="its bets are not open, the record in force is uncovered"):
        withdraw(store)


def test_a_transaction_in_which_the_lease_ends_withdraws_nothing(store, board):
    board.betting()
    moments = iter([at(2), at(30)])
    with pytest.raises(Refused, match=r"28\.000 s ago"):
        store.withdraw_wager(DEV, 1, "W1", ANNA, lambda: next(moments))
    assert figures(finish(board).made.entries)[0] == ("W1", "settle", "win", 1000, 2000)


def test_verify_finds_a_withdrawal_that_was_put_in_or_taken_out_afterwards(store, board, url):
    board.betting()
    withdraw(store)
    finish(board)
    change(url, "update withdrawals set wager_id = 'W2'")
    found = [damage.why for damage in check_store(url, keys.board_key).damages]
    assert found == [
        "round 1: wager W1 is win, 2000 cents returned; its entry 1 says void, 1000 cents returned",
        "round 1: wager W2 is void, and its entry 2 is not",
    ]
    change(url, "update withdrawals set wager_id = 'gone'")
    assert "wager gone of round 1 was withdrawn, and it is not there" in [
        damage.why for damage in check_store(url, keys.board_key).damages
    ]


def test_what_waited_for_an_alarm_is_settled_with_the_withdrawal(store, board):
    board.betting()
    withdraw(store)
    alarm = store.alarm(DEV, "gap", "look", at(2))
    assert finish(board).made.entries == []
    store.confirm_alarm(alarm, "anna", at(9))
    assert figures(store.settle_due(DEV, SETTLER, at(9)).entries)[0] == ("W1", "settle", "void", 0, 1000)


def listed(store):
    return [(each.wager.wager_id, each.outcome, each.returned_cents) for each in store.list_wagers(DEV, 1, None)]


def test_a_withdrawal_that_does_not_count_is_not_listed_as_withdrawn_once_the_time_of_closing_is_known(store, board):
    board.betting()
    withdraw(store, "W1", seconds=2.4)
    withdraw(store, "W2", seconds=2.5)
    assert [each[:2] for each in listed(store)[:2]] == [("W1", "withdrawn"), ("W2", "withdrawn")]
    board.take("bets_closed", 1, "dealer", occurred_s=2.5)
    assert listed(store)[:2] == [("W1", "withdrawn", None), ("W2", "open", None)]
    board.take("uncovered", 1)
    board.take("result", 1, (6, 1, 3), 4)
    assert listed(store)[:2] == [("W1", "void", 1000), ("W2", "lose", 0)]


def test_a_late_wager_is_not_listed_as_open_while_an_alarm_stops_settling(store, board):
    board.betting(batch=BATCH[:1])
    store.place_wagers(DEV, 1, BATCH[1:2], HOIANA, lambda: at(2.3))
    store.withdraw_wager(DEV, 1, "W2", ANNA, lambda: at(2.35))
    store.alarm(DEV, "gap", "look", at(2.4))
    board.take("bets_closed", 1, "dealer", received_s=2.5, occurred_s=2.2)
    assert listed(store) == [("W1", "open", None), ("W2", "void", None)]
