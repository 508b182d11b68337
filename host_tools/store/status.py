"""What each board last said of itself in its ephemeral lines: its state and round, and the numbers last pressed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, insert, select, update

from host_tools.store import rows
from host_tools.store.rows import Live
from host_tools.store.schema import live, rounds


def keep(
    connection: Connection,
    dev: str,
    boot: int,
    state: str | None,
    round: int,
    window: Sequence[int] | None,
    at: datetime,
    next_seq: int | None,
) -> None:
    """As Store.update_live, inside the caller's transaction."""
    of_board = live.c.dev == dev
    if state is None:
        connection.execute(update(live).where(of_board).values(window=rows.digits(window or ())))
        return
    before = last(connection, dev)
    values: dict[str, Any] = {"boot": boot, "state": state, "round": round, "status_at": at, "next_seq": next_seq}
    if before is None:
        connection.execute(insert(live).values(dev=dev, window=rows.digits(window or ()), **values))
    else:
        if window is not None:
            values["window"] = rows.digits(window)
        elif before.round != round or before.state != state != "UNCOVERED":
            values["window"] = ""
        connection.execute(update(live).where(of_board).values(values))
    if state == "BETTING":
        open_round = and_(rounds.c.dev == dev, rounds.c.round == round, rounds.c.state == "bets_open")
        connection.execute(update(rounds).where(open_round).values(betting_seen_at=at))


def last(connection: Connection, dev: str) -> Live | None:
    """As Store.live, inside the caller's transaction."""
    row = connection.execute(select(live).where(live.c.dev == dev)).mappings().one_or_none()
    return None if row is None else Live(**{**row, "window": rows.faces(row["window"])})
