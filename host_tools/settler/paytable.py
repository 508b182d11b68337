"""Paytables: odds as data, each with its source, the standing of that source, what is not covered, and a hash.

A paytable is a TOML file of this form; comments are free, any other key is refused:

    name = "hoiana"            title = "…"            source = "…"
    status = "secondary"       # official | published | secondary
    partial = true             # true when anything is not covered; then not_covered names it exactly
    not_covered = ["odd", "total 7"]
    [odds]
    small = "1:1"              # kinds that pay the same for every selection
    [odds.total]               # one line a total; likewise [odds.face]: 1, 2 and 3 dice; [odds.three_dice]:
    4 = "50:1"                 # double_and_other, all_different; [odds.four_numbers]: one line a set, 6-5-4-3
"""

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from host_tools.bounded import read_bounded
from host_tools.errors import UserError
from host_tools.settler.taisai import AREAS, KINDS, OUTCOMES, Area, Dice, check_dice, multiplicity

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]

DEFAULT = "hoiana"
BUNDLED_DIR = Path(__file__).parent / "paytables"
STATUSES = ("official", "published", "secondary")
# A paytable has some 50 lines; anything far larger is another file given by mistake.
MAX_FILE_BYTES = 100_000
SHORT_HASH_DIGITS = 12

Line = tuple[str, str]
"""One line of a paytable: (kind, line name); the name is empty for a kind that pays the same whatever was selected."""


class Odds(NamedTuple):
    """Odds of `win` to `stake`, two integers over 0: 8:1 pays 8 for a stake of 1 and returns 9."""

    win: int
    stake: int

    def __str__(self) -> str:
        return f"{self.win}:{self.stake}"


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


def _line_name(line: Line) -> str:
    return " ".join(line).strip()


@dataclass(frozen=True)
class Paytable:
    """One checked paytable.

    `odds` maps each line that is covered to its odds, in the order of LINES; `not_covered` names the rest: a kind
    (`odd`) or a line of one (`total 7`). `hash` is the SHA-256 (64 hex) over the content; comments and layout of the
    file do not enter it.
    """

    name: str
    title: str
    source: str
    status: str
    not_covered: tuple[str, ...]
    odds: Mapping[Line, Odds]
    hash: str

    @property
    def partial(self) -> bool:
        return bool(self.not_covered)

    @property
    def short_hash(self) -> str:
        return self.hash[:SHORT_HASH_DIGITS]

    @cached_property
    def areas(self) -> frozenset[Area]:
        """Every area on which a wager can be taken, because the odds of each way it can win are known."""
        # Counts 2 and 3 lead to further lines for `face` only, and a face has all three lines or none.
        return frozenset(area for area in AREAS if _line(area, 1) in self.odds)

    def winning_areas(self, dice: Dice) -> dict[Area, Odds]:
        """Every area that wins with `dice` and what it pays, in layout order: these light up, and these are paid.

        Raises ValueError unless `dice` are three values 1..6.
        """
        check_dice(dice)
        winning: dict[Area, Odds] = {}
        for area in AREAS:
            count = multiplicity(area, dice)
            if count and area in self.areas:
                winning[area] = self.odds[_line(area, count)]
        return winning

    def house_edge(self, area: Area) -> Fraction:
        """The house's share of a stake on `area` in the long run, exact: 1/36 for Small at 1:1.

        Raises KeyError when the paytable does not cover the area.
        """
        returned = Fraction(0)
        for dice in OUTCOMES:
            count = multiplicity(area, dice)
            if count:
                odds = self.odds[_line(area, count)]
                returned += 1 + Fraction(odds.win, odds.stake)
        return 1 - returned / len(OUTCOMES)


def bundled_names() -> list[str]:
    """The names of the paytables that come with the program, the default first."""
    return sorted((path.stem for path in BUNDLED_DIR.glob("*.toml")), key=lambda name: (name != DEFAULT, name))


def load(name_or_path: str) -> Paytable:
    """The paytable of that name, or of the TOML file at that path. Raises UserError naming the file and the key."""
    if name_or_path in bundled_names():
        return _load_file(BUNDLED_DIR / f"{name_or_path}.toml")
    if not name_or_path.endswith(".toml"):
        known = ", ".join(bundled_names())
        raise UserError(
            f"There is no paytable {name_or_path[:60]!r}: take one of {known}, or give the path of a .toml file."
        )
    return _load_file(Path(name_or_path))


def _load_file(path: Path) -> Paytable:
    too_large = f"{MAX_FILE_BYTES} bytes, so it is hardly a paytable: check the path"
    raw = read_bounded(path, "Paytable", "a readable TOML file", MAX_FILE_BYTES, too_large)
    try:
        data = tomllib.loads(raw.decode("utf-8-sig"))
    # ValueError: bad UTF-8, bad TOML, and an integer of thousands of digits, which int() itself refuses.
    except (ValueError, RecursionError) as error:
        raise UserError(f"Paytable {path} is not valid TOML: {error}; mend that place.") from None
    return _Reader(path, data).paytable()


