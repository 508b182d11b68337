"""What the paytables of all games have in common as files: TOML with a head, odds, limits, a hash, and good messages.

Every refusal names the file, the line and the key.
"""

import hashlib
import json
import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from host_tools.bounded import read_bounded
from host_tools.errors import UserError
from host_tools.settler.amounts import parse_cents, shown
from host_tools.settler.game import Odds
from host_tools.settler.limits import ALL, Limit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]

STATUSES = ("official", "published", "secondary", "general_practice")
HEAD_KEYS = ("name", "title", "source", "status")
# A paytable has some 50 lines; anything far larger is another file given by mistake.
MAX_FILE_BYTES = 100_000
SHORT_HASH_DIGITS = 12


Line = tuple[str, str]
"""One line of a paytable: (kind, line name); the name is empty for a kind that pays the same whatever was selected."""


class Head(NamedTuple):
    """Who says so: name, title, source, and what standing that source has, one of STATUSES."""

    name: str
    title: str
    source: str
    status: str


@dataclass(frozen=True)
class AnyPaytable(ABC):
    """What every checked paytable says, of whatever game.

    `not_covered` names what has no odds, in the game's own terms; `limits` are the table's, by kind, none where the
    file has none. `hash` is the SHA-256 (64 hex) over the content; comments and layout of the file do not enter it.
    """

    head: Head
    not_covered: tuple[str, ...]
    limits: Mapping[str, Limit]
    hash: str

    @property
    def name(self) -> str:
        return self.head.name

    @property
    def title(self) -> str:
        return self.head.title

    @property
    def source(self) -> str:
        return self.head.source

    @property
    def status(self) -> str:
        return self.head.status

    @property
    @abstractmethod
    def covers(self) -> tuple[str, ...]:
        """What has odds, in the game's own terms: kinds of wagers, or steps."""

    @property
    def partial(self) -> bool:
        return bool(self.not_covered)

    @property
    def short_hash(self) -> str:
        return self.hash[:SHORT_HASH_DIGITS]


def find_file(name_or_path: str, bundled: Mapping[str, Path]) -> Path:
    """The file of a name that is `bundled`, or the path that was given, which ends in .toml. Raises UserError."""
    if name_or_path in bundled:
        return bundled[name_or_path]
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return path
    if os.path.isfile(path):  # False, where Path raises, for a name that no file can have
        raise UserError(f"Paytable {path} does not end in .toml: if it is TOML, name it so.")
    known = ", ".join(bundled)
    raise UserError(
        f"There is no paytable {shown(name_or_path)}: take one of {known}, or give the path of a .toml file."
    )


