"""Alarms: what an operator must look at. An open one stops the settling of its board until it is confirmed.

One that names missing records is, once confirmed, the named gap over which the store goes on.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, func, insert, select, update

from host_tools.store.rows import Alarm
from host_tools.store.schema import alarms

# Asked for every record, so built once: building a statement costs as much as the answer.
_STOPPED = select(alarms.c.id).where(alarms.c.dev == bindparam("dev"), alarms.c.confirmed_at.is_(None)).limit(1)
_LAST_MISSING = select(func.coalesce(func.max(alarms.c.missing_to), 0)).where(
    alarms.c.dev == bindparam("dev"), alarms.c.confirmed_at.is_not(None)
)
_MISSING_UNTIL = _LAST_MISSING.where(~alarms.c.resend)
_RESEND_UNTIL = _LAST_MISSING.where(alarms.c.resend)


def raise_alarm(
    connection: Connection, dev: str, kind: str, text: str, at: datetime, missing: tuple[int, int] | None = None
) -> int:
    """Raise an alarm -> its id. One that says the same and is still open is not raised again.

    `missing` is (first, last) seq of the records that this store will never get.
    """
    same = and_(alarms.c.dev == dev, alarms.c.kind == kind, alarms.c.text == text, alarms.c.confirmed_at.is_(None))
    known = connection.execute(select(alarms.c.id).where(same)).scalar()
    if known is not None:
        return known
    first, last = missing or (None, None)
    row = {"dev": dev, "kind": kind, "text": text, "raised_at": at, "missing_from": first, "missing_to": last}
    return connection.execute(insert(alarms).values(row).returning(alarms.c.id)).scalar_one()


def open_alarms(connection: Connection, dev: str | None) -> list[Alarm]:
    """The alarms that nobody confirmed, oldest first; of all boards when `dev` is None."""
    query = select(*(alarms.c[name] for name in Alarm._fields)).where(alarms.c.confirmed_at.is_(None))
    if dev is not None:
        query = query.where(alarms.c.dev == dev)
    return [Alarm(*row) for row in connection.execute(query.order_by(alarms.c.id))]


def settling_stopped(connection: Connection, dev: str) -> bool:
    """Whether an open alarm stops the settling of `dev`."""
    return connection.execute(_STOPPED, {"dev": dev}).first() is not None


def confirm_alarm(connection: Connection, alarm_id: int, by: str, at: datetime) -> bool:
    """An operator answers for it -> whether it was open."""
    still_open = and_(alarms.c.id == alarm_id, alarms.c.confirmed_at.is_(None))
    done = connection.execute(update(alarms).where(still_open).values(confirmed_at=at, confirmed_by=by))
    return done.rowcount == 1


def missing_until(connection: Connection, dev: str) -> int:
    """The last seq of the named gaps of `dev`: those that somebody confirmed. 0 when there is none."""
    return connection.execute(_MISSING_UNTIL, {"dev": dev}).scalar_one()


def missing_between(connection: Connection, dev: str, after: int, before: int) -> bool:
    """Whether a named gap holds a record of `dev` whose seq is over `after` and under `before`."""
    overlaps = and_(alarms.c.missing_from < before, alarms.c.missing_to > after)
    named = and_(alarms.c.dev == dev, alarms.c.confirmed_at.is_not(None), ~alarms.c.resend, overlaps)
    return connection.execute(select(alarms.c.id).where(named).limit(1)).first() is not None


class NamedGap(NamedTuple):
    """Records of a board, `first` to `last` by seq, that this store does not have, and who answered for that."""

    dev: str
    first: int
    last: int
    confirmed_by: str
    confirmed_at: datetime


def named_gaps(connection: Connection) -> list[NamedGap]:
    """The named gaps of all boards, in the order of their alarms."""
    columns = (alarms.c[name] for name in ("dev", "missing_from", "missing_to", "confirmed_by", "confirmed_at"))
    named = (alarms.c.missing_to.is_not(None), alarms.c.confirmed_at.is_not(None), ~alarms.c.resend)
    return [NamedGap(*row) for row in connection.execute(select(*columns).where(*named).order_by(alarms.c.id))]


def accept_restore(connection: Connection, dev: str, by: str, at: datetime) -> tuple[int, int] | None:
    """Answer for every open store_behind of `dev` so that the board is told to send again what it has -> first and
    last seq of what is missing, None when none is open."""
    still_open = and_(alarms.c.dev == dev, alarms.c.missing_to.is_not(None), alarms.c.confirmed_at.is_(None))
    missing = select(func.min(alarms.c.missing_from), func.max(alarms.c.missing_to)).where(still_open)
    first, last = connection.execute(missing).one()
    if first is None:
        return None
    connection.execute(update(alarms).where(still_open).values(confirmed_at=at, confirmed_by=by, resend=True))
    return first, last


def resend_until(connection: Connection, dev: str) -> int:
    """The last seq of what accept_restore() was about, 0 when it never was."""
    return connection.execute(_RESEND_UNTIL, {"dev": dev}).scalar_one()
