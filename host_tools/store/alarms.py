"""Alarms: what an operator must look at. An open one stops the settling of its board until it is confirmed."""

from datetime import datetime

from sqlalchemy import Connection, and_, insert, select, update

from host_tools.store.rows import Alarm
from host_tools.store.schema import alarms


def raise_alarm(connection: Connection, dev: str, kind: str, text: str, at: datetime) -> int:
    """Raise an alarm -> its id. One that says the same and is still open is not raised again."""
    same = and_(alarms.c.dev == dev, alarms.c.kind == kind, alarms.c.text == text, alarms.c.confirmed_at.is_(None))
    known = connection.execute(select(alarms.c.id).where(same)).scalar()
    if known is not None:
        return known
    row = {"dev": dev, "kind": kind, "text": text, "raised_at": at}
    return connection.execute(insert(alarms).values(row).returning(alarms.c.id)).scalar_one()


def open_alarms(connection: Connection, dev: str | None) -> list[Alarm]:
    """The alarms that nobody confirmed, oldest first; of all boards when `dev` is None."""
    query = select(*(alarms.c[name] for name in Alarm._fields)).where(alarms.c.confirmed_at.is_(None))
    if dev is not None:
        query = query.where(alarms.c.dev == dev)
    return [Alarm(*row) for row in connection.execute(query.order_by(alarms.c.id))]


def settling_stopped(connection: Connection, dev: str) -> bool:
    """Whether an open alarm stops the settling of `dev`."""
    return bool(open_alarms(connection, dev))


def confirm_alarm(connection: Connection, alarm_id: int, by: str, at: datetime) -> bool:
    """An operator answers for it -> whether it was open."""
    still_open = and_(alarms.c.id == alarm_id, alarms.c.confirmed_at.is_(None))
    done = connection.execute(update(alarms).where(still_open).values(confirmed_at=at, confirmed_by=by))
    return done.rowcount == 1
