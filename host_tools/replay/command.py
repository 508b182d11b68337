"""The command `tumbler replay`: captured logs into a store."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from host_tools.progress import bytes_read
from host_tools.settler import paytable as paytables
from host_tools.settler.wagerfile import read_wagers
from host_tools.words import plural

if TYPE_CHECKING:
    from host_tools.replay.feed import Replay

MISSED = 1


def replay(
    logs: Annotated[
        list[Path], typer.Argument(help="Captured logs in the order in which they were made", metavar="LOG...")
    ],
    store: Annotated[str, typer.Option(help="Where the records go; never a store by chance", metavar="URL")],
    wagers: Annotated[
        Path | None,
        typer.Option(
            help="CSV file whose wagers are placed in every round, as a run did: no log holds any", metavar="FILE"
        ),
    ] = None,
    paytable: Annotated[
        str, typer.Option(help="A name that `tumbler paytables` lists, or a TOML file", metavar="NAME")
    ] = paytables.DEFAULT,
) -> None:
    """Read captured logs into a store: what it lacks is taken by the chain, what it has is compared, nothing twice.

    Into a new store it gives the settlements of the run once more, with the run's --wagers; into a store that was
    restored from a backup it brings back the records that the board no longer has. Ends with 1 when a record could not
    be taken.
    """
    from host_tools.capture.names import captures
    from host_tools.replay.feed import Replay
    from host_tools.store import Settler, Store
    from host_tools.verify.logs import check_lines, check_log

    console = Console()
    table = paytables.load(paytable)
    batch = [] if wagers is None else read_wagers(wagers, table)
    total = sum(check_log(path) for path in logs)
    captured = captures(logs)
    for parts in captured:
        check_lines(parts)
    database = Store.open(store)
    work = Replay(database, Settler(table), batch, lambda text, style: console.print(Text(text, style=style)))
    try:
        with bytes_read("Reading", total) as advance:
            for parts in captured:
                work.log(parts, advance)
        work.end()
    finally:
        work.close()
        database.close()
    if not _show(console, work):
        raise typer.Exit(MISSED)


def _show(console: Console, work: "Replay") -> bool:
    """-> whether all was taken."""
    for dev, board in work.boards.items():
        counts = f"{plural(board.taken, 'record', 'records')} taken, {board.known} were there"
        console.print(Text(f"Board {dev}: {counts}"), soft_wrap=True)
    console.print(Text(f"{plural(work.entries, 'settlement', 'settlements')} entered"), soft_wrap=True)
    missed = [board.missed for board in work.boards.values() if board.missed is not None]
    for one in missed:
        text = f"{one.place}: record {one.boot}:{one.seq} of board {one.dev} is not taken: {one.why}."
        console.print(Text(text, style="bold red"), soft_wrap=True)
    return not missed
