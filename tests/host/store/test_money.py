"""What a round pays, in literal cents: result, correction, void, late wagers; no cent appears or vanishes."""

from dataclasses import replace
from fractions import Fraction

import pytest
from sqlalchemy.exc import IntegrityError

from host_tools.errors import UserError
from host_tools.settler.paytable import Odds
from host_tools.settler.settle import Tally, Totals, Wager
from host_tools.store import Settler, settling
from host_tools.store.rows import Balance, Overpaid
from tests.host.store.chain import BATCH, DEV, HOIANA, SMALL, at, figures

RESULT = [
    ("W1", "settle", "win", 1000, 2000),
    ("W2", "settle", "lose", 0, 0),
    ("W3", "settle", "win", 2500, 3000),
    ("W4", "settle", "lose", 0, 0),
]
REVERSED = [
    ("W1", "reverse", "win", -1000, -2000),
    ("W2", "reverse", "lose", 0, 0),
    ("W3", "reverse", "win", -2500, -3000),
    ("W4", "reverse", "lose", 0, 0),
]
CORRECTED = [
    ("W1", "settle", "lose", 0, 0),
    ("W2", "settle", "win", 2000, 4000),
    ("W3", "settle", "lose", 0, 0),
    ("W4", "settle", "win", 4000, 4500),
]
VOIDED = [
    ("W1", "settle", "void", 0, 1000),
    ("W2", "settle", "void", 0, 2000),
    ("W3", "settle", "void", 0, 500),
    ("W4", "settle", "void", 0, 500),
]


def adds_up(balance):
    gone = balance.returned_cents + balance.kept_cents + balance.unsettled_cents
    return balance.staked_cents + balance.paid_cents == gone


def test_a_result_settles_every_wager(store, board):
    done = board.result()
    assert figures(done.made.entries) == RESULT
    assert done.made.entries == store.settlements(DEV, 1)
    assert {(made.boot, made.seq) for made in done.made.entries} == {(1, 5)}
    assert [made.settlement.odds for made in done.made.entries] == [Odds(1, 1), None, Odds(5, 1), None]
    assert [made.settlement.wager for made in done.made.entries] == BATCH
    assert store.balance(DEV, 1) == Balance(4000, 3500, 5000, 2500, 0)
    assert store.overpaid(DEV, 1) == []
    assert store.rounds()[0].dice == (6, 1, 3) and store.rounds()[0].settled


def test_of_many_entries_the_first_are_read_back_and_the_sums_are_of_all(store, board, monkeypatch):
    """200,000 of them take longer to read than to make."""
    monkeypatch.setattr(settling, "TOLD", 2)
    made = board.result().made
    assert figures(made.entries) == RESULT[:2]
    assert made.settled == Tally({"win": 2, "lose": 2}, Totals(4000, 3500, 5000, 2500, Fraction(0)))
    assert made.reversed.count == 0
    made = board.correct(1, (3, 3, 6)).made
    assert figures(made.entries) == REVERSED[:2] + CORRECTED[:2]
    assert made.reversed == Tally({"win": 2, "lose": 2}, Totals(-4000, -3500, -5000, -2500, Fraction(0)))
    assert made.settled.totals == Totals(4000, 6000, 8500, 1500, Fraction(0))
    made = board.void(1).made
    assert made.count == 8
    assert made.settled == Tally({"void": 4}, Totals(4000, 0, 4000, 0, Fraction(0)))


def test_a_correction_reverses_every_entry_and_makes_new_ones(store, board):
    board.result()
    before = store.settlements(DEV, 1)
    done = board.correct(1, (3, 3, 6))
    assert figures(done.made.entries) == REVERSED + CORRECTED
    assert [made.reverses for made in done.made.entries[:4]] == [made.id for made in before]
    assert store.settlements(DEV, 1) == before + done.made.entries
    assert store.balance(DEV, 1) == Balance(4000, 6000, 8500, 1500, 0)
    assert store.overpaid(DEV, 1) == [
        Overpaid(DEV, 1, "Aroha", "W1", 1, 6, None, 2000, 0),
        Overpaid(DEV, 1, "Chen", "W3", 1, 6, None, 3000, 0),
    ]


def test_a_second_correction_reverses_the_first_one_only(store, board):
    board.result()
    first = board.correct(1, (3, 3, 6)).made.entries[4:]
    done = board.correct(1, (1, 3, 6))
    assert [made.reverses for made in done.made.entries[:4]] == [made.id for made in first]
    assert store.balance(DEV, 1) == Balance(4000, 3500, 5000, 2500, 0)
    assert [(row.player, row.seq) for row in store.overpaid(DEV, 1)] == [
        ("Aroha", 6),
        ("Chen", 6),
        ("Ben", 7),
        ("Dana", 7),
    ]


def test_a_void_before_a_result_returns_every_stake(store, board):
    board.uncovered()
    done = board.void(1, "not_flat")
    assert figures(done.made.entries) == VOIDED
    assert {made.reason for made in done.made.entries} == {"round voided: not_flat"}
    assert store.balance(DEV, 1) == Balance(4000, 0, 4000, 0, 0)


def test_a_void_after_a_correction_returns_every_stake(store, board):
    board.result()
    board.correct(1, (3, 3, 6))
    done = board.void(1)
    assert figures(done.made.entries)[4:] == VOIDED
    assert store.balance(DEV, 1) == Balance(4000, 0, 4000, 0, 0)
    assert store.rounds()[0].dice is None
    assert [(row.player, row.overpaid_cents) for row in store.overpaid(DEV, 1) if row.seq == 7] == [
        ("Ben", 2000),
        ("Dana", 4000),
    ]


