"""The settler's sub-commands, `tumbler settle` and `tumbler paytables`, for the command line to register.

All raise UserError for bad input before anything is printed.
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from host_tools.settler import check as check_room
from host_tools.settler import paytable as paytables_room
from host_tools.settler.paytable_file import PaytableFile
from host_tools.settler.render import print_edges, print_paytables, print_round
from host_tools.settler.settle import json_line, settle_round
from host_tools.settler.taisai import parse_dice
from host_tools.settler.wagerfile import read_wagers

paytables_app = typer.Typer(invoke_without_command=True)


def settle(
    dice: Annotated[str, typer.Option(help="The result, in any order: 1,3,6")],
    wagers: Annotated[Path, typer.Option(help="CSV file: wager_id,player,kind,selection,stake", metavar="FILE")],
    paytable: Annotated[
        str, typer.Option(help="A name that `tumbler paytables` lists, or the path of a TOML file", metavar="NAME")
    ] = paytables_room.DEFAULT,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object a wager, in file order, money in cents")
    ] = False,
) -> None:
    """Settle a file of wagers against one result."""
    result = parse_dice(dice)
    table = paytables_room.load(paytable)
    settlements = settle_round(read_wagers(wagers, table), result, table)
    if json:
        for settlement in settlements:
            typer.echo(json_line(settlement))
    else:
        print_round(Console(), result, settlements, table)


@paytables_app.callback()
def paytables(context: typer.Context) -> None:
    """List the paytables, where each comes from and what it covers."""
    if context.invoked_subcommand is None:
        checked = [check_room.check(PaytableFile(path)) for path in check_room.bundled_paths().values()]
        print_paytables(Console(), [paytable for paytable, _, _ in checked])


@paytables_app.command()
def check(
    paytable: Annotated[
        str | None, typer.Argument(help="A name, or the path of a TOML file; without one, all that come with tumbler")
    ] = None,
) -> None:
    """Check a paytable and show the exact house edge of every wager that it covers.

    A wager on which the house loses is a warning: the paytable is still taken.
    """
    paths = check_room.bundled_paths().values() if paytable is None else [check_room.path_of(paytable)]
    for checked in [check_room.check(PaytableFile(path)) for path in paths]:
        print_edges(Console(), checked.paytable, checked.edges)
        for warning in checked.warnings:
            typer.echo(f"Warning: {warning}", err=True)
