"""The wagers of craps: which kinds there are, what each roll does to a wager, and what it pays.

Section 4 of New Zealand's rules (Gazette 1998 No 19) was not seen; kinds and procedure of the wagers are general
practice, and so is the bundled paytable. It is a TOML file (paytable_file.py) with the head, `game = "craps"`,
`partial`, `not_covered`, `off_on_come_out` and the odds of LINES.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

from host_tools.errors import UserError
from host_tools.settler.amounts import shown
from host_tools.settler.game import LOSE, LOST, STANDS, STAYS, TIE, TIED, WIN, Area, Odds, Verdict
from host_tools.settler.paytable_file import HEAD_KEYS, AnyPaytable, Line, PaytableFile, content_hash

Dice = tuple[int, int]
"""Two values 1..6."""

GAME = "craps"
BUNDLED = Path(__file__).parent / "craps.toml"

OUTCOMES: tuple[Dice, ...] = tuple((first, second) for first, second in product(range(1, 7), repeat=2))
"""All 36 equally likely rolls."""
NUMBERS = ("4", "5", "6", "8", "9", "10")
"""What can become the point."""
HARD_NUMBERS = ("4", "6", "8", "10")
FIELD = (2, 3, 4, 9, 10, 11, 12)
MOVES = "moves"
"""Not decided: the wager goes on, on the number that was rolled."""

LINES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("pass", "dont_pass", "come", "dont_come", "any_seven", "any_craps"), ("",)),
    **dict.fromkeys(("odds", "lay", "place"), NUMBERS),
    "field": ("2", "12", "other"),
    "hardway": HARD_NUMBERS,
}
"""Which lines each kind has in a paytable."""


class Kind(NamedTuple):
    """One kind of wager.

    Fields: placed, the selections with which it can be placed; moved, those to which it can move after that; line,
    (selection, total) -> the line of the paytable that pays it; read, (selection, dice) -> win, lose, tie, stands or
    moves.
    """

    placed: tuple[str, ...]
    moved: tuple[str, ...]
    line: Callable[[str, int], Line]
    read: Callable[[str, Dice], str]


def _right(selection: str, dice: Dice) -> str:
    """Pass and come; with a number also odds behind them, and place: the number before a 7."""
    total = sum(dice)
    if selection:
        return WIN if total == int(selection) else LOSE if total == 7 else STANDS
    return WIN if total in (7, 11) else LOSE if total in (2, 3, 12) else MOVES


def _wrong(selection: str, dice: Dice) -> str:
    """Don't pass and don't come; with a number also odds behind them: a 7 before the number. A first 12 is a tie."""
    total = sum(dice)
    if selection:
        return LOSE if total == int(selection) else WIN if total == 7 else STANDS
    return LOSE if total in (7, 11) else WIN if total in (2, 3) else TIE if total == 12 else MOVES


def _hardway(selection: str, dice: Dice) -> str:
    """The number as a pair before it comes otherwise, and before a 7."""
    total = sum(dice)
    if total == int(selection):
        return WIN if dice[0] == dice[1] else LOSE
    return LOSE if total == 7 else STANDS


def _one_roll(*totals: int) -> Callable[[str, Dice], str]:
    return lambda _, dice: WIN if sum(dice) in totals else LOSE


def _single(kind: str) -> Callable[[str, int], Line]:
    return lambda _selection, _total: (kind, "")


def _numbered(kind: str) -> Callable[[str, int], Line]:
    return lambda selection, _: (kind, selection)


def _field_line(_: str, total: int) -> Line:
    return "field", str(total) if total in (2, 12) else "other"


_NO_SELECTION = ("",)
KINDS: dict[str, Kind] = {
    "pass": Kind(_NO_SELECTION, NUMBERS, _single("pass"), _right),
    "dont_pass": Kind(_NO_SELECTION, NUMBERS, _single("dont_pass"), _wrong),
    "come": Kind(_NO_SELECTION, NUMBERS, _single("come"), _right),
    "dont_come": Kind(_NO_SELECTION, NUMBERS, _single("dont_come"), _wrong),
    "pass_odds": Kind(NUMBERS, (), _numbered("odds"), _right),
    "dont_pass_odds": Kind(NUMBERS, (), _numbered("lay"), _wrong),
    "come_odds": Kind(NUMBERS, (), _numbered("odds"), _right),
    "dont_come_odds": Kind(NUMBERS, (), _numbered("lay"), _wrong),
    "place": Kind(NUMBERS, (), _numbered("place"), _right),
    "field": Kind(_NO_SELECTION, (), _field_line, _one_roll(*FIELD)),
    "any_seven": Kind(_NO_SELECTION, (), _single("any_seven"), _one_roll(7)),
    "any_craps": Kind(_NO_SELECTION, (), _single("any_craps"), _one_roll(2, 3, 12)),
    "hardway": Kind(HARD_NUMBERS, (), _numbered("hardway"), _hardway),
}

BEHIND = {"pass_odds": "pass", "dont_pass_odds": "dont_pass", "come_odds": "come", "dont_come_odds": "dont_come"}
"""Which wager odds stand behind."""
CAN_BE_OFF = ("place", "hardway", *BEHIND)
"""Kinds whose wagers can be off on a come-out roll: all others are decided by it, or were placed for it."""


@dataclass(frozen=True)
class CrapsPaytable(AnyPaytable):
    """One checked paytable: craps as a `game.Game` whose outcomes are rolls.

    `not_covered` names kinds and lines of LINES. Wagers of a kind in `off_on_come_out` do not work on a come-out roll.
    """

    odds: Mapping[Line, Odds]
    off_on_come_out: tuple[str, ...]

    @property
    def covers(self) -> tuple[str, ...]:
        """The kinds of wagers that can be placed."""
        return tuple(dict.fromkeys(kind for kind, _ in self.placeable))

    @property
    def ways(self) -> Mapping[Dice, int]:
        """The 36 rolls, each of which comes in one way."""
        return dict.fromkeys(OUTCOMES, 1)

    @property
    def areas(self) -> tuple[Area, ...]:
        """Every area on which a wager can stand, those included to which it only moves."""
        return self._areas

    @cached_property
    def _areas(self) -> tuple[Area, ...]:
        every = ((name, selection) for name, kind in KINDS.items() for selection in kind.placed + kind.moved)
        return tuple(area for area in every if KINDS[area[0]].line(area[1], 0) in self.odds)

    @property
    def placeable(self) -> tuple[Area, ...]:
        """Every area on which a wager can be placed."""
        return tuple((kind, selection) for kind, selection in self.areas if selection in KINDS[kind].placed)

    def verdict(self, area: Area, outcome: Dice) -> Verdict:
        """What a roll does to a wager that works. Raises KeyError for an area that is not covered."""
        if area not in self.areas:
            raise KeyError(area)
        name, selection = area
        kind = KINDS[name]
        total = sum(outcome)
        result = kind.read(selection, outcome)
        if result == WIN:
            return Verdict(WIN, self.odds[kind.line(selection, total)])
        if result == MOVES:
            return Verdict(STANDS, None, (name, str(total)))
        return {LOSE: LOST, TIE: TIED, STANDS: STAYS}[result]

    def verdict_off(self, area: Area, outcome: Dice) -> Verdict:
        """What a roll does to a wager that does not work: odds go back when their wager is decided, all else stands."""
        decided = self.verdict(area, outcome).result != STANDS
        return TIED if decided and area[0] in BEHIND else STAYS


def parse_roll(text: str) -> Dice:
    """A roll as it is typed, `3,4`. Raises UserError unless it is two values 1..6."""
    match = re.fullmatch(r"\s*([1-6])\s*,\s*([1-6])\s*", text)
    if not match:
        raise UserError(f"{shown(text)} is not a roll: give two numbers from 1 to 6, like 3,4.")
    return int(match[1]), int(match[2])


def line_key(area: Area) -> str:
    """The dotted key of a paytable file that pays a wager on `area`, e.g. `odds.place.6`."""
    return ".".join(("odds", *filter(None, KINDS[area[0]].line(area[1], 0))))


def load(path: Path = BUNDLED) -> CrapsPaytable:
    """The paytable in a file. Raises UserError naming file, line and key."""
    return read(PaytableFile(path))


def read(file: PaytableFile) -> CrapsPaytable:
    """The paytable in a parsed file, checked. Raises UserError naming file, line and key."""
    game = file.data.get("game", GAME)
    if game != GAME:
        raise file.refuse("game", f"is {game!r}, but this is about craps: give a paytable of {GAME}")
    known = (*HEAD_KEYS, "game", "partial", "not_covered", "off_on_come_out", "odds", "limits")
    file.only_known(file.data, known, "")
    head = file.head()
    odds = file.lines(LINES)
    file.check_whole("field", LINES, odds, "a field wager may meet each of its lines")
    not_covered = file.not_covered(LINES, odds)
    off = file.data.get("off_on_come_out")
    if not isinstance(off, list) or any(kind not in CAN_BE_OFF for kind in off):
        raise file.refuse("off_on_come_out", f"is missing or is not a list of these: {', '.join(CAN_BE_OFF)}")
    limits = file.limits(KINDS)
    content: dict[str, object] = {
        **head._asdict(),
        "game": GAME,
        "not_covered": not_covered,
        "off_on_come_out": sorted(off),
        "odds": [[*line, *pair] for line, pair in odds.items()],
        "limits": limits,
    }
    return CrapsPaytable(head, not_covered, limits, content_hash(content), odds, tuple(off))
