"""Lists wagers, each with what became of it: one statement, read row by row."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, func, select

from host_tools.settler.settle import VOID, Wager
from host_tools.store.entering import late, of_wager, stands, taken_back
from host_tools.store.schema import rounds, settlements, wagers, withdrawals
from host_tools.store.settling import wager_from

OPEN, WITHDRAWN = "open", "withdrawn"


class Listed(NamedTuple):
    """A wager as it stands: `outcome` is open, withdrawn (not settled yet), win, lose or void.

    Before it is settled too, it is judged by when the bets were closed, as soon as that is known: a withdrawal that
    came later does not count (`open`), and a wager that was accepted later is void. `returned_cents` is None while it
    is not settled.
    """

    dev: str
    round: int
    wager: Wager
    accepted_at: datetime
    outcome: str
    returned_cents: int | None
    withdrawn_at: datetime | None
    withdrawn_by: str | None


def listed(
    connection: Connection, dev: str | None, number: int | None, player: str | None, *which: ColumnElement[bool]
) -> Iterator[Listed]:
    """As Store.list_wagers, inside the caller's transaction; only those for which `which`, conditions on `wagers`,
    hold."""
    standing = and_(of_wager(settlements), stands(settlements))
    outcome = case(
        (settlements.c.outcome.is_not(None), settlements.c.outcome),
        (late(rounds.c.closed_at), VOID),
        (and_(withdrawals.c.withdrawn_at.is_not(None), taken_back(rounds.c.closed_at)), WITHDRAWN),
        else_=OPEN,
    )
    query = (
        select(
            wagers,
            outcome.label("outcome"),
            settlements.c.returned_cents,
            withdrawals.c.withdrawn_at,
            withdrawals.c.by,
        )
        .select_from(
            wagers.join(rounds, and_(rounds.c.dev == wagers.c.dev, rounds.c.round == wagers.c.round))
            .outerjoin(settlements, standing)
            .outerjoin(withdrawals, of_wager(withdrawals))
        )
        .where(*which)
        .order_by(wagers.c.dev, wagers.c.round, wagers.c.place)
    )
    if number is None and player is None:
        of_dev = select(func.max(rounds.c.round)).where(rounds.c.dev == wagers.c.dev)
        last = of_dev.correlate(wagers).scalar_subquery()
        query = query.where(wagers.c.round == last)
    for column, value in ((wagers.c.dev, dev), (wagers.c.round, number), (wagers.c.player, player)):
        query = query if value is None else query.where(column == value)
    for row in connection.execute(query, execution_options={"yield_per": 1000}).mappings():
        yield Listed(
            row["dev"],
            row["round"],
            wager_from(row),
            row["accepted_at"],
            row["outcome"],
            row["returned_cents"],
            row["withdrawn_at"],
            row["by"],
        )
