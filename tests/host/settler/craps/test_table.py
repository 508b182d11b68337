"""The procedure of a craps table, clause by clause, and that whatever is tried, dice and money stay whole."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.craps import table as procedure
from host_tools.settler.craps import wagers as craps
from host_tools.settler.craps.table import ALL_DICE, OFFERED, REASONS, SHOOTER, STICK, TABLE, CrapsTable, called_roll
from host_tools.settler.settle import Wager, totals

PAYTABLE = craps.load()
PLAYERS = ("Aroha", "Ben", "Caro", "Dan")


IDS = count()


def bet(table, player, kind="pass", selection="", stake=1000):
    table.place(Wager(f"W{next(IDS)}", player, kind, selection, stake))


@pytest.fixture
def table():
    """Everybody but Dan holds a Pass or Don't Pass bet; Aroha shoots with dice 2 and 4."""
    table = CrapsTable(PAYTABLE, PLAYERS)
    bet(table, "Aroha")
    bet(table, "Ben", "dont_pass")
    bet(table, "Caro")
    table.accept("Aroha", (2, 4))
    return table


def refused(message, act, *arguments, **more):
    with pytest.raises(UserError, match=message):
        act(*arguments, **more)


@pytest.mark.clause("craps 5.7")
def test_a_roll_settles_what_it_decides_and_the_shooter_rolls_again(table):
    bet(table, "Dan", "field")
    rolled = table.roll((3, 6))
    assert (rolled.called, rolled.point) == ("point set", 9)
    assert [(s.wager.player, s.outcome, s.returned_cents) for s in rolled.settlements] == [("Dan", "win", 2000)]
    assert [(s.wager.player, s.area) for s in rolled.moved] == [
        *[("Aroha", ("pass", "9")), ("Ben", ("dont_pass", "9")), ("Caro", ("pass", "9"))]
    ]
    assert table.roll((1, 1)).settlements == []
    rolled = table.roll((4, 5))
    assert (rolled.called, rolled.point, table.shooter, table.where) == ("point made", None, "Aroha", SHOOTER)
    assert {(s.wager.player, s.outcome) for s in rolled.settlements} == {
        ("Aroha", "win"),
        ("Ben", "lose"),
        ("Caro", "win"),
    }


@pytest.mark.clause("craps 5.8")
def test_the_shooter_may_pass_the_dice_after_any_roll_or_stay_while_eligible(table):
    refused("Aroha has not rolled yet: the dice are passed after a roll", table.pass_dice)
    table.roll((3, 6))
    table.roll((1, 1))
    table.pass_dice()
    assert (table.where, table.shooter, table.point) == (OFFERED, None, 9)
    table.accept("Ben", (1, 5))
    table.roll((4, 5))
    refused("Ben has no Pass or Don't Pass bet: place one, or pass the dice", table.roll, (1, 2))
    bet(table, "Ben")
    assert table.roll((1, 2)).called == "craps"


@pytest.mark.clause("craps 5.8(a)")
def test_after_a_7_out_the_dice_are_passed(table):
    table.roll((3, 6))
    rolled = table.roll((3, 4))
    assert (rolled.called, rolled.point, table.where, table.shooter) == ("7 Out", None, OFFERED, None)
    refused("the dice are: offered", table.roll, (1, 1))
    bet(table, "Aroha")
    assert table.offered_to() is None


def test_a_7_on_the_come_out_is_no_7_out(table):
    assert table.roll((3, 4)).called == "natural"
    assert (table.where, table.shooter) == (SHOOTER, "Aroha")


@pytest.mark.clause("craps 5.8(b)")
@pytest.mark.parametrize("reason", REASONS)
def test_the_game_supervisor_may_have_the_dice_passed_for_a_reason(table, reason):
    refused(
        "'dislike' is no reason to take the dice: give one of delay, invalid_rolls, breach",
        table.require_pass,
        "dislike",
    )
    assert table.shooter == "Aroha"
    table.require_pass(reason)
    assert (table.where, table.shooter, table.offered_to()) == (OFFERED, None, "Ben")


@pytest.mark.clause("craps 5.9(a)")
def test_the_dice_are_offered_first_to_the_left_of_the_shooter(table):
    table.require_pass("delay")
    assert table.offered_to() == "Ben"
    refused("The dice are not offered to Caro but to Ben now", table.accept, "Caro", (1, 2))
    refused("The dice are not offered to Caro but to Ben now", table.decline, "Caro")


