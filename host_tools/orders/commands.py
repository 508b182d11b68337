"""`tumbler order`: an order for a board is queued for its `tumbler run`, waited for, and told as the board answered it.

Exit code 0: carried out; 1: not carried out, or not known yet; 2: bad input, nothing was queued.
"""

import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from host_tools import keys
from host_tools.books.names import parse_record
from host_tools.errors import UserError
from host_tools.settler.taisai import parse_dice
from host_tools.store_option import DEFAULT_STORE, By, StoreUrl, existing, host_name

if TYPE_CHECKING:
    from host_tools.store import Store
    from host_tools.store.rows import Command

LISTED = 20

order_app = typer.Typer(
    no_args_is_help=True, help="Orders for a board whose `tumbler run` is on; each is sent within 60 s or never."
)

Dev = Annotated[str, typer.Option(help="The board", metavar="DEV")]
RoundNumber = Annotated[int, typer.Option("--round", help="The round", metavar="N", min=0)]
InForce = Annotated[
    str,
    typer.Option(
        help="The record that must be in force for the board to obey, as `tumbler rounds` shows it", metavar="BOOT:SEQ"
    ),
]
Reason = Annotated[
    str, typer.Option(help="not_flat, opened_early, equipment, wrong_entry, dispute or other", metavar="REASON")
]


@order_app.command()
def void(
    dev: Dev, number: RoundNumber, in_force: InForce, reason: Reason, by: By, store: StoreUrl = DEFAULT_STORE
) -> None:
    """The round does not count: all its stakes go back. This is final."""
    _give(store, dev, "void", by, number, in_force, reason=reason)


@order_app.command()
def correct(
    dev: Dev,
    number: RoundNumber,
    in_force: InForce,
    dice: Annotated[str, typer.Option(help="The dice as they lay: 1,3,6", metavar="DICE")],
    reason: Reason,
    by: By,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Other dice for the board's last round, until its next spin; later `tumbler adjust` does it."""
    _give(store, dev, "correct", by, number, in_force, dice=parse_dice(dice), reason=reason)


@order_app.command()
def clear(dev: Dev, number: RoundNumber, in_force: InForce, by: By, store: StoreUrl = DEFAULT_STORE) -> None:
    """Clear a fault whose cause is gone, named by its record; an open round is void with it.

    That the cover stayed shut after a power cut is said at the keys only.
    """
    _give(store, dev, "clear", by, number, in_force)


@order_app.command("no-more-bets")
def no_more_bets(dev: Dev, number: RoundNumber, in_force: InForce, by: By, store: StoreUrl = DEFAULT_STORE) -> None:
    """Close the bets of the open round."""
    _give(store, dev, "no_more_bets", by, number, in_force)


@order_app.command()
def maintenance(dev: Dev, by: By, store: StoreUrl = DEFAULT_STORE) -> None:
    """Into maintenance: only in IDLE and with the supervisor key on; the board resets and plays no rounds."""
    _give(store, dev, "maintenance", by)


@order_app.command("list")
def list_orders(
    dev: Annotated[str | None, typer.Option(help="Only of this board", metavar="DEV")] = None,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """The last 20 orders and how each ended, the newest first."""
    from host_tools.orders.waiting import ending

    database = existing(store, dev)
    found = database.last_commands(dev, LISTED)
    database.close()
    for command in found:
        typer.echo(f"{command.id}  {command.queued_at:%Y-%m-%d %H:%M:%S}  {_what(command)}: {ending(command, _now())}")
    if not found:
        typer.echo("No order was given yet.")


def _give(
    url: str, dev: str, verb: str, by: str, number: int | None = None, in_force: str | None = None, **fields: Any
) -> None:
    """Queue, wait and tell. Raises UserError for what cannot be sent, Exit with how it ended."""
    keys.check_dev(dev)
    name = host_name(by)
    ref_boot, ref_seq = (None, None) if in_force is None else parse_record(in_force)
    database = existing(url)
    try:
        if database.table_of(dev) is None:
            raise UserError(f"Board {dev} serves no table here: see `tumbler enrol list`.")
        order = database.queue_command(
            dev, verb, name, _now(), round=number, ref_boot=ref_boot, ref_seq=ref_seq, **fields
        )
        code = _follow(database, order)
    finally:
        database.close()
    raise typer.Exit(code)


def _follow(database: "Store", order: int) -> int:
    from host_tools.books.show import print_overpaid
    from host_tools.orders import waiting
    from host_tools.store.rows import DONE, SENT, WITHDRAWN

    console = Console()
    typer.echo(f"Order {order} is queued for `tumbler run`")
    with console.status(f"Waiting for the end of order {order} (Ctrl-C takes it back while it is not sent)"):
        command = waiting.wait(database, order, _now, time.sleep, typer.echo)
    typer.echo(f"Order {order}, {_what(command)}: {waiting.ending(command, _now())}")
    if command.state == WITHDRAWN:
        typer.echo("Nobody sent it in time: is `tumbler run` of this board on, and with this store?")
    elif command.state == SENT:
        typer.echo(f"If the board obeyed, its record will say so: see `tumbler order list`, order {order}.")
    if command.state != DONE:
        return waiting.NOT_CARRIED_OUT
    if command.verb in ("void", "correct"):
        if waiting.wait_for_record(database, command, _now, time.sleep):
            print_overpaid(database, database.overpaid(command.dev, command.round))
        else:
            typer.echo("Its record is not settled here yet: see `tumbler rounds` and `tumbler alarms`.")
    return waiting.CARRIED_OUT


def _what(command: "Command") -> str:
    about = "" if command.round is None else f" round {command.round} ({command.ref_boot}:{command.ref_seq})"
    dice = "" if command.dice is None else f" to {','.join(map(str, command.dice))}"
    reason = "" if command.reason is None else f", {command.reason}"
    return f"{command.verb}{about}{dice} of board {command.dev} by {command.by}{reason}"


def _now() -> datetime:
    return datetime.now(timezone.utc)
