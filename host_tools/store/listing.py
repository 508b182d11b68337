"""Lists wagers, each with what became of it: one statement, read row by row."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select

from host_tools.settler.settle import Wager
from host_tools.store.entering import of_wager, stands
from host_tools.store.schema import rounds, settlements, wagers, withdrawals
from host_tools.store.settling import wager_from

OPEN, WITHDRAWN = "open", "withdrawn"


class Listed(NamedTuple):
    """A wager as it stands: `outcome` is open, withdrawn (not settled yet), win, lose or void.

    `returned_cents` is None while it is not settled.
    """

    dev: str
    round: int
    wager: Wager
    accepted_at: datetime
    outcome: str
    returned_cents: int | None
    withdrawn_at: datetime | None
    withdrawn_by: str | None


def listed(connection: Connection, dev: str | None, number: int | None, player: str | None) -> Iterator[Listed]:
    """As Store.list_wagers, inside the caller's transaction."""
    standing = and_(of_wager(settlements), stands(settlements))
    query = (
        select(
            wagers, settlements.c.outcome, settlements.c.returned_cents, withdrawals.c.withdrawn_at, withdrawals.c.by
        )
        .select_from(wagers.outerjoin(settlements, standing).outerjoin(withdrawals, of_wager(withdrawals)))
        .order_by(wagers.c.dev, wagers.c.round, wagers.c.place)
    )
    if number is None and player is None:
        last = select(func.max(rounds.c.round)).where(rounds.c.dev == wagers.c.dev).scalar_subquery()
        query = query.where(wagers.c.round == last)
    for column, value in ((wagers.c.dev, dev), (wagers.c.round, number), (wagers.c.player, player)):
        query = query if value is None else query.where(column == value)
    for row in connection.execute(query, execution_options={"yield_per": 1000}).mappings():
        outcome = row["outcome"] or (OPEN if row["withdrawn_at"] is None else WITHDRAWN)
        yield Listed(
            row["dev"],
            row["round"],
            wager_from(row),
            row["accepted_at"],
            outcome,
            row["returned_cents"],
            row["withdrawn_at"],
            row["by"],
        )
