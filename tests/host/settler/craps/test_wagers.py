"""What every roll does to every wager of craps, by a plain reading that shares no code with it; edges and breakage."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.craps import wagers as craps
from host_tools.settler.craps.wagers import BUNDLED, parse_roll
from host_tools.settler.game import house_edge
from host_tools.settler.settle import Wager, settle_verdict, totals

PAYTABLE = craps.load()
ROLLS = list(product((1, 2, 3, 4, 5, 6), repeat=2))
POINTS = {4: 3, 5: 4, 6: 5, 8: 5, 9: 4, 10: 3}
"""In how many of 36 rolls each number comes."""
TRUE_ODDS = {4: (2, 1), 5: (3, 2), 6: (6, 5), 8: (6, 5), 9: (3, 2), 10: (2, 1)}
PLACE_ODDS = {4: (9, 5), 5: (7, 5), 6: (7, 6), 8: (7, 6), 9: (7, 5), 10: (9, 5)}


def expected(kind, number, roll):
    """(result, odds, number to which it moves) by the words of the game; `number` 0 is none yet."""
    one, two = roll
    total = one + two
    win, lose, stands = ("win", (1, 1), 0), ("lose", None, 0), ("stands", None, 0)
    if kind in ("pass", "come") and not number:
        return win if total in (7, 11) else lose if total in (2, 3, 12) else ("stands", None, total)
    if kind in ("dont_pass", "dont_come") and not number:
        if total == 12:
            return ("tie", None, 0)
        return win if total in (2, 3) else lose if total in (7, 11) else ("stands", None, total)
    if kind in ("pass", "come"):
        return win if total == number else lose if total == 7 else stands
    if kind in ("dont_pass", "dont_come"):
        return lose if total == number else win if total == 7 else stands
    if kind in ("pass_odds", "come_odds", "place"):
        odds = PLACE_ODDS[number] if kind == "place" else TRUE_ODDS[number]
        return ("win", odds, 0) if total == number else lose if total == 7 else stands
    if kind in ("dont_pass_odds", "dont_come_odds"):
        return ("win", TRUE_ODDS[number][::-1], 0) if total == 7 else lose if total == number else stands
    if kind == "field":
        pays = {2: 2, 3: 1, 4: 1, 9: 1, 10: 1, 11: 1, 12: 2}
        return ("win", (pays[total], 1), 0) if total in pays else lose
    if kind == "any_seven":
        return ("win", (4, 1), 0) if total == 7 else lose
    if kind == "any_craps":
        return ("win", (7, 1), 0) if total in (2, 3, 12) else lose
    assert kind == "hardway"
    if total == 7 or (total == number and one != two):
        return lose
    return ("win", (7 if number in (4, 10) else 9, 1), 0) if total == number else stands


NUMBERED = ("pass_odds", "dont_pass_odds", "come_odds", "dont_come_odds", "place")
AREAS = [
    *[(kind, number) for kind in ("pass", "dont_pass", "come", "dont_come") for number in (0, *POINTS)],
    *[(kind, number) for kind in NUMBERED for number in POINTS],
    *[(kind, 0) for kind in ("field", "any_seven", "any_craps")],
    *[("hardway", number) for number in (4, 6, 8, 10)],
]


def area(kind, number):
    return kind, str(number) if number else ""


def test_the_areas_are_those_of_the_game():
    assert sorted(PAYTABLE.areas) == sorted(area(*entry) for entry in AREAS)
    flats = ("pass", "dont_pass", "come", "dont_come")
    assert sorted(PAYTABLE.placeable) == sorted(
        area(*entry) for entry in AREAS if entry[0] not in flats or not entry[1]
    )


@pytest.mark.parametrize(("kind", "number"), AREAS)
def test_every_roll_does_to_a_wager_what_the_plain_reading_says(kind, number):
    for roll in ROLLS:
        result, odds, moves = expected(kind, number, roll)
        assert PAYTABLE.verdict(area(kind, number), roll) == (result, odds, area(kind, moves) if moves else None), roll


def test_an_area_that_is_not_there_has_no_verdict():
    for unknown in (("pass", "7"), ("big_six", ""), ("place", ""), ("field", "4")):
        with pytest.raises(KeyError):
            PAYTABLE.verdict(unknown, (1, 2))


def chance_of_number_before_seven(number):
    return Fraction(POINTS[number], POINTS[number] + 6)


def test_house_edges_are_exact():
    """By hand: 8 of 36 rolls win Pass at once, the points win as often as they come before a 7."""
    pass_wins = Fraction(8, 36) + sum(
        Fraction(ways, 36) * chance_of_number_before_seven(n) for n, ways in POINTS.items()
    )
    assert pass_wins == Fraction(244, 495)
    assert house_edge(PAYTABLE, ("pass", "")) == house_edge(PAYTABLE, ("come", "")) == 1 - 2 * pass_wins
    # Don't Pass: as Pass the other way round, but 12 (1 of 36) gives the stake back instead of winning.
    dont = (1 - pass_wins - Fraction(1, 36)) - pass_wins
    assert (
        house_edge(PAYTABLE, ("dont_pass", "")) == house_edge(PAYTABLE, ("dont_come", "")) == -dont == Fraction(3, 220)
    )
    for number in POINTS:
        win = chance_of_number_before_seven(number)
        for kind in ("pass_odds", "dont_pass_odds", "come_odds", "dont_come_odds"):
            assert house_edge(PAYTABLE, (kind, str(number))) == 0
        assert house_edge(PAYTABLE, ("place", str(number))) == 1 - win - win * Fraction(*PLACE_ODDS[number])
    assert house_edge(PAYTABLE, ("field", "")) == Fraction(20 - 14 - 2 * 2, 36)
    assert house_edge(PAYTABLE, ("any_seven", "")) == Fraction(30 - 6 * 4, 36)
    assert house_edge(PAYTABLE, ("any_craps", "")) == Fraction(32 - 4 * 7, 36)
    # A hard 4 comes in 1 roll of 36, 2 easy ones and 6 sevens lose; a hard 6 in 1, and 4 and 6 lose.
    assert house_edge(PAYTABLE, ("hardway", "4")) == house_edge(PAYTABLE, ("hardway", "10")) == Fraction(8 - 7, 9)
    assert house_edge(PAYTABLE, ("hardway", "6")) == house_edge(PAYTABLE, ("hardway", "8")) == Fraction(10 - 9, 11)


@pytest.mark.parametrize(
    ("number", "stake", "won", "breakage"),
    [
        ("4", 100, 180, Fraction(0)),
        ("4", 1, 1, Fraction(4, 5)),
        ("5", 1001, 1401, Fraction(2, 5)),
        ("6", 100, 116, Fraction(2, 3)),
        ("8", 600, 700, Fraction(0)),
        ("10", 999, 1798, Fraction(1, 5)),
    ],
)
def test_pay_is_rounded_down_to_a_cent_and_the_breakage_is_exact(number, stake, won, breakage):
    dice = {"4": (1, 3), "5": (1, 4), "6": (2, 4), "8": (4, 4), "10": (5, 5)}[number]
    settlement = settle_verdict(Wager("w", "p", "place", number, stake), PAYTABLE.verdict(("place", number), dice))
    assert (settlement.won_cents, settlement.breakage_cents) == (won, breakage)
    assert settlement.returned_cents == stake + won


@settings(deadline=None)
@given(st.sampled_from(PAYTABLE.areas), st.sampled_from(ROLLS), st.integers(1, 10**9))
def test_no_cent_appears_or_vanishes(where, roll, stake):
    verdict = PAYTABLE.verdict(where, roll)
    wager = Wager("w", "p", *where, stake)
    if verdict.result == "stands":
        with pytest.raises(ValueError, match="is not decided"):
            settle_verdict(wager, verdict)
        return
    sums = totals([settle_verdict(wager, verdict)])
    assert sums.staked_cents + sums.paid_cents == sums.returned_cents + sums.kept_cents
    if verdict.odds:
        exact = Fraction(stake * verdict.odds.win, verdict.odds.stake)
        assert sums.paid_cents + sums.breakage_cents == exact
        assert type(sums.paid_cents) is int


@pytest.mark.parametrize("roll", ROLLS)
def test_what_does_not_work_stands_but_odds_go_back_when_their_wager_is_decided(roll):
    decided = sum(roll) in (6, 7)
    assert PAYTABLE.verdict_off(("come_odds", "6"), roll).result == ("tie" if decided else "stands")
    assert PAYTABLE.verdict_off(("place", "6"), roll).result == "stands"
    assert PAYTABLE.verdict_off(("hardway", "6"), roll).result == "stands"


@pytest.mark.parametrize(("text", "roll"), [("3,4", (3, 4)), (" 6 , 1 ", (6, 1))])
def test_a_roll_is_read_as_typed(text, roll):
    assert parse_roll(text) == roll


@pytest.mark.parametrize("text", ["", "3", "3,4,5", "0,1", "7,1", "34", "3;4", "\u0663,4", "3,4\n5"])
def test_what_is_no_roll_is_refused(text):
    with pytest.raises(UserError, match="is not a roll: give two numbers from 1 to 6, like 3,4"):
        parse_roll(text)


def test_the_bundled_paytable_is_marked_as_general_practice():
    assert (PAYTABLE.status, PAYTABLE.partial) == ("general_practice", False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('other = "1:1"\n', "", "key odds.field.other is missing: a field wager may meet each of its lines"),
        ('any_seven = "4:1"\n', "", "key odds.any_seven is missing: give its odds, or set partial = true"),
        ('any_seven = "4:1"', 'any_seven = "5 for 1"', "key odds.any_seven has bad odds"),
        ('["place", "come_odds"]', '["plaice"]', "key off_on_come_out is missing or is not a list of these: place, "),
        ('["place", "come_odds"]', '["pass"]', "key off_on_come_out is missing or is not a list of these: place, "),
        ("[odds.lay]", "[odds.laye]", "key odds.'laye' is unknown"),
    ],
)
def test_a_bad_paytable_is_refused_by_file_line_and_key(tmp_path, old, new, message):
    text = BUNDLED.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "own.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        craps.load(path)
    assert str(caught.value).startswith(f"Paytable {path}, line ")
    assert message in str(caught.value)