@pytest.mark.clause("craps 5.9(b)")
def test_then_they_go_clockwise_to_those_with_a_line_bet_and_not_back_to_who_gave_them_up(table):
    asked = []
    table.require_pass("delay")
    table.accept("Ben", (1, 2))
    table.require_pass("delay")
    while (player := table.offered_to()) is not None:
        asked.append(player)
        table.decline(player)
    # Left of Ben is Caro; Dan has no Pass or Don't Pass bet; Ben himself passed.
    assert asked == ["Caro", "Aroha"]


@pytest.mark.clause("craps 5.10")
def test_who_accepts_first_is_the_shooter_keeps_2_dice_and_the_others_go_to_the_bowl(table):
    table.require_pass("delay")
    assert table.in_bowl == ALL_DICE
    for keeps in [(1,), (1, 1), (1, 2, 3), (0, 1), (5, 6), ()]:
        refused("Ben keeps 2 different dice of the 5", table.accept, "Ben", keeps)
    table.accept("Ben", (3, 5))
    assert (table.shooter, table.in_hand, table.in_bowl) == ("Ben", {3, 5}, {1, 2, 4})


@pytest.mark.clause("craps 5.11")
def test_with_nobody_willing_the_stickperson_throws_to_a_decision(table):
    table.roll((3, 6))
    table.pass_dice()
    refused("The dice are offered to Ben: wait for an answer", table.stick_throws)
    table.decline("Ben")
    table.decline("Caro")
    assert table.offered_to() is None
    table.stick_throws()
    assert table.roll((1, 2)).called == "no decision"
    assert (table.where, table.shooter) == (STICK, None)
    assert table.roll((5, 4)).called == "point made"
    assert table.where == OFFERED
    refused("No wager is undetermined", table.stick_throws)


@pytest.mark.clause("craps 5.11")
def test_the_stickperson_throws_to_a_7_out_and_only_while_a_wager_is_undetermined(table):
    table.roll((3, 6))
    bet(table, "Dan", "place", "4")
    table.pass_dice()
    table.decline("Ben")
    table.decline("Caro")
    table.stick_throws()
    rolled = table.roll((3, 4))
    assert (rolled.called, table.where) == ("7 Out", OFFERED)
    refused("No wager is undetermined", table.stick_throws)


@pytest.mark.clause("craps 5.11")
def test_the_stickperson_throws_on_after_a_natural_that_determined_nothing():
    table = CrapsTable(PAYTABLE, PLAYERS)
    bet(table, "Dan", "place", "6")
    table.stick_throws()
    for dice, called in [((3, 4), "natural"), ((1, 1), "craps"), ((3, 3), "point set"), ((1, 2), "no decision")]:
        rolled = table.roll(dice)
        assert (rolled.called, rolled.settlements, table.where) == (called, [], STICK)
    rolled = table.roll((5, 1))
    assert ([s.outcome for s in rolled.settlements], table.where) == (["win"], OFFERED)


def test_the_stickperson_stops_when_the_last_wager_is_determined():
    table = CrapsTable(PAYTABLE, PLAYERS)
    bet(table, "Dan", "field")
    table.stick_throws()
    assert table.roll((3, 3)).called == "point set"
    assert table.where == OFFERED


def test_a_lone_player_gets_the_dice_back_after_the_stickperson_threw():
    table = CrapsTable(PAYTABLE, ["Aroha"])
    bet(table, "Aroha")
    table.accept("Aroha", (1, 2))
    table.roll((2, 2))
    table.roll((3, 4))
    bet(table, "Aroha")
    assert table.offered_to() is None
    table.stick_throws()
    table.roll((3, 4))
    bet(table, "Aroha")
    assert table.offered_to() == "Aroha"


@pytest.mark.clause("craps 6.1(a)")
def test_with_a_die_off_the_table_nothing_is_rolled_and_every_wager_stands(table):
    table.roll((3, 6))
    before = dict(table.bets.standing)
    refused("Dice \\[1\\] were not thrown: name some of \\[2, 4\\]", table.die_leaves, [1])
    refused("were not thrown", table.die_leaves, [])
    table.die_leaves([4])
    for act in (lambda: table.roll((1, 1)), table.pass_dice, table.invalid_roll, lambda: table.die_leaves([2])):
        refused("the dice are: shooter, die off the table", act)
    assert (table.bets.standing, table.point, table.in_hand, table.in_bowl) == (before, 9, {2}, {1, 3, 5})


