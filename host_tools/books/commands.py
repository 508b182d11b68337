"""`tumbler rounds`, `tumbler overpaid` and `tumbler adjust`: the books as people read them, and the host's own word."""

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from tumbler.core import fields as F

from host_tools import keys
from host_tools.books.names import parse_in_force
from host_tools.errors import UserError
from host_tools.settler import paytable as paytables
from host_tools.settler.taisai import parse_dice
from host_tools.store_option import DEFAULT_STORE, By, StoreUrl, existing, host_name

if TYPE_CHECKING:
    from host_tools.store import Settler
    from host_tools.store.rows import Round

OneDev = Annotated[str | None, typer.Option(help="Only of this board", metavar="DEV")]


def rounds(
    dev: OneDev = None,
    last: Annotated[int, typer.Option(help="So many rounds of each board", metavar="N", min=1, max=100_000)] = 10,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """The last rounds: what is in force for each, by whom and why, what it paid, and faults that wait."""
    from host_tools.books.show import print_round_lines

    database = existing(store, dev)
    # No board has a round before it was enrolled.
    devs = dict.fromkeys(row.dev for row in database.enrolments()) if dev is None else [dev]
    shown = 0
    for one in devs:
        for round_ in database.last_rounds(one, last):
            print_round_lines(database, round_)
            shown += 1
        fault = database.open_fault(one)
        if fault is not None:
            typer.echo(
                f"{one}  FAULT {fault.code} in {fault.state}, in force {fault.boot}:{fault.seq}, --round {fault.round}"
            )
    database.close()
    if not shown:
        typer.echo("No round is stored yet.")


def overpaid(
    dev: OneDev = None,
    number: Annotated[
        int | None, typer.Option("--round", help="Only of this round", metavar="N", min=0, max=F.UINT_MAX)
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Every player who got more than a later correction, void or adjustment gives: who, why and since which record."""
    from host_tools.books.show import print_overpaid

    database = existing(store, dev)
    found = database.overpaid(dev, number)
    print_overpaid(database, found)
    database.close()
    if not found:
        typer.echo("Nobody was overpaid.")


def adjust(
    dev: Annotated[str, typer.Option(help="The board that played the round", metavar="DEV")],
    number: Annotated[int, typer.Option("--round", help="The round", metavar="N", min=0, max=F.UINT_MAX)],
    in_force: Annotated[
        str,
        typer.Option(help="What stands now, as `tumbler rounds` shows it: a record or an adjustment", metavar="REF"),
    ],
    reason: Annotated[
        str, typer.Option(help="not_flat, opened_early, equipment, wrong_entry, dispute or other", metavar="REASON")
    ],
    by: By,
    dice: Annotated[str | None, typer.Option(help="The dice as they lay: 1,3,6", metavar="DICE")] = None,
    void: Annotated[bool, typer.Option("--void", help="All stakes go back; this is final")] = False,
    paytable: Annotated[
        str | None, typer.Option(help="Where the round's is not one of ours: its TOML file", metavar="FILE")
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """The host's own word on a round that its board can correct no more: other dice, or void.

    It stands beside the board's records, which stay, and the round is settled by it with reversing entries.
    """
    from host_tools.books.show import print_overpaid, print_round_lines
    from host_tools.settler.render import print_settlements

    keys.check_dev(dev)
    if (dice is None) is not void:
        raise UserError("Say what the round is now: either --dice 1,3,6 or --void.")
    result = None if dice is None else parse_dice(dice)
    name, expected = host_name(by), parse_in_force(in_force)
    database = existing(store)
    try:
        settler = _settler(database.round(dev, number), paytable)
        at = datetime.now(timezone.utc)
        made = database.adjust(dev, number, expected, result, reason, name, settler, at)
        round_ = database.round(dev, number)
        assert round_ is not None, "it was adjusted"
        print_round_lines(database, round_)
        if made.settled.count:
            print_settlements(Console(), made.first_settled(), made.settled)
        print_overpaid(database, database.overpaid(dev, number))
    finally:
        database.close()


def _settler(round_: "Round | None", given: str | None) -> "Settler":
    """The paytable under which the round took its wagers, or the one that was given for it."""
    from host_tools.store import Settler

    name = given or (round_.paytable if round_ is not None else None) or paytables.DEFAULT
    return Settler(paytables.load(name))
