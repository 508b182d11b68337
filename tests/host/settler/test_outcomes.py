"""Every outcome against every selection of every paytable, compared with a plain reading of the rules."""

from fractions import Fraction

import pytest

from host_tools.errors import UserError
from host_tools.settler.paytable import bundled_names, load
from host_tools.settler.settle import Wager, settle_round
from host_tools.settler.taisai import AREAS, KINDS, canonical_selection, multiplicity, parse_dice
from tests.host.settler.plain_reading import (
    ALL_DIFFERENT,
    DOUBLE_AND_OTHER,
    FOURS,
    ODDS,
    PAIRS,
    SELECTIONS,
    THROWS,
    times,
    to_one,
)


def test_the_kinds_and_their_selections_are_those_of_the_rules():
    assert {kind: sorted(KINDS[kind].selections) for kind in KINDS} == {
        kind: sorted(selections) for kind, selections in SELECTIONS.items()
    }
    assert (len(DOUBLE_AND_OTHER), len(ALL_DIFFERENT), len(AREAS)) == (30, 20, 106)


def test_every_area_wins_exactly_with_the_throws_that_the_rules_name():
    wrong = [(a, t) for a in AREAS for t in THROWS if multiplicity(a, t) != times(*a, t)]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(ODDS))
def test_every_throw_settles_every_wager_as_the_plain_reading_does(name):
    stake = 1000
    table = load(name)
    areas = [(k, s) for k in SELECTIONS for s in SELECTIONS[k] if to_one(name, k, s, 1) is not None]
    wagers = [Wager(f"w{number}", "p", *area, stake) for number, area in enumerate(areas)]
    for throw in THROWS:
        for settlement, area in zip(settle_round(wagers, throw, table), areas, strict=True):
            count = times(*area, throw)
            pay = to_one(name, *area, count)
            expected = ("win", (pay, 1), stake * pay, stake * pay + stake) if count else ("lose", None, 0, 0)
            assert settlement[1:] == expected, (area, throw)


@pytest.mark.parametrize("name", sorted(ODDS))
def test_the_areas_that_light_are_all_that_the_paytable_offers_and_that_win(name):
    table = load(name)
    for throw in THROWS:
        expected = {
            (kind, selection)
            for kind in SELECTIONS
            for selection in SELECTIONS[kind]
            if times(kind, selection, throw) and to_one(name, kind, selection, 1) is not None
        }
        assert set(table.winning_areas(throw)) == expected, throw


@pytest.mark.parametrize("name", sorted(ODDS))
def test_a_wager_whose_odds_were_not_seen_is_not_settled_at_all(name):
    table = load(name)
    unseen = [(k, s) for k in SELECTIONS for s in SELECTIONS[k] if to_one(name, k, s, 1) is None]
    assert unseen
    for kind, selection in unseen:
        with pytest.raises(UserError, match=f"on {kind} .* is not covered by paytable {name}"):
            settle_round([Wager("w", "p", kind, selection, 100)], (1, 2, 3), table)


def test_every_bundled_paytable_is_checked_here():
    assert sorted(bundled_names()) == sorted(ODDS)


def test_a_triple_lights_triple_any_triple_double_total_and_face_only():
    assert list(load("hoiana").winning_areas((5, 5, 5)).items()) == [
        (("triple", "5"), (150, 1)),
        (("double", "5"), (8, 1)),
        (("any_triple", ""), (24, 1)),
        (("total", "15"), (14, 1)),
        (("face", "5"), (3, 1)),
    ]
    # Totals 3 and 18 are not on the layout.
    assert ("total", "3") not in load("hoiana").winning_areas((1, 1, 1))
    assert [kind for kind, _ in load("hoiana").winning_areas((6, 6, 6))] == ["triple", "double", "any_triple", "face"]


@pytest.mark.parametrize(
    ("kind", "selections", "ways"),
    [
        ("small", [""], 105),
        ("big", [""], 105),
        ("odd", [""], 105),
        ("even", [""], 105),
        ("total", ["4", "17"], 3),
        ("total", ["5", "16"], 6),
        ("total", ["6", "15"], 10),
        ("total", ["7", "14"], 15),
        ("total", ["8", "13"], 21),
        ("total", ["9", "12"], 25),
        ("total", ["10", "11"], 27),
        ("combination", PAIRS, 30),
        ("double", list("123456"), 16),
        ("triple", list("123456"), 1),
        ("any_triple", [""], 6),
        ("three_dice", DOUBLE_AND_OTHER, 3),
        ("three_dice", ALL_DIFFERENT, 6),
        ("four_numbers", list(FOURS), 24),
    ],
)
def test_ways_of_216(kind, selections, ways):
    assert {sum(multiplicity((kind, s), throw) for throw in THROWS) for s in selections} == {ways}


