"""`tumbler craps`: keeps a craps table by lines, from a file, a pipe or the keyboard."""

from pathlib import Path
from typing import Annotated

import typer

from host_tools.errors import UserError
from host_tools.settler import typed
from host_tools.settler.amounts import shown
from host_tools.settler.craps import wagers
from host_tools.settler.craps.session import Session
from host_tools.settler.craps.table import CrapsTable
from host_tools.settler.paytable_file import find_file
from host_tools.words import composed


def craps(
    players: Annotated[str, typer.Option(help="Who stands around the table, clockwise: Aroha,Ben", metavar="NAMES")],
    file: Annotated[
        Path | None, typer.Argument(help="Lines of what happened; without one they are typed", metavar="[FILE]")
    ] = None,
    paytable: Annotated[
        str, typer.Option(help="A TOML file; craps is general practice, which comes with tumbler", metavar="NAME|FILE")
    ] = wagers.GAME,
    keep: Annotated[
        Path | None, typer.Option(help="Where typed lines are kept; those it has are done first", metavar="FILE")
    ] = None,
) -> None:
    """Keep a craps table: wagers, rolls and who has the dice, typed line by line (docs/CRAPS.md).

    Of a file or a pipe all lines are good, or nothing is shown. At the keyboard a line that cannot be is refused and
    the table goes on.
    """
    table = wagers.load(find_file(paytable, {wagers.GAME: wagers.BUNDLED}))
    names = _names(players)
    typed.keep(lambda: Session(CrapsTable(table, names)), file, "Craps file", keep)


def _names(players: str) -> list[str]:
    names = [name.strip() for name in composed(players).split(",")]
    if len(set(names)) != len(names) or any(not name.isprintable() or len(name.split()) != 1 for name in names):
        raise UserError(f"--players {shown(players)} are not different names of one word each: write Aroha,Ben.")
    return names