@pytest.mark.clause("craps 6.1(b)")
def test_the_shooter_takes_a_new_die_or_asks_for_the_original(table):
    table.die_leaves([4])
    for chosen, found in [([4], []), ([2], [4]), ([1, 3], []), ([], [4]), ([6], []), ([1, 1], [])]:
        refused("Take 1 of dice", table.replace, chosen, found)
    table.replace([4], found=[4])
    assert (table.where, table.in_hand, table.in_bowl) == (SHOOTER, {2, 4}, {1, 3, 5})
    table.die_leaves([2, 4])
    table.replace([1, 4], found=[2, 4])
    assert (table.in_hand, table.in_bowl) == ({1, 4}, {2, 3, 5})
    table.die_leaves([1])
    table.replace([5], found=[])
    assert (table.in_hand, table.in_bowl, table.off_table) == ({4, 5}, {2, 3}, {1})
    refused("the dice are: shooter", table.replace, [1], found=[1])


def test_a_die_that_did_not_leave_the_table_is_not_found(table):
    table.die_leaves([2])
    refused("Dice \\[3, 4\\] did not leave the table: name some of \\[2\\]", table.replace, [1], found=[3, 4])
    refused("did not leave the table", table.found, [3])
    refused("No die is named", table.found, [])
    assert (table.in_hand, table.off_table) == ({4}, {2})


@pytest.mark.clause("craps 6.1(a)")
def test_a_die_that_was_not_found_is_kept_by_no_shooter_until_it_is(table):
    table.roll((3, 6))
    table.die_leaves([2])
    table.replace([1], found=[])
    table.roll((3, 4))
    bet(table, "Ben")
    refused("Dice \\[2\\] left the table and were not found: keep 2 of \\[1, 3, 4, 5\\]", table.accept, "Ben", (2, 3))
    table.found([2])
    assert table.off_table == frozenset()
    table.accept("Ben", (2, 3))


def test_the_stickperson_throws_with_dice_that_are_there(table):
    table.die_leaves([2])
    table.replace([1], found=[])
    table.require_pass("delay")
    for player in ("Ben", "Caro"):
        table.decline(player)
    table.stick_throws()
    assert (table.in_hand, table.off_table) == ({1, 3}, {2})
    for off, new in (([1, 3], [4, 5]), ([4, 5], [])):
        table.die_leaves(off)
        if new:
            table.replace(new, found=[])
    refused("Take 2 of dice \\[\\] for what left the table", table.replace, [4, 5], [])
    table.replace([4, 5], found=[4, 5])
    assert table.where == STICK


def test_a_come_out_7_leaves_place_wagers_standing_and_a_7_out_takes_them(table):
    bet(table, "Dan", "place", "4")
    assert table.roll((3, 4)).called == "natural"
    assert [standing.area for standing in table.bets.standing.values()] == [("place", "4")]
    bet(table, "Aroha")
    table.roll((3, 6))
    assert ("Dan", "lose") in [(s.wager.player, s.outcome) for s in table.roll((3, 4)).settlements]


def test_an_invalid_roll_leaves_every_wager_and_the_point(table):
    table.roll((3, 6))
    before = dict(table.bets.standing)
    table.invalid_roll()
    assert (table.bets.standing, table.point, table.shooter) == (before, 9, "Aroha")


@pytest.mark.parametrize("dice", [(0, 1), (1, 7), (1,), (1, 2, 3), (1.0, 2), ("1", "2")])
def test_what_is_not_two_dice_settles_nothing(table, dice):
    before = dict(table.bets.standing)
    with pytest.raises(ValueError, match="are not two dice"):
        table.roll(dice)
    assert table.bets.standing == before


def test_a_stranger_has_no_wager(table):
    refused("Eve is not at this table", bet, table, "Eve")


def test_every_roll_under_every_point_is_called_by_the_words():
    for total in range(2, 13):
        on_come_out = "natural" if total in (7, 11) else "craps" if total in (2, 3, 12) else "point set"
        assert called_roll(None, total) == (on_come_out, total if on_come_out == "point set" else None)
        for point in (4, 5, 6, 8, 9, 10):
            expected = {7: ("7 Out", None), point: ("point made", None)}.get(total, ("no decision", point))
            assert called_roll(point, total) == expected


