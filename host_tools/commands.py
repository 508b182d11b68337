"""The commands of `tumbler` and what they are called. Each command's work stands in a room of its own."""

import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from host_tools import keys
from host_tools.bench.command import bench
from host_tools.boards.commands import boards_app
from host_tools.books.commands import adjust, overpaid, rounds
from host_tools.books.report import report
from host_tools.books.restore import store_app
from host_tools.books.wagers import wager_app
from host_tools.build import build
from host_tools.capture.command import capture
from host_tools.doctor.command import doctor
from host_tools.errors import UserError
from host_tools.flash.command import flash
from host_tools.image import image
from host_tools.orders.commands import order_app
from host_tools.provision import provision
from host_tools.replay.command import replay
from host_tools.rig.commands import rig_app
from host_tools.run.command import run
from host_tools.settler.blackjack.command import blackjack
from host_tools.settler.commands import paytables_app, settle
from host_tools.settler.craps.command import craps
from host_tools.store_option import DEFAULT_STORE, LARGEST_ID, StoreUrl, existing
from host_tools.verify.command import verify
from host_tools.view.command import table_app
from host_tools.watch.command import watch

if TYPE_CHECKING:
    from host_tools.store import Store

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
alarms_app = typer.Typer(invoke_without_command=True)
app.add_typer(boards_app, name="boards")
app.add_typer(alarms_app, name="alarms")
app.add_typer(paytables_app, name="paytables")
app.add_typer(order_app, name="order")
app.add_typer(store_app, name="store")
app.add_typer(rig_app, name="rig")
app.add_typer(wager_app, name="wager")
app.add_typer(table_app, name="table")
for command in (
    run,
    capture,
    verify,
    replay,
    settle,
    rounds,
    report,
    overpaid,
    adjust,
    craps,
    blackjack,
    build,
    image,
    flash,
    doctor,
    provision,
    watch,
):
    app.command()(command)
app.command()(bench)
if sys.platform != "win32":  # it needs pseudo terminals
    from host_tools.sim.commands import sim

    app.command()(sim)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tumbler {version('tumbler')}")
        raise typer.Exit()


@app.callback()
def tumbler(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Tai-Sai (Sic Bo): a dice tumbler's terminal, its rounds and their settling."""


@app.command()
def enrol(
    dev: Annotated[
        str, typer.Argument(help="The board's dev as its hello says it, or: list", metavar="[DEV|list]")
    ] = "list",
    table: Annotated[str | None, typer.Option(help="The table that it serves from now on", metavar="NAME")] = None,
    key: Annotated[Path | None, typer.Option(help="Its key file, which is copied to its place", metavar="FILE")] = None,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Say which table a board serves; without a board, or with `list`, show all of them.

    A board for play needs the key file that `tumbler provision` wrote, which is in its place already on the computer
    that did it; on another one name it with --key. Simulated and emulated boards (sim-…, emu-…) need none.
    """
    from host_tools.store import Store

    if dev == "list":
        if table is not None or key is not None:
            raise UserError(
                "`enrol list` takes neither --table nor --key: leave them out, or give the DEV of the board."
            )
        _list_enrolments(existing(store))
        return
    keys.check_dev(dev)
    if table is None or not (0 < len(table) <= 64 and table.isprintable() and table.strip() == table):
        raise UserError(f"Say which table board {dev} serves, in 1 to 64 printable characters: --table NAME.")
    if key is not None:
        keys.check_installable(dev, key)
    else:
        keys.board_key(dev)
    database = Store.open(store)
    if key is not None:
        keys.install_key(dev, key)
    database.enrol(dev, table, datetime.now(timezone.utc))
    database.close()
    typer.echo(f"Board {dev} serves table {table}.")


def _list_enrolments(database: "Store") -> None:
    shown = Table("Board", "Table", "From", "To")
    for row in database.enrolments():
        until = "" if row.enrolled_to is None else f"{row.enrolled_to:%Y-%m-%d %H:%M:%S}"
        shown.add_row(row.dev, row.table_name, f"{row.enrolled_from:%Y-%m-%d %H:%M:%S}", until)
    database.close()
    Console().print(shown)


@alarms_app.callback()
def alarms(context: typer.Context, store: StoreUrl = DEFAULT_STORE) -> None:
    """What an operator must look at before settling goes on; without a command, the open alarms."""
    if context.invoked_subcommand is None:
        list_alarms(store)
    elif store != DEFAULT_STORE:
        raise UserError(f"Give --store behind the command: tumbler alarms {context.invoked_subcommand} --store URL.")


@alarms_app.command("list")
def list_alarms(store: StoreUrl = DEFAULT_STORE) -> None:
    """The alarms that nobody confirmed yet."""
    database = existing(store)
    found = database.open_alarms()
    database.close()
    for alarm in found:
        typer.echo(f"{alarm.id}  {alarm.raised_at:%Y-%m-%d %H:%M:%S}  {alarm.dev}  {alarm.kind}  {alarm.text}")
    if not found:
        typer.echo("No alarm is open.")


@alarms_app.command("confirm")
def confirm_alarm(
    alarm: Annotated[
        int,
        typer.Argument(help="Its number, as `tumbler alarms` shows it", metavar="NUMBER", min=1, max=LARGEST_ID),
    ],
    by: Annotated[str, typer.Option(help="Who answers for it", metavar="NAME")],
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Answer for an alarm with your name, once its cause was found: settling goes on with the next record."""
    if not (0 < len(by) <= 24 and by.isprintable() and by.strip() == by):
        raise UserError("Say who confirms the alarm, in 1 to 24 printable characters: --by NAME.")
    database = existing(store)
    was_open = database.confirm_alarm(alarm, by, datetime.now(timezone.utc))
    database.close()
    if not was_open:
        raise UserError(f"No alarm {alarm} is open: see `tumbler alarms`.")
    typer.echo(f"Alarm {alarm} is confirmed by {by}.")
