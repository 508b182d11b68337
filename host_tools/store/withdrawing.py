"""Gives back the stakes of wagers that were withdrawn. Nothing is deleted: the wager stays, a row says who took it back
and when (store/wagers.py), and here, at the round's end, it gets a void entry."""

from datetime import datetime

from sqlalchemy import Connection, and_, insert, literal, select

from host_tools.settler.settle import VOID
from host_tools.store.rows import SETTLE, Round
from host_tools.store.schema import settlements, wagers, withdrawals

REASON = "withdrawn before the bets were closed"

_KEY = ("dev", "round", "wager_id")


def void_withdrawn(connection: Connection, round_: Round, at: datetime) -> None:
    """Give back the stakes of the wagers that were withdrawn in time and have no entry yet. One that was withdrawn when
    the bets may have been closed stands: it is decided by the dice."""
    in_time = () if round_.closed_at is None else (withdrawals.c.withdrawn_at < round_.closed_at,)
    entered = select(settlements.c.id).where(*(settlements.c[name] == wagers.c[name] for name in _KEY)).exists()
    back = (
        select(
            *(wagers.c[name] for name in _KEY),
            *(literal(value) for value in (SETTLE, round_.boot, round_.seq)),
            literal(round_.adjustment, settlements.c.adjustment.type),
            literal(VOID),
            literal(0),
            wagers.c.stake_cents,
            literal(REASON),
            literal(at, settlements.c.entered_at.type),
        )
        .join(withdrawals, and_(*(withdrawals.c[name] == wagers.c[name] for name in _KEY)))
        .where(wagers.c.dev == round_.dev, wagers.c.round == round_.round, ~entered, *in_time)
        .order_by(wagers.c.place)
    )
    into = (*_KEY, "entry", "boot", "seq", "adjustment", "outcome", "won_cents", "returned_cents", "reason")
    connection.execute(insert(settlements).from_select([*into, "entered_at"], back))
