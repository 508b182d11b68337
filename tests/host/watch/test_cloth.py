"""The layout in characters: every area is there with its odds, and exactly those that win are marked."""

import re

import pytest
from rich.console import Console, Group

from host_tools.settler import paytable as paytables
from host_tools.view.layout import area_id, areas
from host_tools.watch.cloth import cloth
from host_tools.watch.words import LANGUAGES
from tests.host.view.browser.test_lit import RESULTS, wins

PAYTABLES = ("hoiana", "korea_daegu")
SHOWN_AS = {"small": "Small (4 to 10)", "big": "Big (11 to 17)", "any_triple": "Any triple", "odd": "Odd",
            "even": "Even"}  # fmt: skip


def drawn(paytable, lit, width=400):
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(Group(*cloth(areas(paytable), lit, LANGUAGES["en"])))
    return captured.get()


def shown_as(area):
    """The text of an area before its odds: dice for all but totals and named ones."""
    kind, _, selection = area.partition("-")
    times = {"double": 2, "triple": 3}.get(kind, 1)
    return SHOWN_AS.get(kind) or "-".join([selection] * times)


@pytest.mark.parametrize("name", PAYTABLES)
def test_exactly_the_areas_that_win_are_marked_for_all_56_results(name):
    paytable = paytables.load(name)
    there = {area.id for area in areas(paytable)}
    for dice in RESULTS:
        expected = there.intersection(wins(dice))
        lit = {area_id(area): (odds.win, odds.stake) for area, odds in paytable.winning_areas(dice).items()}
        marked = re.findall(r">([^<>]*?)(?:: [^<>]*)?<", drawn(paytable, lit))
        assert sorted(text.strip() for text in marked) == sorted(map(shown_as, expected)), dice


def test_every_area_is_there_with_its_odds():
    text = drawn(paytables.load("hoiana"), {})
    for part in (
        " Small (4 to 10): 1 to 1 ", " Any triple: 24 to 1 ", " Big (11 to 17): 1 to 1 ", "Doubles 8 to 1:  1-1 ",
        "Triples 150 to 1:  1-1-1 ", " 4: 50 to 1 ", " 17: 50 to 1 ", " 11: 6 to 1 ", "Pairs 5 to 1:  1-2 ", " 5-6 ",
        "Numbers 1 die 1 to 1, 2 dice 2 to 1, 3 dice 3 to 1:  1 ",
    ):  # fmt: skip
        assert part in text
    assert "Odd" not in text


@pytest.mark.parametrize("name", PAYTABLES)
def test_nothing_moves_when_areas_are_lit(name):
    paytable = paytables.load(name)
    lit = {area.id: (1, 1) for area in areas(paytable)}
    assert re.sub("[<>]", " ", drawn(paytable, lit, 78)) == drawn(paytable, {}, 78)
