"""`tumbler report`: what was staked, returned, won and kept, by round, gaming day, kind of wager or player."""

from collections.abc import Iterator
from datetime import date, timedelta
from enum import Enum
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from host_tools.books.days import Days, parse_day, parse_zone
from host_tools.errors import UserError
from host_tools.progress import waiting
from host_tools.store_option import DEFAULT_STORE, StoreUrl, existing

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from host_tools.books.report_shown import Line
    from host_tools.store.reporting import Which


class By(str, Enum):
    """What a line of the report is."""

    ROUND = "round"
    DAY = "day"
    KIND = "kind"
    PLAYER = "player"


class Format(str, Enum):
    """How the report is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def report(
    by: Annotated[By, typer.Option(help="What each line is")] = By.DAY,
    first: Annotated[str | None, typer.Option("--from", help="The first gaming day", metavar="YYYY-MM-DD")] = None,
    last: Annotated[str | None, typer.Option("--to", help="The last gaming day", metavar="YYYY-MM-DD")] = None,
    dev: Annotated[str | None, typer.Option(help="Only of this board", metavar="DEV")] = None,
    table: Annotated[str | None, typer.Option(help="Only of this table", metavar="NAME")] = None,
    zone: Annotated[str, typer.Option("--timezone", help="Of gaming days: Pacific/Auckland", metavar="ZONE")] = "UTC",
    start_hour: Annotated[
        int,
        typer.Option("--day-starts", help="The hour at which a gaming day begins there", metavar="H", min=0, max=23),
    ] = 0,
    format: Annotated[Format, typer.Option(help="json is one object a line")] = Format.TABLE,
    out: Annotated[Path | None, typer.Option(help="Write it into this file", metavar="FILE")] = None,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Sums over the rounds, and over all of them at the end: by round, gaming day, kind of wager or player.

    A round is of the gaming day on which its spin was. Corrections count as they stand: what they took back is not in
    the sums.
    """
    from host_tools.books import report_shown
    from host_tools.store.reporting import Which

    days = Days(parse_zone(zone), start_hour)
    first_day, last_day = parse_day("--from", first), parse_day("--to", last)
    if first_day is not None and last_day is not None and last_day < first_day:
        raise UserError(f"--to {last_day} is before --from {first_day}: give the later day as --to.")
    database = existing(store, dev)
    try:
        if table is not None and all(row.table_name != table for row in database.enrolments()):
            raise UserError(f"This store knows no table {table[:64]!r}: see `tumbler enrol list`.")
        which = Which(
            None if first_day is None else days.begin(first_day),
            None if last_day is None else days.begin(_next(last_day)),
            dev,
            table,
        )
        with database.reporting() as connection:
            lines = _lines(connection, which, by, days)
            with waiting("Adding up"):  # until the first line is there: what turns would break lines for programs
                first_line = next(lines)
            report_shown.write(chain([first_line], lines), by.value, format.value, out)
    finally:
        database.close()


def _next(day: date) -> date:
    try:
        return day + timedelta(days=1)
    except OverflowError:
        raise UserError(f"--to {day} is the last day of all: leave --to out.") from None


def _lines(connection: "Connection", which: "Which", by: By, days: Days) -> Iterator["Line"]:
    """The lines of the report in their order, at the end their sums."""
    from host_tools.books.report_shown import TOTAL, Line
    from host_tools.store import reporting

    total = reporting.NOTHING
    if by in (By.KIND, By.PLAYER):
        add_up = reporting.by_kind if by is By.KIND else reporting.by_player
        for key, sums in add_up(connection, which):
            total = total.plus(sums)
            yield Line(by.value, {by.value: key}, sums)
        # A round counts once in each line in which it has a wager, and once at all here.
        total = total._replace(rounds=reporting.rounds_with_wagers(connection, which))
    elif by is By.ROUND:
        for row in reporting.by_round(connection, which):
            total = total.plus(row.sums)
            keys = {"dev": row.dev, "round": row.round, "began_at": row.began_at.isoformat(timespec="milliseconds")}
            yield Line(by.value, keys, row.sums)
    else:  # they come in the order in which they began, so a day's rounds stand together
        for day, rows in groupby(reporting.by_round(connection, which), lambda row: days.of(row.began_at)):
            sums = reporting.NOTHING
            for row in rows:
                sums = sums.plus(row.sums)
            total = total.plus(sums)
            yield Line(by.value, {"day": day.isoformat()}, sums)
    yield Line(TOTAL, {}, total)