class PaytableFile:
    """One paytable file, parsed but not understood yet: `data` is its TOML.

    Raises UserError when the file cannot be read or is not TOML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        too_large = f"{MAX_FILE_BYTES} bytes, so it is hardly a paytable: check the path"
        raw = read_bounded(path, "Paytable", "a readable TOML file", MAX_FILE_BYTES, too_large)
        try:
            text = raw.decode("utf-8-sig")
            self.data: dict[str, Any] = tomllib.loads(text)
        # ValueError: bad UTF-8, bad TOML, and an integer of thousands of digits, which int() itself refuses.
        except (ValueError, RecursionError) as error:
            raise UserError(f"Paytable {path} is not valid TOML: {error}; mend that place.") from None
        self._lines = _key_lines(text)

    def refuse(self, key: str, why: str) -> UserError:
        """The refusal of a dotted key, for the caller to raise."""
        return UserError(f"{self.place(key)}: key {key} {why}.")

    def place(self, key: str) -> str:
        """File and line of a dotted key, or of the table in which it is missing."""
        parts = key.replace("'", "").split(".")
        places = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        line = next((self._lines[place] for place in places if place in self._lines), None)
        return f"Paytable {self.path}" + ("" if line is None else f", line {line}")

    def only_known(self, table: Mapping[str, Any], known: Collection[str], prefix: str) -> None:
        """Raises UserError for a key of `table` that is not `known`."""
        for key in table:
            if key not in known:
                raise self.refuse(f"{prefix}{key!r}", f"is unknown: take it out or use one of {', '.join(known)}")

    def head(self) -> Head:
        """The head, checked."""
        head = Head(*(self._text(key) for key in HEAD_KEYS))
        if not re.fullmatch(r"[a-z0-9_]{1,40}", head.name):
            raise self.refuse("name", "is not made of small letters, digits and underscores, 40 at most")
        if head.status not in STATUSES:
            raise self.refuse("status", f"is {head.status!r}, but must be one of {', '.join(STATUSES)}")
        return head

    def _text(self, key: str) -> str:
        value = self.data.get(key)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.refuse(key, "is missing or is not a line of text in quotes")
        return value

    def odds(self, key: str, value: object) -> Odds:
        """Odds as they are written, `"8:1"`."""
        match = re.fullmatch(r"([1-9][0-9]{0,5}):([1-9][0-9]{0,5})", value) if isinstance(value, str) else None
        if not match:
            raise self.refuse(key, f'has bad odds {str(value)[:40]!r}: write two whole numbers over 0, like "8:1"')
        return Odds(int(match[1]), int(match[2]))

    def lines(self, known: Mapping[str, Sequence[str]]) -> dict[Line, Odds]:
        """The odds of the table [odds]; `known` are the kinds with the names of their lines, `("",)` for a single."""
        tables = self.data.get("odds")
        if not isinstance(tables, dict) or not tables:
            example = next(iter(known))
            raise self.refuse("odds", f'is missing: write a table [odds] with lines like {example} = "1:1"')
        self.only_known(tables, known, "odds.")
        odds: dict[Line, Odds] = {}
        for kind, names in known.items():
            if kind not in tables:
                continue
            if tuple(names) == ("",):
                odds[kind, ""] = self.odds(f"odds.{kind}", tables[kind])
                continue
            lines = tables[kind]
            if not isinstance(lines, dict) or not lines:
                raise self.refuse(f"odds.{kind}", f"must be a table with one line for each of {', '.join(names)}")
            self.only_known(lines, names, f"odds.{kind}.")
            odds |= {(kind, name): self.odds(f"odds.{kind}.{name}", lines[name]) for name in names if name in lines}
        return odds

    def check_whole(self, kind: str, known: Mapping[str, Sequence[str]], odds: Mapping[Line, Odds], why: str) -> None:
        """Raises UserError when a kind that can be settled only with all of its lines has some of them."""
        missing = [name for name in known[kind] if (kind, name) not in odds]
        if missing and len(missing) < len(known[kind]):
            raise self.refuse(
                f"odds.{kind}.{missing[0]}",
                f"is missing: {why}; give all, or none and name {kind} in not_covered",
            )

    def not_covered(self, known: Mapping[str, Sequence[str]], odds: Mapping[Line, Odds]) -> tuple[str, ...]:
        """What the odds leave out, checked against what the file itself says it leaves out."""
        gaps: list[str] = []
        for kind, names in known.items():
            missing = [" ".join((kind, name)).strip() for name in names if (kind, name) not in odds]
            gaps += [kind] if len(missing) == len(names) else missing
        partial = self.data.get("partial")
        if not isinstance(partial, bool):
            raise self.refuse("partial", "is missing or is not true or false")
        declared = self.data.get("not_covered", [])
        if not isinstance(declared, list) or not all(isinstance(entry, str) for entry in declared):
            raise self.refuse("not_covered", 'must be a list of names, like ["odd", "total 7"]')
        for gap in gaps:
            if not partial or gap not in declared:
                advice = "give its odds, or set partial = true and name it in not_covered"
                raise self.refuse(f"odds.{gap.replace(' ', '.')}", f"is missing: {advice}")
        for entry in declared:
            if declared.count(entry) > 1:
                raise self.refuse("not_covered", f"names {entry!r} more than once: keep one of them")
            if entry not in gaps:
                raise self.refuse("not_covered", f"names {entry!r}, which has odds or is unknown: take it out")
        if partial and not gaps:
            raise self.refuse("partial", "is true although everything is covered: set it to false")
        return tuple(gaps)

    def limits(self, kinds: Collection[str]) -> dict[str, Limit]:
        """The table limits, for `kinds` and ALL alone; none when the file has no [limits]."""
        table = self.data.get("limits", {})
        if not isinstance(table, dict):
            raise self.refuse("limits", 'must be a table with lines like small = {min = "5.00", max = "500.00"}')
        self.only_known(table, (*kinds, ALL), "limits.")
        return {kind: self._limit(f"limits.{kind}", value) for kind, value in table.items()}

    def _limit(self, key: str, value: object) -> Limit:
        if not isinstance(value, dict) or not value:
            raise self.refuse(
                key, 'must be like {min = "5.00", max = "500.00", increment = "5.00"}, one of them at least'
            )
        self.only_known(value, ("min", "max", "increment"), f"{key}.")
        limit = Limit(*(self._cents(key, name, value) for name in ("min", "max", "increment")))
        least, most, step = limit
        if least is not None and most is not None and least > most:
            raise self.refuse(f"{key}.min", "is over max: lower it")
        for name, cents in (("min", least), ("max", most)):
            if step is not None and cents is not None and cents % step:
                raise self.refuse(f"{key}.{name}", "is not a multiple of increment, so no stake can reach it: round it")
        return limit

    def _cents(self, key: str, name: str, table: Mapping[str, Any]) -> int | None:
        if name not in table:
            return None
        value = table[name]
        if not isinstance(value, str):
            raise self.refuse(f"{key}.{name}", f'is {shown(str(value))}: write an amount in quotes, like "5.00"')
        try:
            return parse_cents("amount", value)
        except UserError as error:
            raise self.refuse(f"{key}.{name}", f"has a bad amount: {error}") from None


def content_hash(content: Mapping[str, object]) -> str:
    """SHA-256 (64 hex) over what a paytable says; comments and layout of its file do not enter it."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")
    return hashlib.sha256(canonical).hexdigest()


def _key_lines(text: str) -> dict[str, int]:
    """The line, from 1, of each table and of each key that begins a line, by dotted path.

    tomllib keeps no places. A key inside an inline table has none here; the message then names the line around it.
    """
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        key = re.match(r"""\s*([\w.'"\s-]+?)\s*=""", line)
        if header:
            table = _dotted(header[1]) + "."
            lines.setdefault(table[:-1], number)
        elif key:
            lines.setdefault(table + _dotted(key[1]), number)
    return lines


def _dotted(key: str) -> str:
    return ".".join(part.strip(" \t\"'") for part in key.split("."))