def test_early_uncovering_voids_the_wagers_of_open_bets(store, board):
    board.betting()
    board.take("void", 1, 1, 2, "board", "opened_early")
    assert store.balance(DEV, 1) == Balance(4000, 0, 4000, 0, 0)


def test_before_the_result_all_stakes_are_unsettled(store, board):
    board.uncovered()
    assert store.balance(DEV, 1) == Balance(4000, 0, 0, 0, 4000)


def late_wager(store, board, seconds, wager_id="L1"):
    store.place_wagers(DEV, 1, [Wager(wager_id, "Eru", "small", "", 700)], HOIANA, lambda: at(board.seq + seconds))


def test_wagers_after_the_bets_were_closed_are_void_and_stay_so(store, board):
    board.betting()
    late_wager(store, board, 0.499999, "ON TIME")
    late_wager(store, board, 0.5)
    done = board.take("bets_closed", 1, "dealer", received_s=9, occurred_s=2.5)
    assert figures(done.made.entries) == [("L1", "settle", "void", 0, 700)]
    assert "accepted not before 2026-03-01 12:00:02.500000 UTC" in (done.made.entries[0].reason or "")
    assert store.balance(DEV, 1) == Balance(5400, 0, 700, 0, 4700)
    board.take("uncovered", 1)
    result = board.take("result", 1, (6, 1, 3), 4)
    assert figures(result.made.entries) == [*RESULT, ("ON TIME", "settle", "win", 700, 1400)]
    board.correct(1, (3, 3, 6))
    assert len([made for made in store.settlements(DEV, 1) if made.settlement.wager.wager_id == "L1"]) == 1
    assert store.balance(DEV, 1) == Balance(5400, 6000, 9200, 2200, 0)


def test_wagers_after_the_uncovering_are_void_when_the_closing_has_no_time(store, board):
    board.betting()
    late_wager(store, board, 0.9)
    store.update_live(DEV, 1, "BETTING", 1, None, at(3))
    board.take("bets_closed", 1, "dealer")
    done = board.take("uncovered", 1, occurred_s=2.8)
    assert figures(done.made.entries) == [("L1", "settle", "void", 0, 700)]


def test_without_a_mapped_time_bets_count_as_open_until_the_last_status(store, board):
    board.betting()
    store.update_live(DEV, 1, "BETTING", 1, None, at(3))
    late_wager(store, board, 1.0, "ON TIME")
    late_wager(store, board, 1.1)
    store.update_live(DEV, 1, "CLOSED", 1, None, at(4))
    done = board.take("bets_closed", 1, "dealer")
    assert figures(done.made.entries) == [("L1", "settle", "void", 0, 700)]


def test_a_round_is_settled_with_the_paytable_under_which_it_took_its_wagers(store, board):
    board.uncovered()
    other = Settler(replace(HOIANA, head=HOIANA.head._replace(name="other"), hash="0" * 64))
    line = board.line("result", 1, (6, 1, 3), 4)
    with pytest.raises(UserError, match=r"Round 1 .* under paytable hoiana .* this run has other"):
        board.give(*line, settler=other)
    assert store.last_identity(DEV).seq == 4
    assert figures(board.give(*line).made.entries) == RESULT


def test_sums_of_a_long_evening_add_up(store, board):
    for number in range(1, 9):
        board.result(number, (6, 1, 3))
        if number % 2:
            board.correct(number, (3, 3, 6))
        if number % 4 == 3:
            board.void(number)
    assert all(adds_up(store.balance(DEV, number)) for number in range(1, 9))
    assert sum(store.balance(DEV, number).returned_cents for number in range(1, 9)) == 4 * 5000 + 2 * 8500 + 2 * 4000


def test_the_database_itself_refuses_a_second_settlement_by_the_same_record(store, board):
    board.result(batch=[SMALL])
    with pytest.raises(IntegrityError), store._db.writing() as connection:
        connection.exec_driver_sql(
            "insert into settlements (dev, round, wager_id, entry, boot, seq, outcome, won_cents, returned_cents, "
            f"entered_at) values ('{DEV}', 1, 'W1', 'settle', 1, 5, 'win', 1000, 2000, '2026-03-01 12:00:00')"
        )


def test_the_database_itself_refuses_a_wager_of_no_round(store):
    with pytest.raises(IntegrityError), store._db.writing() as connection:
        connection.exec_driver_sql(
            "insert into wagers values ('no-such-dev', 1, 'W1', 1, 'Aroha', 'small', '', 100, '2026-03-01 12:00:00')"
        )


def test_a_wager_within_the_bound_of_the_closing_goes_back(store, board):
    board.betting()
    late_wager(store, board, 0.199, "ON TIME")
    late_wager(store, board, 0.2)
    done = board.take("bets_closed", 1, "dealer", received_s=9, occurred_s=2.5, bound_ms=300)
    assert figures(done.made.entries) == [("L1", "settle", "void", 0, 700)]
    with store._db.reading() as connection:
        assert connection.exec_driver_sql("select bound_ms from records where seq = 3").scalar() == 300


def test_a_wager_within_the_bound_of_the_uncovering_goes_back(store, board):
    board.betting()
    late_wager(store, board, 0.8)
    board.take("bets_closed", 1, "dealer", received_s=9, occurred_s=3)
    done = board.take("uncovered", 1, received_s=9, occurred_s=3.5, bound_ms=800)
    assert figures(done.made.entries) == [("L1", "settle", "void", 0, 700)]


def test_a_closing_whose_bound_is_unknown_counts_from_the_last_status(store, board):
    board.betting()
    late_wager(store, board, 0.1)
    done = board.take("bets_closed", 1, "dealer", received_s=9, occurred_s=2.5, bound_ms=None)
    assert figures(done.made.entries) == [("L1", "settle", "void", 0, 700)]
