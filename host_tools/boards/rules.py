"""What one key of a board file may hold: each rule refuses a value with its reason and says how to mend it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

GPIO_LAST = 29  # RP2040 datasheet 1.4.1: bank 0 has GPIO 0 to 29


class Rule(Protocol):
    """A rule for one value. `want` finishes the sentence "give …"; `refuse` gives the reason, or None."""

    @property
    def want(self) -> str: ...

    def refuse(self, value: object) -> str | None: ...


def show(value: object) -> str:
    """A TOML value in a few characters of one line, whatever it is (a hex number in TOML has no upper bound)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < 1 << 63 else "a number beyond 64 bits"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:37] + "...")
    if isinstance(value, float):
        return f"the decimal number {value}"
    return {list: "a list", dict: "a table"}.get(type(value), "a date or time")


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`, both allowed. `low_why` is the reason for the lower limit, if it has one."""

    low: int
    high: int
    unit: str
    low_why: str = ""

    @property
    def want(self) -> str:
        return f"a whole number of {self.unit} from {self.low} to {self.high}"

    def refuse(self, value: object) -> str | None:
        if type(value) is not int:  # bool is an int in Python and must not pass for one
            return f"{show(value)} is not a whole number"
        if value < self.low:
            return f"{show(value)} is less than {self.low}{self.low_why and ': ' + self.low_why}"
        if value > self.high:
            return f"{show(value)} is more than {self.high}"
        return None


@dataclass(frozen=True)
class Choice:
    """One of some words. `refused` maps words that are understood, but never accepted, to the reason."""

    allowed: tuple[str, ...]
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def want(self) -> str:
        return " or ".join(f'"{word}"' for word in self.allowed)

    def refuse(self, value: object) -> str | None:
        if isinstance(value, str):
            if value in self.allowed:
                return None
            if value in self.refused:
                return f"{show(value)} is refused: {self.refused[value]}"
        return f"{show(value)} is not one of the words known here"


@dataclass(frozen=True)
class Text:
    """A string that matches `pattern` as a whole."""

    pattern: str
    want: str

    def refuse(self, value: object) -> str | None:
        if not isinstance(value, str):
            return f"{show(value)} is not a string"
        return None if re.fullmatch(self.pattern, value) else f"{show(value)} does not fit"


@dataclass(frozen=True)
class Flag:
    """true or false."""

    want: str = "true or false"

    def refuse(self, value: object) -> str | None:
        return None if isinstance(value, bool) else f"{show(value)} is neither true nor false"


@dataclass(frozen=True)
class Gpios:
    """A list of GPIO numbers and of ranges such as "0-22"."""

    want: str = f'a list of GPIO numbers from 0 to {GPIO_LAST} and ranges, such as ["0-22", 26], each number once'

    def refuse(self, value: object) -> str | None:
        if not isinstance(value, list) or not value:
            return f"{show(value) if value != [] else 'an empty list'} is not a list of GPIO numbers"
        for item in value:
            if not _numbers(item):
                return f"{show(item)} is neither a GPIO number nor a range"
        numbers = gpio_numbers(value)
        for number in numbers:
            if numbers.count(number) > 1:
                return f"GPIO {number} stands in the list twice"
        return None


def gpio_numbers(items: list[Any]) -> tuple[int, ...]:
    """The GPIO numbers, rising, of a list that `Gpios` has accepted."""
    return tuple(sorted(number for item in items for number in _numbers(item)))


def _numbers(item: object) -> range:
    """The GPIO numbers of one entry of the list; empty if it is not one."""
    if type(item) is int and 0 <= item <= GPIO_LAST:
        return range(item, item + 1)
    match = re.fullmatch("([0-9]{1,2})-([0-9]{1,2})", item) if isinstance(item, str) else None
    if match and int(match[2]) <= GPIO_LAST:
        return range(int(match[1]), int(match[2]) + 1)
    return range(0)
