"""The odds in the store: what each result does to a wager on each area under a paytable, written once for each."""

from itertools import combinations_with_replacement

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from host_tools.settler.game import WIN
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import LOSE
from host_tools.settler.taisai import Dice
from host_tools.store import rows
from host_tools.store.schema import odds

# Of two that write the odds of one paytable at once the other finds them there. SQLite knows the same words, and
# SQLAlchemy has them for each database apart.
_KEEP = insert(odds).on_conflict_do_nothing()


def keep(connection: Connection, paytable: Paytable) -> None:
    """Write the odds of a paytable, if the store does not hold them yet: a row for each outcome on each area."""
    known = select(odds.c.dice).where(odds.c.paytable_hash == paytable.hash).limit(1)
    if connection.execute(known).first() is not None:
        return
    made = []
    for outcome in combinations_with_replacement(range(1, 7), 3):
        winning = paytable.winning_areas(outcome)
        for kind, selection in sorted(paytable.areas):
            pays = winning.get((kind, selection))
            row = {"paytable_hash": paytable.hash, "dice": key(outcome), "kind": kind, "selection": selection}
            row |= {"outcome": LOSE, "odds_win": None, "odds_stake": None}
            if pays is not None:
                row |= {"outcome": WIN, "odds_win": pays.win, "odds_stake": pays.stake}
            made.append(row)
    connection.execute(_KEEP, made)


def key(dice: Dice) -> str:
    """The dice as the odds have them: in rising order, for their order decides no wager."""
    first, second, third = sorted(dice)
    return rows.digits((first, second, third))
