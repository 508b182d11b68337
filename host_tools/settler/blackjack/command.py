"""`tumbler blackjack`: keeps the boxes of a blackjack table and settles Super Sevens, by lines."""

from pathlib import Path
from typing import Annotated

import typer

from host_tools.errors import UserError
from host_tools.settler import typed
from host_tools.settler.amounts import parse_cents
from host_tools.settler.blackjack import super_sevens
from host_tools.settler.blackjack.boxes import INITIAL, BoxRules
from host_tools.settler.blackjack.session import Session
from host_tools.settler.limits import ALL, Limit
from host_tools.settler.paytable_file import find_file
from host_tools.settler.render import money


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
    no_super_sevens: Annotated[bool, typer.Option("--no-super-sevens", help="It is not offered")] = False,
    sevens_minimum: Annotated[str | None, typer.Option(help="Least Super Sevens wager", metavar="AMOUNT")] = None,
    sevens_maximum: Annotated[str | None, typer.Option(help="Most", metavar="AMOUNT")] = None,
    decks: Annotated[
        int | None,
        typer.Option(help="From how many decks is dealt", metavar="N", min=1, max=super_sevens.MOST_DECKS),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Where typed lines are kept; those it has are done first", metavar="FILE")
    ] = None,
) -> None:
    """Keep a blackjack table's boxes and settle Super Sevens, typed line by line (docs/BLACKJACK.md).

    Hands are not settled. Of a file or a pipe all lines are good, or nothing is shown. At the keyboard a line that
    cannot be is refused and the table goes on.
    """
    table = super_sevens.load(find_file(paytable, {super_sevens.KIND: super_sevens.BUNDLED}))
    table = table.with_decks(decks or max(table.all_decks))
    of_sevens = table.limits.get(super_sevens.KIND) or table.limits.get(ALL) or Limit()
    limits = {
        INITIAL: _limit("", minimum, maximum, Limit()),
        super_sevens.KIND: _limit("sevens-", sevens_minimum, sevens_maximum, of_sevens),
    }
    rules = BoxRules(limits, per_player, shared, not no_super_sevens)
    typed.keep(lambda: Session(rules, boxes, room_elsewhere, table), file, "Blackjack file", keep)


def _limit(name: str, minimum: str | None, maximum: str | None, of_paytable: Limit) -> Limit:
    """The limit of the options --NAMEminimum and --NAMEmaximum, of the paytable what they leave out."""
    least = of_paytable.min_cents if minimum is None else parse_cents(f"--{name}minimum", minimum)
    most = of_paytable.max_cents if maximum is None else parse_cents(f"--{name}maximum", maximum)
    if least is not None and most is not None and least > most:
        raise UserError(
            f"--{name}minimum {money(least)} is over --{name}maximum {money(most)}: no wager could be taken, so mend "
            "one of them."
        )
    return of_paytable._replace(min_cents=least, max_cents=most)
