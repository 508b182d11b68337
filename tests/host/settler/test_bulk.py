"""Settling in columns: the same amounts as wager by wager, exact where 64 bits end, and nothing ever a float."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.bulk import Columns, OddsTable
from host_tools.settler.game import LOST, STAYS, WIN, Odds, Verdict
from host_tools.settler.paytable import bundled_names, load
from host_tools.settler.settle import Wager, settle_round, totals
from host_tools.settler.taisai import OUTCOMES

TABLES = {name: OddsTable(load(name)) for name in ("hoiana", "korea_daegu")}


class Coin:
    """A game with odds that break cents: heads pays 2 to 3 or 999999 to 1, tails loses."""

    def __init__(self):
        self.ways = {"heads": 1, "tails": 1}
        self.areas = [("thirds", ""), ("rich", "")]

    def verdict(self, area, outcome):
        if outcome == "tails":
            return LOST
        return Verdict(WIN, Odds(2, 3) if area[0] == "thirds" else Odds(999_999, 1))


def one_of_each(table):
    return [Wager(f"w{n}", "p", *area, 1000 + n) for n, area in enumerate(table.areas)]


@pytest.mark.parametrize("name", bundled_names())
def test_every_outcome_on_every_area_comes_to_the_same_as_wager_by_wager(name):
    paytable = load(name)
    table = OddsTable(paytable)
    wagers = one_of_each(table)
    columns = table.columns(wagers)
    for dice in OUTCOMES:
        expected = settle_round(wagers, dice, paytable)
        verdict, won, returned = table.settle(columns, dice)
        assert won.tolist() == [settlement.won_cents for settlement in expected], dice
        assert returned.tolist() == [settlement.returned_cents for settlement in expected], dice
        assert [table.verdicts[index].odds for index in verdict] == [settlement.odds for settlement in expected], dice
        assert table.totals(columns, table.settle(columns, dice)) == totals(expected), dice


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 1_000_000_000)), max_size=30), st.sampled_from(OUTCOMES))
def test_stakes_and_pay_are_what_is_returned_and_kept(bets, dice):
    table = TABLES["korea_daegu"]
    wagers = [Wager(str(n), "p", *table.areas[column], stake) for n, (column, stake) in enumerate(bets)]
    columns = table.columns(wagers)
    sums = table.totals(columns, table.settle(columns, dice))
    assert sums.staked_cents == sum(stake for _, stake in bets)
    assert sums.staked_cents + sums.paid_cents == sums.returned_cents + sums.kept_cents
    assert all(type(amount) is int for amount in sums[:4])


def test_known_amounts():
    table = TABLES["hoiana"]
    columns = table.columns(
        [Wager("a", "p", "double", "3", 1000), Wager("b", "p", "face", "3", 700), Wager("c", "p", "big", "", 50)]
    )
    settled = table.settle(columns, (3, 3, 4))
    assert settled.won_cents.tolist() == [8000, 1400, 0]
    assert settled.returned_cents.tolist() == [9000, 2100, 0]
    assert settled.won_cents.dtype == settled.returned_cents.dtype == np.int64
    assert table.totals(columns, settled) == (1750, 9400, 11100, 50, 0)


def test_pay_is_rounded_down_and_the_breakage_of_all_is_exact():
    """Two thirds of 100 cents are 66 2/3, of 102 they are 68."""
    table = OddsTable(Coin())
    columns = table.columns([Wager(str(cents), "p", "thirds", "", cents) for cents in (100, 100, 102)])
    settled = table.settle(columns, "heads")
    assert settled.won_cents.tolist() == [66, 66, 68]
    assert table.totals(columns, settled).breakage_cents == Fraction(4, 3)
    assert table.totals(columns, table.settle(columns, "tails")) == (302, 0, 0, 302, 0)


def test_a_sum_over_64_bits_is_exact():
    table = OddsTable(Coin())
    rows, stake = 20_000, 1_000_000_000
    columns = Columns(np.full(rows, table.areas.index(("rich", "")), np.uint16), np.full(rows, stake, np.int64))
    sums = table.totals(columns, table.settle(columns, "heads"))
    assert sums.paid_cents == rows * stake * 999_999 > 2**63
    assert sums.returned_cents == rows * stake * 1_000_000


@pytest.mark.parametrize("stake", [0, -1, 2**63 // 1_000_000 + 1, 2**63 - 1])
def test_a_stake_that_cannot_be_settled_exactly_is_refused(stake):
    table = OddsTable(Coin())
    columns = Columns(np.array([0, 0], np.uint16), np.array([100, stake], np.int64))
    with pytest.raises(ValueError, match="a stake is not from 1 to"):
        table.settle(columns, "heads")


def test_a_wager_that_is_not_covered_is_refused_by_its_kind():
    with pytest.raises(UserError, match="odd '' is not covered by the paytable"):
        TABLES["hoiana"].columns([Wager("a", "p", "small", "", 100), Wager("b", "p", "odd", "", 100)])


def test_no_wager_at_all_comes_to_nothing():
    table = TABLES["hoiana"]
    columns = table.columns([])
    assert table.totals(columns, table.settle(columns, (1, 2, 3))) == (0, 0, 0, 0, 0)


def test_a_game_in_which_wagers_stand_is_not_for_this():
    class Waiting(Coin):
        def verdict(self, area, outcome):
            return STAYS

    with pytest.raises(ValueError, match="may stand undecided"):
        OddsTable(Waiting())
