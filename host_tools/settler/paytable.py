"""Paytables: odds as data, each with its source, the standing of that source, what is not covered, and a hash.

A paytable is a TOML file of this form; comments are free, any other key is refused:

    name = "hoiana"            title = "…"            source = "…"
    status = "secondary"       # official | published | secondary | general_practice
    partial = true             # true when anything is not covered; then not_covered names it exactly
    not_covered = ["odd", "total 7"]
    [odds]
    small = "1:1"              # kinds that pay the same for every selection
    [odds.total]               # one line a total; likewise [odds.face]: 1, 2 and 3 dice; [odds.three_dice]:
    4 = "50:1"                 # double_and_other, all_different; [odds.four_numbers]: one line a set, 6-5-4-3
    [limits]                   # may be left out; a kind without a line has that of `all`, if there is one
    all = {min = "5.00", max = "500.00", increment = "5.00"}
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from host_tools.settler.game import LOST, WIN, Area, Odds, Verdict, house_edge
from host_tools.settler.paytable_file import HEAD_KEYS, AnyPaytable, Line, PaytableFile, content_hash, find_file
from host_tools.settler.taisai import AREAS, KINDS, OUTCOMES, Dice, check_dice, multiplicity

GAME = "tai_sai"
DEFAULT = "hoiana"
BUNDLED_DIR = Path(__file__).parent / "paytables"


LINES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(KINDS, ("",)),
    "total": KINDS["total"].selections,
    "face": ("1", "2", "3"),
    "three_dice": ("double_and_other", "all_different"),
    "four_numbers": KINDS["four_numbers"].selections,
}
"""Which lines each kind has in a paytable."""


def _line(area: Area, count: int) -> Line:
    """The line that pays a wager on `area` whose multiplicity is `count`."""
    kind, selection = area
    if kind == "face":
        return kind, str(count)
    if kind == "three_dice":
        return kind, "all_different" if len(set(selection.split("-"))) == 3 else "double_and_other"
    return kind, selection if selection in LINES[kind] else ""


def line_key(area: Area, count: int) -> str:
    """The dotted key of a paytable file that pays a wager on `area` which wins `count` times, e.g. `odds.total.4`."""
    return ".".join(("odds", *filter(None, _line(area, count))))


@dataclass(frozen=True)
class Paytable(AnyPaytable):
    """One checked paytable: Tai-Sai as a `game.Game`.

    `odds` maps each line that is covered to its odds, in the order of LINES; `not_covered` names the rest: a kind
    (`odd`) or a line of one (`total 7`).
    """

    odds: Mapping[Line, Odds]

    @property
    def covers(self) -> tuple[str, ...]:
        """The kinds that have odds, wholly or in part."""
        return tuple(dict.fromkeys(kind for kind, _ in self.odds))

    @property
    def ways(self) -> Mapping[Dice, int]:
        """The 216 outcomes, each of which comes in one way."""
        return dict.fromkeys(OUTCOMES, 1)

    @property
    def areas(self) -> frozenset[Area]:
        """Every area on which a wager can be taken, because the odds of each way it can win are known."""
        return self._areas

    @cached_property
    def _areas(self) -> frozenset[Area]:
        # Counts 2 and 3 lead to further lines for `face` only, and a face has all three lines or none.
        return frozenset(area for area in AREAS if _line(area, 1) in self.odds)

    @cached_property
    def winning(self) -> Mapping[Dice, Mapping[Area, Odds]]:
        """For each of the 216 outcomes what winning_areas answers: made once, then looked up."""
        return {dice: self._winning(dice) for dice in OUTCOMES}

    def _winning(self, dice: Dice) -> Mapping[Area, Odds]:
        counts = ((area, multiplicity(area, dice)) for area in AREAS if area in self.areas)
        # Read only: whoever asks is given the table itself.
        return MappingProxyType({area: self.odds[_line(area, count)] for area, count in counts if count})

    def winning_areas(self, dice: Dice) -> Mapping[Area, Odds]:
        """Every area that wins with `dice` and what it pays, in layout order: these light up, and these are paid.

        Raises ValueError unless `dice` are three values 1..6.
        """
        check_dice(dice)
        return self.winning[dice]

    def verdict(self, area: Area, outcome: Dice) -> Verdict:
        """Won at its odds, or lost. Raises KeyError for an area that is not covered, or unless `outcome` is dice."""
        if area not in self.areas:
            raise KeyError(area)
        odds = self.winning[outcome].get(area)
        return LOST if odds is None else Verdict(WIN, odds)

    def house_edge(self, area: Area) -> Fraction:
        """The house's share of a stake on `area` in the long run, exact: 1/36 for Small at 1:1.

        Raises KeyError when the paytable does not cover the area.
        """
        return house_edge(self, area)


def bundled_names() -> list[str]:
    """The names of the paytables that come with the program, the default first."""
    return sorted((path.stem for path in BUNDLED_DIR.glob("*.toml")), key=lambda name: (name != DEFAULT, name))


def load(name_or_path: str) -> Paytable:
    """The paytable of that name, or of the TOML file at that path. Raises UserError naming file, line and key."""
    return read(PaytableFile(path_of(name_or_path)))


def path_of(name_or_path: str) -> Path:
    """The file of a bundled paytable's name, or the path that was given. Raises UserError for an unknown name."""
    return find_file(name_or_path, {name: BUNDLED_DIR / f"{name}.toml" for name in bundled_names()})


def read(file: PaytableFile) -> Paytable:
    """The paytable in a parsed file, checked. Raises UserError naming file, line and key."""
    game = file.data.get("game", GAME)
    if game != GAME:
        raise file.refuse("game", f"is {game!r}, but this is about Tai-Sai: give a paytable of {GAME}")
    file.only_known(file.data, (*HEAD_KEYS, "game", "partial", "not_covered", "odds", "limits"), "")
    head = file.head()
    odds = file.lines(LINES)
    # A face wager may meet one, two or three dice, so it can be settled only when all three odds are known.
    file.check_whole("face", LINES, odds, "face needs odds for 1, 2 and 3 dice")
    not_covered = file.not_covered(LINES, odds)
    limits = file.limits([kind for kind in KINDS if kind not in not_covered])
    content: dict[str, object] = {
        **head._asdict(),
        "not_covered": not_covered,
        "odds": [[*line, *pair] for line, pair in odds.items()],
    }
    if limits:  # a paytable without them keeps the hash that it had before there were limits
        content["limits"] = limits
    return Paytable(head, not_covered, limits, content_hash(content), odds)
