"""Settling: amounts in cents, breakage, voids, the JSON form, and that no cent appears or vanishes."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.paytable import BUNDLED_DIR, Odds, load
from host_tools.settler.settle import Settlement, Wager, json_line, settle_round, totals, void_wagers

HOIANA = load("hoiana")


@pytest.fixture
def broken_cents(tmp_path):
    """Hoiana with big at 19 to 20: pays that do not come out in whole cents."""
    path = tmp_path / "uneven.toml"
    text = (BUNDLED_DIR / "hoiana.toml").read_text(encoding="utf-8").replace('big = "1:1"', 'big = "19:20"')
    path.write_text(text, encoding="utf-8")
    return load(str(path))


def settle_one(dice, kind, selection, stake_cents, table=HOIANA):
    return settle_round([Wager("w1", "p", kind, selection, stake_cents)], dice, table)[0]


@pytest.mark.parametrize(
    ("dice", "kind", "selection", "line"),
    [
        (
            (3, 4, 3),
            "double",
            "3",
            '{"wager_id": "w1", "kind": "double", "selection": "3", "stake": 1000, "outcome": "win", "odds": "8:1", '
            '"won": 8000, "returned": 9000}',
        ),
        (
            (3, 4, 3),
            "face",
            "3",
            '{"wager_id": "w1", "kind": "face", "selection": "3", "stake": 1000, "outcome": "win", "odds": "2:1", '
            '"won": 2000, "returned": 3000}',
        ),
        (
            (5, 5, 5),
            "small",
            "",
            '{"wager_id": "w1", "kind": "small", "selection": "", "stake": 1000, "outcome": "lose", "odds": null, '
            '"won": 0, "returned": 0}',
        ),
    ],
)
def test_json_of_a_settled_wager(dice, kind, selection, line):
    assert json_line(settle_one(dice, kind, selection, 1000)) == line


def test_json_of_a_void_gives_the_stake_back():
    (settlement,) = void_wagers([Wager("w1", "p", "total", "10", 1000)])
    assert json_line(settlement) == (
        '{"wager_id": "w1", "kind": "total", "selection": "10", "stake": 1000, "outcome": "void", "odds": null, '
        '"won": 0, "returned": 1000}'
    )


def test_json_stays_one_ascii_line_whatever_the_id_holds():
    (settlement,) = void_wagers([Wager('=1+1\u2028"\n\u00e9', "p", "big", "", 1)])
    line = json_line(settlement)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["wager_id"] == '=1+1\u2028"\n\u00e9'


def test_pay_is_rounded_down_to_a_cent_and_the_breakage_is_shown(broken_cents):
    settlement = settle_one((6, 5, 4), "big", "", 1001, broken_cents)
    # 10.01 * 19/20 = 9.5095
    assert (settlement.won_cents, settlement.returned_cents) == (950, 1951)
    assert settlement.breakage_cents == Fraction(19, 20)
    assert settle_one((1, 2, 3), "big", "", 1001, broken_cents).breakage_cents == 0


def test_a_stake_too_small_for_its_odds_wins_nothing_and_comes_back(broken_cents):
    settlement = settle_one((6, 5, 4), "big", "", 1, broken_cents)
    assert (settlement.outcome, settlement.won_cents, settlement.returned_cents) == ("win", 0, 1)


def test_one_wager_that_is_not_covered_settles_none():
    wagers = [Wager("a", "p", "small", "", 100), Wager("b", "p", "odd", "", 100)]
    with pytest.raises(UserError, match="Wager 'b' on odd '' is not covered by paytable hoiana"):
        settle_round(wagers, (1, 3, 6), HOIANA)


def test_a_selection_out_of_its_canonical_form_never_loses_in_silence():
    with pytest.raises(UserError, match="not covered"):
        settle_one((1, 3, 6), "combination", "6-1", 100)


@pytest.mark.parametrize("dice", [(0, 3, 6), (1, 3), (1, 3, 7)])
def test_what_is_not_three_dice_settles_nothing(dice):
    with pytest.raises(ValueError, match="not three dice"):
        settle_one(dice, "small", "", 100)


def test_totals_of_one_round():
    wagers = [Wager("a", "p", "small", "", 1000), Wager("b", "q", "big", "", 300), Wager("c", "q", "total", "10", 50)]
    assert totals(settle_round(wagers, (1, 3, 6), HOIANA)) == (1350, 1300, 2350, 300, 0)
    assert totals(void_wagers(wagers)) == (1350, 0, 1350, 0, 0)
    assert totals([]) == (0, 0, 0, 0, 0)


DIE = st.integers(1, 6)
COVERED = st.sampled_from(sorted(HOIANA.areas))
STAKES = st.integers(1, 1_000_000_000)


@given(st.lists(st.tuples(COVERED, STAKES), max_size=40), st.tuples(DIE, DIE, DIE), st.booleans())
def test_no_cent_appears_or_vanishes(bets, dice, void):
    wagers = [Wager(f"w{n}", "p", *area, stake) for n, (area, stake) in enumerate(bets)]
    settlements = void_wagers(wagers) if void else settle_round(wagers, dice, HOIANA)
    assert [settlement.wager for settlement in settlements] == wagers
    sums = totals(settlements)
    assert sums.staked_cents == sum(stake for _, stake in bets)
    assert sums.staked_cents + sums.paid_cents == sums.returned_cents + sums.kept_cents
    for settlement in settlements:
        stake = settlement.wager.stake_cents
        assert (
            settlement.returned_cents
            == {"win": stake + settlement.won_cents, "lose": 0, "void": stake}[settlement.outcome]
        )
        assert type(settlement.won_cents) is type(settlement.returned_cents) is int


@given(STAKES, st.integers(1, 999_999), st.integers(1, 999_999))
def test_pay_and_breakage_together_are_the_exact_odds(stake, win, per):
    paid = stake * win // per
    settlement = Settlement(Wager("w", "p", "big", "", stake), "win", Odds(win, per), paid, stake + paid)
    assert settlement.won_cents + settlement.breakage_cents == Fraction(stake * win, per)
    assert 0 <= settlement.breakage_cents < 1


def test_the_breakage_of_a_round_is_exact(broken_cents):
    """19/20 of 101 is 95.95, of 110 it is 104.50; a loser's stake breaks nothing."""
    wagers = [Wager(str(cents), "p", "big", "", cents) for cents in (101, 110, 100)]
    wagers.append(Wager("lost", "p", "small", "", 101))
    assert totals(settle_round(wagers, (4, 5, 6), broken_cents)).breakage_cents == Fraction(145, 100)
