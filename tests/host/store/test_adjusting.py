"""The host's adjustments: compare-and-set on what stands, settled in one step, above records that stay as they are."""

from dataclasses import replace

import pytest

from host_tools.errors import UserError
from host_tools.store import Settler
from host_tools.store.rows import Adjustment, Balance, InForce, Overpaid
from tests.host.store.chain import BATCH, DEV, HOIANA, SETTLER, at, figures
from tests.host.store.test_ingest import contents
from tests.host.store.test_money import CORRECTED, RESULT, REVERSED, VOIDED


def adjust(store, in_force, dice=(3, 3, 6), number=1, reason="wrong_entry", settler=SETTLER, dev=DEV):
    return store.adjust(dev, number, in_force, dice, reason, "host:anna", settler, at(90)).entries


def record(boot, seq):
    return InForce((boot, seq), None)


FIRST = InForce(None, 1)
RECORD = record(1, 5)  # the result of round 1


@pytest.fixture
def played(store, board):
    """Round 1 with result 1, 3, 6 in record 1:5, and the next spin behind it."""
    store.enrol(DEV, "T1", at(0))
    board.result()
    board.take("spin", 2, 3)
    return board


def test_it_reverses_what_stands_and_settles_anew_and_both_stay(store, played):
    records = contents(store)["records"]
    before = store.settlements(DEV, 1)
    made = adjust(store, RECORD)
    assert figures(made) == REVERSED + CORRECTED
    assert [entry.reverses for entry in made[:4]] == [entry.id for entry in before]
    assert {(entry.boot, entry.seq, entry.adjustment) for entry in made} == {(1, 5, 1)}
    assert store.settlements(DEV, 1) == before + made
    assert store.balance(DEV, 1) == Balance(4000, 6000, 8500, 1500, 0)
    assert contents(store)["records"] == records
    assert store.round(DEV, 1).dice == (6, 1, 3) and store.round(DEV, 1).state == "result"
    assert store.round(DEV, 1).in_force == FIRST


def test_who_why_when_and_above_which_record_is_kept(store, played):
    adjust(store, RECORD)
    adjust(store, FIRST, None, reason="dispute")
    assert store.adjustments(DEV, 1) == [
        Adjustment(1, DEV, 1, 1, 5, None, (3, 3, 6), "wrong_entry", "host:anna", at(90)),
        Adjustment(2, DEV, 1, 1, 5, 1, None, "dispute", "host:anna", at(90)),
    ]
    assert store.adjustments(DEV, 2) == []


def test_the_overpaid_are_listed_by_the_adjustment_and_with_what_is_due_now(store, played):
    adjust(store, RECORD)
    first = [Overpaid(DEV, 1, "Aroha", "W1", 1, 5, 1, 2000, 0), Overpaid(DEV, 1, "Chen", "W3", 1, 5, 1, 3000, 0)]
    assert store.overpaid(DEV, 1) == first
    adjust(store, FIRST, None)
    assert store.overpaid() == [
        *(row._replace(due_cents=due) for row, due in zip(first, (1000, 500), strict=True)),
        Overpaid(DEV, 1, "Ben", "W2", 1, 5, 2, 2000, 2000),
        Overpaid(DEV, 1, "Dana", "W4", 1, 5, 2, 4000, 500),
    ]


def test_a_void_returns_every_stake_and_is_final(store, played):
    made = adjust(store, RECORD, None, reason="dispute")
    assert figures(made) == REVERSED + VOIDED
    assert {entry.reason for entry in made[4:]} == {"round voided by the host's adjustment a1: dispute"}
    assert store.balance(DEV, 1) == Balance(4000, 0, 4000, 0, 0)
    with pytest.raises(UserError, match="a void is final"):
        adjust(store, FIRST)


def test_a_round_that_its_board_voided_is_final(store, board):
    store.enrol(DEV, "T1", at(0))
    board.result()
    board.void(1)
    board.take("spin", 2, 3)
    with pytest.raises(UserError, match="a void is final"):
        adjust(store, record(1, 6))


@pytest.mark.parametrize("wrong", [record(1, 4), record(2, 5), InForce(None, 1), InForce(None, 7)])
def test_what_is_not_in_force_is_refused_with_what_is(store, played, wrong):
    before = contents(store)
    with pytest.raises(UserError, match=r"1:5 is in force, not"):
        adjust(store, wrong)
    assert contents(store) == before


def test_a_record_under_an_adjustment_is_not_in_force(store, played):
    adjust(store, RECORD)
    with pytest.raises(UserError, match="a1 is in force, not 1:5"):
        adjust(store, RECORD, (1, 1, 2))


def test_the_last_round_of_a_board_is_the_boards_own(store, board):
    store.enrol(DEV, "T1", at(0))
    board.result()
    with pytest.raises(UserError, match="its board, which can still end or correct it"):
        adjust(store, RECORD)
    board.take("spin", 2, 3)
    assert adjust(store, RECORD)