class _Reader:
    """Turns parsed TOML into a Paytable, or refuses it naming file and key."""

    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self.path = path
        self.data = data

    def paytable(self) -> Paytable:
        self._only_known(self.data, ("name", "title", "source", "status", "partial", "not_covered", "odds"), "")
        name, title, source, status = (self._text(key) for key in ("name", "title", "source", "status"))
        if not re.fullmatch(r"[a-z0-9_]{1,40}", name):
            raise self._refuse("name", "is not made of small letters, digits and underscores, 40 at most")
        if status not in STATUSES:
            raise self._refuse("status", f"is {status!r}, but must be one of {', '.join(STATUSES)}")
        odds = self._odds()
        not_covered = self._not_covered(odds)
        content = {
            "name": name,
            "title": title,
            "source": source,
            "status": status,
            "not_covered": not_covered,
            "odds": [[*line, *pair] for line, pair in odds.items()],
        }
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")
        return Paytable(name, title, source, status, not_covered, odds, hashlib.sha256(canonical).hexdigest())

    def _refuse(self, key: str, why: str) -> UserError:
        return UserError(f"Paytable {self.path}: key {key} {why}.")

    def _only_known(self, table: dict[str, Any], known: tuple[str, ...], prefix: str) -> None:
        for key in table:
            if key not in known:
                raise self._refuse(f"{prefix}{key!r}", f"is unknown: take it out or use one of {', '.join(known)}")

    def _text(self, key: str) -> str:
        value = self.data.get(key)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self._refuse(key, "is missing or is not a line of text in quotes")
        return value

    def _odds(self) -> dict[Line, Odds]:
        tables = self.data.get("odds")
        if not isinstance(tables, dict) or not tables:
            raise self._refuse("odds", 'is missing: write a table [odds] with lines like small = "1:1"')
        self._only_known(tables, tuple(KINDS), "odds.")
        odds: dict[Line, Odds] = {}
        for kind, names in LINES.items():
            if kind not in tables:
                continue
            if names == ("",):
                odds[kind, ""] = self._pair(f"odds.{kind}", tables[kind])
                continue
            lines = tables[kind]
            if not isinstance(lines, dict) or not lines:
                raise self._refuse(f"odds.{kind}", f"must be a table with one line for each of {', '.join(names)}")
            self._only_known(lines, names, f"odds.{kind}.")
            odds.update(
                {(kind, name): self._pair(f"odds.{kind}.{name}", lines[name]) for name in names if name in lines}
            )
        self._whole_face(odds)
        return odds

    def _whole_face(self, odds: dict[Line, Odds]) -> None:
        """A face wager may meet one, two or three dice, so it can be settled only when all three odds are known."""
        missing = [name for name in LINES["face"] if ("face", name) not in odds]
        if missing and len(missing) < len(LINES["face"]):
            raise self._refuse(
                f"odds.face.{missing[0]}",
                "is missing: face needs odds for 1, 2 and 3 dice; give all, or none and name face in not_covered",
            )

    def _pair(self, key: str, value: object) -> Odds:
        match = re.fullmatch(r"([1-9][0-9]{0,5}):([1-9][0-9]{0,5})", value) if isinstance(value, str) else None
        if not match:
            raise self._refuse(key, f'has bad odds {str(value)[:40]!r}: write two whole numbers over 0, like "8:1"')
        return Odds(int(match[1]), int(match[2]))

    def _not_covered(self, odds: dict[Line, Odds]) -> tuple[str, ...]:
        """What the odds leave out, checked against what the file itself says it leaves out."""
        gaps: list[str] = []
        for kind, names in LINES.items():
            missing = [_line_name((kind, name)) for name in names if (kind, name) not in odds]
            gaps += [kind] if len(missing) == len(names) else missing
        partial = self.data.get("partial")
        if not isinstance(partial, bool):
            raise self._refuse("partial", "is missing or is not true or false")
        declared = self.data.get("not_covered", [])
        if not isinstance(declared, list) or not all(isinstance(entry, str) for entry in declared):
            raise self._refuse("not_covered", 'must be a list of names, like ["odd", "total 7"]')
        for gap in gaps:
            if not partial or gap not in declared:
                advice = "give its odds, or set partial = true and name it in not_covered"
                raise self._refuse(f"odds.{gap.replace(' ', '.')}", f"is missing: {advice}")
        for entry in declared:
            if entry not in gaps:
                raise self._refuse("not_covered", f"names {entry!r}, which has odds or is unknown: take it out")
        if partial and not gaps:
            raise self._refuse("partial", "is true although everything is covered: set it to false")
        return tuple(gaps)
