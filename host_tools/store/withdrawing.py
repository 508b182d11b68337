"""Gives back the stakes of wagers that were withdrawn. Nothing is deleted: the wager stays, a row says who took it back
and when (store/wagers.py), and here, at the round's end, it gets a void entry."""

from datetime import datetime

from sqlalchemy import Connection, literal, select

from host_tools.store import entering
from host_tools.store.rows import Round
from host_tools.store.schema import rounds, withdrawals

REASON = "withdrawn before the bets were closed"


def void_withdrawn(connection: Connection, round_: Round, at: datetime) -> None:
    """Give back the stakes of the wagers that were withdrawn in time and have no entry yet. One that was withdrawn when
    the bets may have been closed stands: it is decided by the dice."""
    in_time = entering.taken_back(literal(round_.closed_at, rounds.c.closed_at.type))
    withdrawn = select(withdrawals.c.by).where(entering.of_wager(withdrawals), in_time).exists()
    entering.void(connection, round_, REASON, at, withdrawn)
