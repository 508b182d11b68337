"""Which fault of a board waits to be answered, by its records."""

from sqlalchemy import Connection, select

from host_tools.store.rows import Fault
from host_tools.store.schema import records
from host_tools.store.settling import record_fields


def open_fault(connection: Connection, dev: str) -> Fault | None:
    """The fault that a clear of `dev` must name: the last one, None if a clear came after it."""
    query = select(records.c.boot, records.c.seq, records.c.kind).where(
        records.c.dev == dev, records.c.kind.in_(("fault", "clear"))
    )
    last = connection.execute(query.order_by(records.c.seq.desc()).limit(1)).one_or_none()
    if last is None or last.kind == "clear":
        return None
    fields = record_fields(connection, dev, last.boot, last.seq)
    return Fault(*(fields[name] for name in Fault._fields))
