"""Which run owns a board: a lease that it renews, and without which it writes nothing about the board.

Whether a lease is over, who wants it must see for himself (host_tools/run/ownership.py): the clocks of two computers,
or one clock that was set, cannot tell.
"""

from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from host_tools.errors import UserError
from host_tools.store.rows import Owner
from host_tools.store.schema import owners

# Asked in every transaction of a run; the lock holds off who would take over meanwhile.
_OF_BOARD = select(owners).where(owners.c.dev == bindparam("dev")).with_for_update()


def claim(connection: Connection, mine: Owner, instead_of: Owner | None) -> Owner | None:
    """Own the board of `mine` -> None, or who owns it.

    A row of another run is replaced only when it is `instead_of` to the last renewal.
    """
    found = _owner(connection, mine.dev)
    if found is None:
        try:
            with connection.begin_nested():
                connection.execute(insert(owners).values(mine._asdict()))
            return None
        except IntegrityError:  # of two that saw nobody at once, as PostgreSQL lets them, the other was first
            found = _owner(connection, mine.dev)
            assert found is not None, "its row was in the way"
    if found.token != mine.token and found != instead_of:
        return found
    connection.execute(update(owners).where(owners.c.dev == mine.dev).values(mine._asdict()))
    return None


def renew(connection: Connection, dev: str, token: str, at: datetime, expires_at: datetime) -> None:
    """Tell others that the owner still lives. Raises UserError as check()."""
    check(connection, dev, token)
    connection.execute(update(owners).where(owners.c.dev == dev).values(renewed_at=at, expires_at=expires_at))


def release(connection: Connection, dev: str, token: str) -> None:
    """Give the board back; nothing if another run has it."""
    connection.execute(delete(owners).where(and_(owners.c.dev == dev, owners.c.token == token)))


def check(connection: Connection, dev: str, token: str) -> None:
    """Raises UserError unless the run with this token owns the board, which it does until the transaction ends."""
    owner = _owner(connection, dev)
    if owner is not None and owner.token == token:
        return
    taken = "nobody owns it" if owner is None else f"process {owner.pid} on {owner.host} owns it"
    raise UserError(
        f"Board {dev} is no longer this run's, {taken}: this run stood still for too long and ends; start it again if "
        "it shall go on."
    )


def owner(connection: Connection, dev: str) -> Owner | None:
    """The run that owns the board, or owned it and did not give it back; only to be told, nothing is locked."""
    row = connection.execute(select(owners).where(owners.c.dev == dev)).mappings().one_or_none()
    return None if row is None else Owner(**row)


def _owner(connection: Connection, dev: str) -> Owner | None:
    row = connection.execute(_OF_BOARD, {"dev": dev}).mappings().one_or_none()
    return None if row is None else Owner(**row)