def test_a_face_shows_on_one_two_and_three_dice_in_75_15_and_1_ways():
    counts = [multiplicity(("face", "4"), throw) for throw in THROWS]
    assert [counts.count(n) for n in (1, 2, 3)] == [75, 15, 1]


@pytest.mark.parametrize(
    ("name", "kind", "selections", "edge_percent"),
    [
        ("hoiana", "small", [""], "2.78"),
        ("hoiana", "big", [""], "2.78"),
        ("hoiana", "face", list("123456"), "7.87"),
        ("hoiana", "combination", PAIRS, "16.67"),
        ("hoiana", "any_triple", [""], "30.56"),
        ("hoiana", "double", list("123456"), "33.33"),
        ("hoiana", "triple", list("123456"), "30.09"),
        ("hoiana", "total", ["4", "17"], "29.17"),
        ("hoiana", "total", ["5", "16"], "47.22"),
        ("hoiana", "total", ["6", "15"], "30.56"),
        ("hoiana", "total", ["7", "14"], "9.72"),
        ("hoiana", "total", ["8", "13"], "12.50"),
        ("hoiana", "total", ["9", "12"], "18.98"),
        ("hoiana", "total", ["10", "11"], "12.50"),
        ("macau", "total", ["5", "16"], "47.22"),
        ("atlantic_city", "double", list("123456"), "18.52"),
        ("atlantic_city", "triple", list("123456"), "16.20"),
        ("atlantic_city", "any_triple", [""], "13.89"),
        ("atlantic_city", "total", ["4", "17"], "15.28"),
        ("atlantic_city", "face", list("123456"), "7.87"),
        ("australia", "double", list("123456"), "11.11"),
        ("australia", "total", ["4", "17"], "12.50"),
        ("korea_daegu", "odd", [""], "2.78"),
        ("korea_daegu", "even", [""], "2.78"),
        ("korea_daegu", "four_numbers", list(FOURS), "11.11"),
        ("nz_2001_additions", "three_dice", DOUBLE_AND_OTHER, "15.28"),
        ("nz_2001_additions", "three_dice", ALL_DIFFERENT, "13.89"),
        ("nz_2001_additions", "four_numbers", ["6-5-4-3", "6-5-3-2"], "11.11"),
    ],
)
def test_house_edge(name, kind, selections, edge_percent):
    table = load(name)
    assert {f"{float(100 * table.house_edge((kind, s))):.2f}" for s in selections} == {edge_percent}


def test_house_edge_is_exact():
    assert load("hoiana").house_edge(("small", "")) == Fraction(1, 36)
    assert load("hoiana").house_edge(("face", "2")) == Fraction(17, 216)


@pytest.mark.parametrize(
    ("kind", "typed", "expected"),
    [
        ("combination", "6-1", "1-6"),
        ("three_dice", "6-1-3", "1-3-6"),
        ("three_dice", "4-3-3", "3-3-4"),
        ("three_dice", "6-6-1", "1-6-6"),
        ("four_numbers", "3-4-5-6", "6-5-4-3"),
        ("four_numbers", "6-3-2-5", "6-5-3-2"),
        ("total", " 10 ", "10"),
        ("small", "", ""),
    ],
)
def test_a_selection_is_taken_in_any_order(kind, typed, expected):
    assert canonical_selection(kind, typed) == expected


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        *[("small", "1"), ("any_triple", "5"), ("odd", "-"), ("triple", ""), ("triple", "0"), ("double", "7")],
        *[("total", "3"), ("total", "18"), ("total", "04"), ("total", "+5"), ("total", "4-5"), ("face", "1.0")],
        *[("combination", "1-1"), ("combination", "1-7"), ("combination", "1"), ("combination", "1 2")],
        *[("combination", "1-2-3"), ("three_dice", "5-5-5"), ("three_dice", "1-2"), ("four_numbers", "6-5-4-2")],
        *[("four_numbers", "6543"), ("face", "\u0665"), ("face", "\uff15"), ("combination", "1\u20132")],
    ],
)
def test_a_selection_that_the_layout_does_not_have_is_refused(kind, typed):
    with pytest.raises(UserError, match=f"does not fit: {kind} takes "):
        canonical_selection(kind, typed)


def test_dice_are_read_as_typed():
    assert parse_dice("6,1,3") == (6, 1, 3)
    assert parse_dice(" 1, 3 ,6") == (1, 3, 6)


@pytest.mark.parametrize(
    "typed", ["", "1,3", "1,3,6,6", "1,3,7", "0,1,2", "136", "1,3,x", "1,,3", "\u0661,2,3", "1,3,6\n7"]
)
def test_what_is_not_a_result_is_refused(typed):
    with pytest.raises(UserError, match="is not a result: give three numbers from 1 to 6, like 1,3,6"):
        parse_dice(typed)
