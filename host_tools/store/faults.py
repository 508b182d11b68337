"""Which fault of a board waits to be answered, by its records."""

from sqlalchemy import Connection, bindparam, select

from host_tools.store.rows import Fault
from host_tools.store.schema import records
from host_tools.store.settling import record_fields

# Of one kind at a time, so that an index finds it: a board may have written many records and never a fault.
_LAST = (
    select(records.c.boot, records.c.seq)
    .where(records.c.dev == bindparam("dev"), records.c.kind == bindparam("kind"))
    .order_by(records.c.seq.desc())
    .limit(1)
)


def open_fault(connection: Connection, dev: str) -> Fault | None:
    """The fault that a clear of `dev` must name: the last one, None if a clear came after it."""
    fault, clear = (connection.execute(_LAST, {"dev": dev, "kind": kind}).one_or_none() for kind in ("fault", "clear"))
    if fault is None or (clear is not None and clear.seq > fault.seq):
        return None
    fields = record_fields(connection, dev, fault.boot, fault.seq)
    return Fault(*(fields[name] for name in Fault._fields))
