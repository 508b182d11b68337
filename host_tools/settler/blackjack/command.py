"""`tumbler blackjack`: keeps the boxes of a blackjack table and settles Super Sevens, by lines."""

from pathlib import Path
from typing import Annotated

import typer

from host_tools.errors import UserError
from host_tools.settler.amounts import parse_cents
from host_tools.settler.blackjack import super_sevens
from host_tools.settler.blackjack.boxes import INITIAL, BoxRules
from host_tools.settler.blackjack.session import Session
from host_tools.settler.limits import Limit
from host_tools.settler.paytable_file import find_file
from host_tools.settler.typed import keep


def blackjack(
    file: Annotated[
        Path | None, typer.Argument(help="Lines of what happened; without one they are typed", metavar="[FILE]")
    ] = None,
    boxes: Annotated[int, typer.Option(help="Boxes of the table", metavar="N", min=1, max=99)] = 7,
    minimum: Annotated[
        str | None, typer.Option(help="Least initial wager on each box, as the sign says: 5.00", metavar="AMOUNT")
    ] = None,
    maximum: Annotated[str | None, typer.Option(help="Most on each box", metavar="AMOUNT")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="Several players may wager on one box")] = False,
    per_player: Annotated[
        int, typer.Option(help="So many boxes a player, where he may have several", metavar="N", min=1)
    ] = 1,
    room_elsewhere: Annotated[
        bool, typer.Option("--room-elsewhere", help="Other tables of these limits have places for all")
    ] = False,
    paytable: Annotated[
        str, typer.Option(help="Of Super Sevens: a TOML file, or the one that comes with tumbler", metavar="NAME|FILE")
    ] = super_sevens.KIND,
) -> None:
    """Keep a blackjack table's boxes and settle Super Sevens, typed line by line (docs/BLACKJACK.md).

    Hands are not settled. Of a file or a pipe all lines are good, or nothing is shown. At the keyboard a line that
    cannot be is refused and the table goes on.
    """
    table = super_sevens.load(find_file(paytable, {super_sevens.KIND: super_sevens.BUNDLED}))
    least = None if minimum is None else parse_cents("--minimum", minimum)
    most = None if maximum is None else parse_cents("--maximum", maximum)
    if least is not None and most is not None and least > most:
        raise UserError(
            f"--minimum {minimum} is over --maximum {maximum}: no wager could be taken, so mend one of them."
        )
    limits = {**table.limits, INITIAL: Limit(least, most)}
    rules = BoxRules(limits, per_player, shared, super_sevens=True)
    keep(Session(rules, boxes, room_elsewhere, table), file, "Blackjack file")
