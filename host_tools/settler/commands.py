"""The settler's sub-commands, `tumbler settle` and `tumbler paytables`, as functions for the command line to register.

Both raise UserError for bad input before anything is printed.
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from host_tools.settler import paytable as paytables_room
from host_tools.settler.render import print_paytables, print_round
from host_tools.settler.settle import json_line, settle_round
from host_tools.settler.taisai import parse_dice
from host_tools.settler.wagerfile import read_wagers


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


def paytables() -> None:
    """List the paytables, where each comes from and what it covers."""
    print_paytables(Console(), [paytables_room.load(name) for name in paytables_room.bundled_names()])
