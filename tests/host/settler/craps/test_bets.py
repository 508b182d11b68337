"""Wagers that stand over several rolls: when they are placed, how they move, and what a run of rolls makes of them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.craps import wagers as craps
from host_tools.settler.craps.bets import Bets, Standing
from host_tools.settler.limits import Limit
from host_tools.settler.settle import Wager

PAYTABLE = craps.load()
NUMBERS = (4, 5, 6, 8, 9, 10)


def bets(**changes):
    return Bets(replace(PAYTABLE, **changes))


def wager(kind, selection="", stake=1000, player="Aroha", name=None):
    return Wager(name or f"{player} {kind} {selection}", player, kind, selection, stake)


def results(settlements):
    return [(settlement.wager.kind, settlement.outcome, settlement.returned_cents) for settlement in settlements]


def test_a_come_wager_moves_to_the_number_and_is_decided_there():
    table = bets()
    come = wager("come")
    table.place(come, 6)
    settled, moved = table.roll((4, 5), come_out=False)
    assert (settled, moved) == ([], [Standing(come, ("come", "9"))])
    assert table.roll((6, 6), come_out=False) == ([], [])
    settled, _ = table.roll((6, 3), come_out=False)
    assert results(settled) == [("come", "win", 2000)]
    assert table.standing == {}


def test_a_wager_is_refused_by_name_when_it_is_not_on_the_layout_or_has_no_odds():
    for bad, why in [
        (wager("big_six"), "there is no kind 'big_six': take one of pass, dont_pass, "),
        (wager("pass", "6"), "selection '6' does not fit, pass takes no selection"),
        (wager("place", "7"), "selection '7' does not fit, place takes 4, 5, 6, 8, 9, 10"),
        (wager("hardway", "5"), "selection '5' does not fit, hardway takes 4, 6, 8, 10"),
        (wager("field", stake=0), "it has no stake over 0"),
    ]:
        with pytest.raises(UserError) as caught:
            bets().place(bad, None)
        assert str(caught.value).startswith(f"Wager {bad.wager_id!r} is not taken: {why}".rstrip())
    without = bets(odds={line: odds for line, odds in PAYTABLE.odds.items() if line[0] != "any_seven"})
    with pytest.raises(UserError, match="paytable craps does not cover any_seven"):
        without.place(wager("any_seven"), None)


@pytest.mark.parametrize("kind", ["pass", "dont_pass"])
def test_line_wagers_are_placed_before_a_come_out_roll_only(kind):
    bets().place(wager(kind), None)
    with pytest.raises(UserError, match="placed before a come-out roll, and the point is 6"):
        bets().place(wager(kind), 6)


@pytest.mark.parametrize("kind", ["come", "dont_come"])
def test_come_wagers_are_placed_under_a_point_only(kind):
    bets().place(wager(kind), 6)
    with pytest.raises(UserError, match="placed once there is a point, and there is none"):
        bets().place(wager(kind), None)


@pytest.mark.parametrize(
    ("flat", "odds"),
    [("pass", "pass_odds"), ("dont_pass", "dont_pass_odds"), ("come", "come_odds"), ("dont_come", "dont_come_odds")],
)
def test_odds_stand_behind_a_wager_of_the_same_player_on_the_same_number(flat, odds):
    table = bets()
    table.place(wager(flat), 8 if "come" in flat else None)
    with pytest.raises(UserError, match=f"Aroha has no {flat} on 6 that odds could stand behind"):
        table.place(wager(odds, "6"), 6)
    table.roll((2, 4), come_out=False)
    with pytest.raises(UserError, match=f"Ben has no {flat} on 6"):
        table.place(wager(odds, "6", player="Ben"), 6)
    with pytest.raises(UserError, match=f"Aroha has no {flat} on 8"):
        table.place(wager(odds, "8"), 6)
    table.place(wager(odds, "6"), 6)
    assert len(table.standing) == 2


def test_a_wager_id_is_taken_once_for_good():
    table = bets()
    table.place(wager("field", name="W1"), None)
    table.roll((3, 4), come_out=True)
    with pytest.raises(UserError, match="Wager 'W1' is not taken: its wager_id is already taken"):
        table.place(wager("field", name="W1"), None)


def test_limits_are_asked_when_a_wager_is_placed_and_never_again():
    table = bets(limits={"place": Limit(500, 1000, 500)})
    for stake, why in [(499, "under the table's minimum"), (1500, "over the table's maximum"), (700, "not a multiple")]:
        with pytest.raises(UserError, match=why):
            table.place(wager("place", "6", stake), None)
    table.place(wager("place", "6", 1000), None)
    table.place(wager("field", stake=1), None)
    assert len(table.standing) == 2


def test_on_a_come_out_roll_place_stands_and_come_odds_go_back_with_their_wager_decided():
    def prepared():
        table = bets()
        table.place(wager("come"), 6)
        table.roll((4, 4), come_out=False)
        table.place(wager("come_odds", "8"), 6)
        table.place(wager("place", "8"), 6)
        return table

    settled, _ = prepared().roll((4, 4), come_out=True)
    assert results(settled) == [("come", "win", 2000), ("come_odds", "tie", 1000)]
    table = prepared()
    settled, _ = table.roll((3, 4), come_out=True)
    assert results(settled) == [("come", "lose", 0), ("come_odds", "tie", 1000)]
    assert [standing.area for standing in table.standing.values()] == [("place", "8")]
    settled, _ = prepared().roll((4, 4), come_out=False)
    assert results(settled) == [("come", "win", 2000), ("come_odds", "win", 2200), ("place", "win", 2166)]
    settled, _ = prepared().roll((3, 4), come_out=False)
    assert results(settled) == [("come", "lose", 0), ("come_odds", "lose", 0), ("place", "lose", 0)]


def by_scanning(kind, rolls):
    """(index of the deciding roll, outcome) of a flat wager placed before rolls[0]; None when they do not decide it."""
    first = sum(rolls[0])
    right = kind in ("pass", "come")
    if first in (7, 11):
        return 0, "win" if right else "lose"
    if first == 12 and not right:
        return 0, "tie"
    if first in (2, 3, 12):
        return 0, "lose" if right else "win"
    for index, roll in enumerate(rolls[1:], 1):
        if sum(roll) in (first, 7):
            return index, "win" if (sum(roll) == first) == right else "lose"
    return None


DIE = st.integers(1, 6)
ROLLS = st.lists(st.tuples(DIE, DIE), min_size=1, max_size=25)


@settings(deadline=None)
@given(ROLLS, st.sampled_from(["pass", "dont_pass", "come", "dont_come"]), st.integers(1, 10**6))
def test_a_run_of_rolls_decides_a_flat_wager_as_reading_it_through_does(rolls, kind, stake):
    table = bets()
    table.place(wager(kind, stake=stake), 6 if "come" in kind else None)
    expected = by_scanning(kind, rolls)
    for index, roll in enumerate(rolls):
        settled, _ = table.roll(roll, come_out=False)
        if expected is None or index < expected[0]:
            assert settled == []
            continue
        outcome = expected[1]
        back = {"win": 2 * stake, "tie": stake, "lose": 0}[outcome]
        assert results(settled) == [(kind, outcome, back)]
        assert table.standing == {}
        return
    assert len(table.standing) == 1
