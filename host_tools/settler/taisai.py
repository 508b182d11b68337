"""The wagers of Tai-Sai: which kinds there are, how a selection is written, and when a wager wins.

Sources: New Zealand Gazette 29 January 1999 No 9 p 242-243 (rule 4.1 (a)-(h)) and 27 September 2001 No 132 p 3390
(rule 4.1 (i)-(l)). Odds are no part of this: they stand in the paytables.
"""

import re
from collections.abc import Callable
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

from host_tools.errors import UserError
from host_tools.settler.game import Area

Dice = tuple[int, int, int]
"""Three values 1..6, in the order in which they were pressed."""

FACES = "123456"
OUTCOMES: tuple[Dice, ...] = tuple((a, b, c) for a, b, c in product(range(1, 7), repeat=3))
"""All 216 equally likely outcomes."""


class Kind(NamedTuple):
    """One kind of wager.

    Fields: label, a format for the name of one of its areas; selections, every canonical selection in layout order;
    takes, what a selection must be, in words; count, (selection, dice) -> 0 for a loss, else how many times it pays
    (over 1 only for `face`, where it is the number of dice that show the number).
    """

    label: str
    selections: tuple[str, ...]
    takes: str
    count: Callable[[str, Dice], int]


def _numbers(selection: str) -> list[int]:
    return [int(part) for part in selection.split("-")]


def _is_triple(dice: Dice) -> bool:
    return len(set(dice)) == 1


def _total_among(totals: range) -> Callable[[str, Dice], int]:
    """Small, big, odd and even: a total of the range that no triple makes."""
    return lambda _, dice: int(sum(dice) in totals and not _is_triple(dice))


def _triple(selection: str, dice: Dice) -> int:
    return int(dice.count(int(selection)) == 3)


def _double(selection: str, dice: Dice) -> int:
    """Rule 4.1 of 1999: a double wins once only on the triple of its number."""
    return int(dice.count(int(selection)) >= 2)


def _combination(selection: str, dice: Dice) -> int:
    """A number that shows twice does not make the pair pay twice."""
    return int(set(_numbers(selection)) <= set(dice))


def _four_numbers(selection: str, dice: Dice) -> int:
    return int(len(set(dice)) == 3 and set(dice) <= set(_numbers(selection)))


_DOUBLE_AND_OTHER = [numbers for numbers in combinations_with_replacement(FACES, 3) if len(set(numbers)) == 2]
_ALL_DIFFERENT = list(combinations(FACES, 3))
_NO_SELECTION = ("",)
_NONE_TAKEN = "no selection: leave it empty"
_ONE_NUMBER = "one number from 1 to 6"

KINDS: dict[str, Kind] = {
    "small": Kind("Small", _NO_SELECTION, _NONE_TAKEN, _total_among(range(4, 11))),
    "big": Kind("Big", _NO_SELECTION, _NONE_TAKEN, _total_among(range(11, 18))),
    "odd": Kind("Odd", _NO_SELECTION, _NONE_TAKEN, _total_among(range(5, 18, 2))),
    "even": Kind("Even", _NO_SELECTION, _NONE_TAKEN, _total_among(range(4, 17, 2))),
    "triple": Kind("Triple {}", tuple(FACES), _ONE_NUMBER, _triple),
    "double": Kind("Double {}", tuple(FACES), _ONE_NUMBER, _double),
    "any_triple": Kind("Any Triple", _NO_SELECTION, _NONE_TAKEN, lambda _, dice: int(_is_triple(dice))),
    # Rule 4.1 (f) does not except triples: 2-2-2 wins Total 6. Totals 3 and 18 are not offered.
    "total": Kind(
        "Total {}",
        tuple(str(total) for total in range(4, 18)),
        "a total from 4 to 17",
        lambda selection, dice: int(sum(dice) == int(selection)),
    ),
    "combination": Kind(
        "Pair {}",
        tuple("-".join(pair) for pair in combinations(FACES, 2)),
        "two different numbers, like 1-2",
        _combination,
    ),
    "face": Kind("Face {}", tuple(FACES), _ONE_NUMBER, lambda selection, dice: dice.count(int(selection))),
    "three_dice": Kind(
        "Three Dice {}",
        tuple("-".join(numbers) for numbers in _DOUBLE_AND_OTHER + _ALL_DIFFERENT),
        "three numbers that are not all the same, like 1-3-6 or 3-3-4",
        lambda selection, dice: int(sorted(dice) == _numbers(selection)),
    ),
    "four_numbers": Kind(
        "Four Numbers {}",
        ("6-5-4-3", "6-5-3-2", "5-4-3-2", "4-3-2-1"),
        "one of 6-5-4-3, 6-5-3-2, 5-4-3-2 and 4-3-2-1",
        _four_numbers,
    ),
}

AREAS: tuple[Area, ...] = tuple((kind, selection) for kind in KINDS for selection in KINDS[kind].selections)
"""Every area that a layout may have, in layout order."""


def multiplicity(area: Area, dice: Dice) -> int:
    """How many times a wager on `area` pays: 0 when it loses, 1 when it wins; for `face` the number of dice, 1 to 3.

    `area` must be one of AREAS (KeyError for an unknown kind) and `dice` three values 1..6.
    """
    kind, selection = area
    return KINDS[kind].count(selection, dice)


def canonical_selection(kind: str, text: str) -> str:
    """The canonical form of a selection: numbers rising (`1-3-6`), for `four_numbers` falling as on the layout.

    Takes the numbers in any order, joined by hyphens. Raises UserError for anything that the kind does not offer;
    KeyError for an unknown kind.
    """
    selection = "-".join(sorted(text.strip().split("-"), reverse=kind == "four_numbers"))
    if selection not in KINDS[kind].selections:
        raise UserError(f"selection {text[:40]!r} does not fit: {kind} takes {KINDS[kind].takes}")
    return selection


def label(area: Area) -> str:
    """The name of an area for people, e.g. `Small`, `Double 3`, `Pair 1-6`."""
    kind, selection = area
    return KINDS[kind].label.format(selection)


def parse_dice(text: str) -> Dice:
    """The dice as typed on a command line, `1,3,6`, order kept. Raises UserError unless they are three values 1..6."""
    if not re.fullmatch(r"\s*[1-6]\s*,\s*[1-6]\s*,\s*[1-6]\s*", text):
        raise UserError(f"--dice {text[:40]!r} is not a result: give three numbers from 1 to 6, like 1,3,6.")
    first, second, third = (int(part) for part in text.split(","))
    return first, second, third


def check_dice(dice: Dice) -> None:
    """Raises ValueError unless `dice` are three whole values 1..6; an internal caller is at fault, not a person."""
    if len(dice) != 3 or any(type(value) is not int or not 1 <= value <= 6 for value in dice):
        raise ValueError(f"{dice!r} are not three dice")
