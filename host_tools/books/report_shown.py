"""Writes a report as a table, as CSV or as JSON, line by line."""

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from host_tools.errors import UserError
from host_tools.settler.check import percent
from host_tools.settler.render import money
from host_tools.store.reporting import Sums
from host_tools.whole_file import whole_file

TOTAL = "total"
TABLE_LINES = 2000
"""A table is laid out as a whole, in the memory; nobody reads more lines of one either."""
TABLE_WIDTH = 200  # of a table that goes into a file or a pipe
_UNBOUNDED = 10_000
KEYS = {"round": ("dev", "round", "began_at"), "day": ("day",), "kind": ("kind",), "player": ("player",)}
"""What names a line of each report."""

_FORMULA = tuple("=+-@\t\r＝＋－＠")
"""What a spreadsheet may take for the beginning of a formula (OWASP, "CSV Injection")."""


class Line(NamedTuple):
    """A line of a report: `row` is round, day, kind, player or total; `keys` say which one, none for the total."""

    row: str
    keys: Mapping[str, str | int]
    sums: Sums


Write = Callable[[Iterable[Line], str, TextIO], None]


def write(lines: Iterable[Line], by: str, format: str, out: Path | None) -> None:
    """Write a report by `by` as `table`, `csv` or `json` to stdout, or into the file `out` as a whole. Raises
    UserError when a table would have over TABLE_LINES lines, or the file cannot be written."""
    writer: Write = {"table": _table, "csv": _csv, "json": _json}[format]
    if out is None:
        writer(lines, by, sys.stdout)
        return
    try:
        with whole_file(out) as file:
            # A spreadsheet takes a CSV file for UTF-8 by its byte order mark alone.
            text = io.TextIOWrapper(file, "utf-8-sig" if format == "csv" else "utf-8", newline="")
            writer(lines, by, text)
            text.flush()
            text.detach()
    except OSError as error:
        raise UserError(f"Report {out} cannot be written ({error.strerror}): give --out a place that can be.") from None


def hold(sums: Sums) -> Fraction | None:
    """The house's share of the stakes that the dice decided, exact; None when there are none."""
    return Fraction(sums.house_cents, sums.decided_cents) if sums.decided_cents else None


def values(line: Line, by: str) -> dict[str, str | int | None]:
    """A line as programs read it, money in cents. The hold is house_cents / decided_cents, in rounded per cent."""
    share = hold(line.sums)
    sums = line.sums
    return {
        "row": line.row,
        **{key: line.keys.get(key) for key in KEYS[by]},
        "rounds": sums.rounds,
        "wagers": sums.wagers,
        "staked_cents": sums.staked_cents,
        "void_cents": sums.void_cents,
        "unsettled_cents": sums.unsettled_cents,
        "paid_cents": sums.paid_cents,
        "returned_cents": sums.returned_cents,
        "kept_cents": sums.kept_cents,
        "decided_cents": sums.decided_cents,
        "house_cents": sums.house_cents,
        "hold_percent": None if share is None else percent(share),
        "corrections": sums.corrections,
    }


def _json(lines: Iterable[Line], by: str, file: TextIO) -> None:
    for line in lines:
        file.write(json.dumps(values(line, by)) + "\n")


def _csv(lines: Iterable[Line], by: str, file: TextIO) -> None:
    head = list(values(Line(TOTAL, {}, Sums(*(0 for _ in Sums._fields))), by))
    rows = csv.DictWriter(file, head)
    rows.writeheader()
    for line in lines:
        cells = values(line, by)
        rows.writerow({name: _harmless(name, cell) for name, cell in cells.items()})


def _harmless(name: str, cell: str | int | None) -> str | int | None:
    """Text that a spreadsheet cannot take for a formula: an apostrophe goes before it."""
    return f"'{cell}" if name == "player" and str(cell).startswith(_FORMULA) else cell


def _table(lines: Iterable[Line], by: str, file: TextIO) -> None:
    held = list(islice(lines, TABLE_LINES + 1))
    if len(held) > TABLE_LINES:
        raise UserError(
            f"This report has more than {TABLE_LINES} lines, too many for a table: take --format csv or json, or fewer "
            "days with --from and --to."
        )
    table = Table(show_footer=True)
    *rows, total = (list(_cells(line, by)) for line in held)
    names = [key.replace("_at", "").capitalize() for key in KEYS[by]]
    for number, name in enumerate([*names, *_HEADS]):
        left = number < len(names)
        table.add_column(name, Text(total[number]), justify="left" if left else "right", no_wrap=not left)
    for cells in rows:
        table.add_row(*(Text(cell) for cell in cells))
    console = Console(file=file)
    wanted = console.width if console.is_terminal else TABLE_WIDTH
    # On a narrow terminal the lines break, but no figure is cut.
    least = console.measure(table, options=console.options.update(max_width=_UNBOUNDED)).minimum
    console.width = max(wanted, least)
    console.print(table)


_HEADS = ("Rounds", "Wagers", "Staked", "Void", "Open", "Won", "Returned", "Kept", "House", "Hold %", "Corr.")


def _cells(line: Line, by: str) -> Iterator[str]:
    sums, share = line.sums, hold(line.sums)
    first = ["Total"] if line.row == TOTAL else []
    keys = [str(line.keys.get(key, "")) for key in KEYS[by]]
    yield from [*first, *keys[len(first) :]]
    yield from (str(sums.rounds), str(sums.wagers))
    amounts = ("staked", "void", "unsettled", "paid", "returned", "kept", "house")
    yield from (money(getattr(sums, f"{name}_cents")) for name in amounts)
    yield "" if share is None else percent(share)
    yield str(sums.corrections)
