"""How the files of a capture are called, and which of them are one capture.

A capture is one stream of bytes in parts, NAME.00001.log, NAME.00002.log and so on: their names sort as they were made.
Beside each part lie NAME.NNNNN.times.csv and NAME.NNNNN.sent.
"""

import re
from collections.abc import Sequence
from pathlib import Path

_PART = re.compile(r"(.+)\.(\d{5,})\.log")


def times_path(log: Path) -> Path:
    """The times of the bytes of a log."""
    return log.with_suffix(".times.csv")


def sent_path(log: Path) -> Path:
    """What was sent while the log was captured."""
    return log.with_suffix(".sent")


def part_path(directory: Path, name: str, number: int) -> Path:
    """The log of the `number`-th part, counted from 1."""
    return directory / f"{name}.{number:05d}.log"


def free_name(directory: Path, stem: str) -> str:
    """A name of which there is no file: two captures can begin within a second."""
    name, count = stem, 1
    while any(directory.glob(f"{name}.*")):
        count += 1
        name = f"{stem}_{count}"
    return name


def captures(logs: Sequence[Path]) -> list[list[Path]]:
    """Logs in the order in which they were given -> the captures among them, the parts of each in their own order.

    Parts are one capture only while no number between them is missing. Any other file is a capture by itself.
    """
    named: dict[tuple[Path, str], list[tuple[int, Path]]] = {}
    for place, log in enumerate(logs):
        part = _PART.fullmatch(log.name)
        capture, number = (part[1], int(part[2])) if part else (f"{place}/{log.name}", 1)
        named.setdefault((log.parent, capture), []).append((number, log))
    found: list[list[Path]] = []
    for parts in named.values():
        last = None
        for number, log in sorted(parts):
            if last is not None and number == last + 1:
                found[-1].append(log)
            else:
                found.append([log])
            last = number
    return found
