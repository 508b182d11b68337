"""`tumbler watch`: the view of a table in a terminal, and on a simulated one the dealer's keys."""

import os
import sys
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from host_tools.errors import UserError
from host_tools.settler import paytable as paytables
from host_tools.store_option import DEFAULT_STORE, StoreUrl
from host_tools.view.command import Dev, PaytableOfRun, TableName, seat_of

CANNOT_DRAW = ("dumb", "unknown")


class Language(str, Enum):
    """What the view may speak."""

    EN = "en"
    ZH_HANT = "zh-Hant"


def watch(
    store: StoreUrl = DEFAULT_STORE,
    dev: Dev = None,
    name: TableName = None,
    paytable: PaytableOfRun = paytables.DEFAULT,
    language: Annotated[Language, typer.Option(help="What the view speaks")] = Language.EN,
    rig: Annotated[
        Path | None,
        typer.Option(help="Deal at a simulated board: its rig, as `tumbler run` or `sim` prints it", metavar="SOCKET"),
    ] = None,
) -> None:
    """Show a table in the terminal. Ends at q or Ctrl-C."""
    from host_tools.rig.server import connect
    from host_tools.store.database import Database
    from host_tools.view.hub import Hub
    from host_tools.view.reading import Reader

    odds = paytables.load(paytable)
    database = Database(store, make=False)
    try:
        hub = Hub(database, Reader(database, seat_of(database, dev, name), odds), lambda: datetime.now(timezone.utc))
        if rig is not None:
            if not hub.state.simulated:
                shown = hub.state.dev or "no board"
                raise UserError(f"--rig works a simulated board alone, and {shown} is shown: leave it out.")
            connect(rig).close()
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise UserError("tumbler watch draws on a terminal, and here is none: run it in one, or use tumbler table.")
        term = os.environ.get("TERM", "")
        if term in CANNOT_DRAW:
            raise UserError(f"On this terminal (TERM={term}) nothing can be drawn: take another, or use tumbler table.")
        from host_tools.watch.app import Watch
        from host_tools.watch.words import LANGUAGES

        view = Watch(hub, odds, LANGUAGES[language.value], rig)
        view.run()
        if view.failure is not None:
            raise view.failure
    finally:
        database.close()
