"""Takes the wagers of a large file: read once and kept aside in a temporary table, then taken by one statement.

So neither does the file have to fit in the memory, nor is any writer held up while it is read, and what is taken is
taken within the lease. Batches that are in memory already go the shorter way of wagers.py, which makes no table: a
few wagers at a time, many times in a round.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    and_,
    func,
    insert,
    literal,
    select,
    update,
)

from host_tools.errors import UserError
from host_tools.settler.amounts import shown
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import Wager
from host_tools.store.entering import of_wager
from host_tools.store.schema import Name, rounds, wagers, withdrawals
from host_tools.store.settling import wager_from
from host_tools.store.wagers import last_place, open_under, refused, why_taken

AT_ONCE = 5000
IN_ONE_STATEMENT = 50_000
MOST_SHOWN = 20


class Imported(NamedTuple):
    """What became of a file. rows: wagers in it; taken: all, or 0 when all were taken before; withdrawn: how many of
    those taken before are withdrawn; first: the id of the first of these, and who did it."""

    rows: int
    taken: int = 0
    withdrawn: int = 0
    first: tuple[str, str] = ("", "")


aside = Table(
    "wagers_aside",
    MetaData(),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("row", Integer, nullable=False),
    Column("wager_id", String(64), nullable=False),
    Column("player", String(64), nullable=False),
    Column("kind", Name, nullable=False),
    Column("selection", Name, nullable=False),
    Column("stake_cents", BigInteger, nullable=False),
    prefixes=["TEMPORARY"],
)
_BY_ID = Index("wagers_aside_id", aside.c.wager_id)


def fill(connection: Connection, rows: Iterable[tuple[int, Wager]], file_name: str) -> int:
    """Put the wagers aside -> how many. Raises UserError for ids that stand twice, and whatever `rows` raise."""
    aside.create(connection)
    _BY_ID.drop(connection)  # made anew once all rows are there, which is faster
    count = 0
    source = iter(rows)
    while part := [
        {"place": place, "row": row, **wager._asdict()}
        for place, (row, wager) in enumerate(islice(source, AT_ONCE), count + 1)
    ]:
        connection.execute(insert(aside), part)
        count += len(part)
    _BY_ID.create(connection)
    twice = (
        select(aside.c.wager_id, func.min(aside.c.row), func.max(aside.c.row))
        .group_by(aside.c.wager_id)
        .having(func.count() > 1)
        .limit(MOST_SHOWN)
    )
    found = connection.execute(twice).all()
    if found:
        said = [
            f"{file_name}, row {row}: wager_id {shown(id_)} is already taken by row {first}"
            for id_, first, row in found
        ]
        raise UserError("\n".join([*said, "No wager is taken: give each wager an id of its own."]))
    return count


def place(
    connection: Connection,
    dev: str,
    number: int,
    count: int,
    file_name: str,
    paytable: Paytable,
    clock: Callable[[], datetime],
) -> Imported:
    """Take the `count` wagers that were put aside. Raises Refused."""
    now = clock()
    lease = open_under(connection, dev, number, paytable, now)
    last = last_place(connection, dev, number)
    if last and _taken_before(connection, dev, number, count):
        return _withdrawn(connection, dev, number, count)
    of_file = (aside.c[name] for name in Wager._fields)
    values = select(
        literal(dev), literal(number), last + aside.c.place, *of_file, literal(now, wagers.c.accepted_at.type)
    )
    into = ("dev", "round", "place", *Wager._fields, "accepted_at")
    of_round = and_(rounds.c.dev == dev, rounds.c.round == number)
    connection.execute(update(rounds).where(of_round).values(betting_seen_at=lease.status_at))
    for begin in range(0, count, IN_ONE_STATEMENT):  # a lease that is over must not hold up the run any longer
        part = values.where(aside.c.place > begin, aside.c.place <= begin + IN_ONE_STATEMENT)
        connection.execute(insert(wagers).from_select(into, part.order_by(aside.c.place)))
        done = min(begin + IN_ONE_STATEMENT, count)
        lease.check(
            clock(), f"{done} of the {count} rows of {file_name} took longer: split the file and import each part"
        )
    return Imported(count, count)


def _withdrawn(connection: Connection, dev: str, number: int, count: int) -> Imported:
    of_round = and_(withdrawals.c.dev == dev, withdrawals.c.round == number)
    query = select(withdrawals.c.wager_id, withdrawals.c.by).where(
        of_round, withdrawals.c.wager_id.in_(select(aside.c.wager_id))
    )
    found = connection.execute(query.join(wagers, of_wager(withdrawals)).order_by(wagers.c.place)).tuples().all()
    return Imported(count, 0, len(found), found[0] if found else ("", ""))


def _taken_before(connection: Connection, dev: str, number: int, count: int) -> bool:
    """Whether all are there already. Raises Refused for one whose id another wager of the round has."""
    same_id = and_(wagers.c.dev == dev, wagers.c.round == number, wagers.c.wager_id == aside.c.wager_id)
    same = and_(same_id, *(wagers.c[name] == aside.c[name] for name in Wager._fields))
    if connection.execute(select(func.count()).select_from(aside.join(wagers, same))).scalar_one() == count:
        return True
    theirs = (wagers.c[name].label(f"stored_{name}") for name in Wager._fields)
    clash = select(aside, *theirs).select_from(aside.join(wagers, same_id)).order_by(aside.c.row).limit(1)
    found = connection.execute(clash).mappings().first()
    if found is None:
        return False
    stored = Wager(*(found[f"stored_{name}"] for name in Wager._fields))
    raise refused(number, f"row {found['row']}: {why_taken(wager_from(found), stored)}")