def test_the_open_round_of_a_board_that_left_its_table_can_be_voided(store, board):
    store.enrol(DEV, "T1", at(0))
    board.betting()
    with pytest.raises(UserError, match="can still end"):
        adjust(store, record(1, 2), None)
    store.enrol("sim-0000000000b2-0001", "T1", at(5))
    assert figures(adjust(store, record(1, 2), None)) == VOIDED
    assert store.balance(DEV, 1).unsettled_cents == 0


def test_a_board_that_comes_back_with_its_result_wins_and_its_round_is_settled_by_it(store, board):
    store.enrol(DEV, "T1", at(0))
    board.betting()
    store.enrol("sim-0000000000b2-0001", "T1", at(5))
    adjust(store, record(1, 2))
    assert figures(store.settlements(DEV, 1)) == CORRECTED
    done = board.take("bets_closed", 1, "dealer")
    assert "adjustment a1: the board's record takes its place" in done.note
    assert figures(store.settlements(DEV, 1)) == CORRECTED  # until the board says how the round ended
    board.take("uncovered", 1)
    done = board.take("result", 1, (6, 1, 3), 4)
    assert figures(done.made.entries)[4:] == RESULT
    assert store.balance(DEV, 1) == Balance(4000, 3500, 5000, 2500, 0)
    assert store.round(DEV, 1).in_force == RECORD
    assert {row.player for row in store.overpaid(DEV, 1)} == {"Ben", "Dana"}


def test_stakes_that_a_void_gave_back_stay_back_when_the_board_comes_back_with_a_result(store, board):
    store.enrol(DEV, "T1", at(0))
    board.betting()
    store.enrol("sim-0000000000b2-0001", "T1", at(5))
    adjust(store, record(1, 2), None)
    board.take("bets_closed", 1, "dealer")
    board.take("uncovered", 1)
    board.take("result", 1, (6, 1, 3), 4)
    assert figures(store.settlements(DEV, 1)) == VOIDED


def test_late_wagers_go_back_also_where_the_host_settles(store, board):
    store.enrol(DEV, "T1", at(0))
    board.betting(batch=[])
    store.place_wagers(DEV, 1, BATCH[:1], HOIANA, lambda: at(2))
    store.place_wagers(DEV, 1, BATCH[1:], HOIANA, lambda: at(3))
    alarm = store.alarm(DEV, "gap", "It stops settling.", at(4))
    board.take("bets_closed", 1, "dealer", occurred_s=2.5)
    board.take("uncovered", 1)
    board.take("spin", 2, 3)  # the result is in no record
    with pytest.raises(UserError, match="stopped by an open alarm"):
        adjust(store, record(1, 4), (6, 1, 3))
    assert store.confirm_alarm(alarm, "anna", at(5))
    for other in store.open_alarms():
        store.confirm_alarm(other.id, "anna", at(5))
    made = adjust(store, record(1, 4), (6, 1, 3))
    assert figures(made) == [*VOIDED[1:], RESULT[0]]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"dice": (3, 6, 1)}, "has these dice already"),
        ({"number": 9}, "has no round 9"),
        ({"dev": "sim-0000000000b2-0001"}, "has no round 1"),
        ({"reason": "power_lost"}, "is no reason: give one of not_flat"),
        (
            {"settler": Settler(replace(HOIANA, head=HOIANA.head._replace(name="other"), hash="0" * 64))},
            "under paytable hoiana",
        ),
    ],
)
def test_what_cannot_be_adjusted_changes_nothing(store, played, change, why):
    before = contents(store)
    with pytest.raises(UserError, match=why):
        adjust(store, RECORD, **change)
    assert contents(store) == before


def test_a_wager_behind_the_last_betting_is_late_where_the_closing_never_came(store, board):
    """Its lease was good, but up to where the bets were open no record says: as under a result of the board."""
    store.enrol(DEV, "T1", at(0))
    board.betting(batch=BATCH[:1])  # the last BETTING is of second 2
    store.place_wagers(DEV, 1, BATCH[1:], HOIANA, lambda: at(3.4))
    for kind, *values in (("bets_closed", 1, "dealer"), ("uncovered", 1), ("result", 1, (6, 1, 3), 4)):
        board.line(kind, *values)
    alarm = store.alarm(DEV, "store_behind", "Records 3 to 5 are missing.", at(9), (3, 5))
    store.confirm_alarm(alarm, "anna", at(10))
    board.take("spin", 2, 3)
    made = adjust(store, record(1, 2), (6, 1, 3))
    assert figures(made) == [*VOIDED[1:], RESULT[0]]
    assert {entry.reason for entry in made[:3]} == {
        "accepted not before 2026-03-01 12:00:02.000001 UTC, from when on the bets may have been closed"
    }