def test_the_dice_go_only_where_the_table_says():
    """What each clause lets happen, written down again: all other pairs are refused."""
    shooter_off, stick_off = "shooter, die off the table", "stick, die off the table"
    allowed = {
        ("offered", "accept", "shooter"),
        ("offered", "decline", "offered"),
        ("offered", "nobody accepts", "stick"),
        ("shooter", "roll", "shooter"),
        ("shooter", "deciding roll", "shooter"),
        ("shooter", "7 Out", "offered"),
        ("shooter", "pass the dice", "offered"),
        ("shooter", "require to pass", "offered"),
        ("shooter", "invalid roll", "shooter"),
        ("shooter", "die leaves the table", shooter_off),
        ("stick", "roll", "stick"),
        ("stick", "deciding roll", "offered"),
        ("stick", "7 Out", "offered"),
        ("stick", "invalid roll", "stick"),
        ("stick", "die leaves the table", stick_off),
        (shooter_off, "die replaced", "shooter"),
        (stick_off, "die replaced", "stick"),
    }
    assert {(where, event, to) for where, events in TABLE.items() for event, to in events.items()} == allowed
    events = {event for _, event, _ in allowed}
    for where in TABLE:
        for event in events - set(TABLE[where]):
            table = CrapsTable(PAYTABLE, PLAYERS)
            table.where = where
            with pytest.raises(UserError, match="That cannot be now"):
                table._next(event)


DIE = st.integers(1, 6)
PLAYER = st.sampled_from(PLAYERS)
SOME = st.lists(st.integers(1, 5), max_size=3)
ACTS = st.one_of(
    st.tuples(st.just("roll"), st.tuples(DIE, DIE)),
    st.tuples(st.just("roll"), st.tuples(DIE, DIE)),
    st.tuples(st.just("bet"), PLAYER, st.sampled_from(sorted(craps.KINDS)), st.sampled_from(["", "4", "6", "9"])),
    st.tuples(st.just("bet"), PLAYER, st.sampled_from(["pass", "dont_pass"]), st.just("")),
    st.tuples(st.just("accept_offer"), st.sampled_from([(1, 2), (3, 5), (2, 2)])),
    st.tuples(st.just("decline_offer")),
    st.tuples(st.just("stick_throws")),
    st.tuples(st.just("pass_dice")),
    st.tuples(st.just("require_pass"), st.sampled_from(REASONS)),
    st.tuples(st.just("invalid_roll")),
    st.tuples(st.just("die_leaves"), SOME),
    st.tuples(st.just("replace"), SOME, SOME),
    st.tuples(st.just("found"), SOME),
)


def act(table, name, arguments):
    if name == "bet":
        bet(table, *arguments, stake=1001)
    elif name == "accept_offer":
        table.accept(table.offered_to(), *arguments)
    elif name == "decline_offer":
        table.decline(table.offered_to())
    else:
        return getattr(table, name)(*arguments)
    return None


@settings(deadline=None)
@given(st.lists(ACTS, max_size=60))
def test_whatever_is_tried_dice_and_money_stay_whole(acts):
    table = CrapsTable(PAYTABLE, PLAYERS)
    placed = 0
    settlements = []
    for name, *arguments in acts:
        before = dict(table.bets.standing), table.where, table.point, table.in_hand, table.off_table, table.shooter
        try:
            rolled = act(table, name, arguments)
        except UserError:
            after = dict(table.bets.standing), table.where, table.point, table.in_hand, table.off_table, table.shooter
            assert after == before
            continue
        placed += name == "bet"
        if name == "roll":
            settlements += rolled.settlements
        elif name != "bet":
            assert table.bets.standing == before[0]
        assert table.in_hand | table.in_bowl | table.off_table == ALL_DICE
        assert len(table.in_hand) + len(table.in_bowl) + len(table.off_table) == 5
        assert (table.shooter is None) == (table.where in (OFFERED, STICK, procedure.STICK_DIE_OFF))
        assert before[4] <= table.off_table or name in ("replace", "found")
        if table.where in (SHOOTER, STICK):
            assert len(table.in_hand) == 2
    sums = totals(settlements)
    assert sums.staked_cents + 1001 * len(table.bets.standing) == 1001 * placed
    assert sums.staked_cents + sums.paid_cents == sums.returned_cents + sums.kept_cents
