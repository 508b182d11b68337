"""Takes wagers, all of a batch or none, and takes one back: only while betting is known to be open."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, func, insert, select, update

from host_tools.settler.limits import over_limit
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import Wager
from host_tools.store.betting import Lease, check_betting
from host_tools.store.rows import Refused
from host_tools.store.schema import live, rounds, wagers, withdrawals
from host_tools.store.settling import wager_from

FEW = 500
"""So many ids may stand in one statement of any database."""


def place(
    connection: Connection,
    dev: str,
    number: int,
    batch: Sequence[Wager],
    paytable: Paytable,
    clock: Callable[[], datetime],
) -> int:
    """As Store.place_wagers, inside the caller's transaction."""
    # Asked only here: it may have taken long until this transaction could begin.
    now = clock()
    lease = open_under(connection, dev, number, paytable, now)
    stored = _stored(connection, dev, number, batch)
    if batch and all(stored.get(wager.wager_id) == wager for wager in batch):
        return 0
    taken = set(stored)
    for wager in batch:
        if wager.wager_id in taken:
            raise refused(number, why_taken(wager, stored.get(wager.wager_id)))
        taken.add(wager.wager_id)
        _check_covered(number, wager, paytable)
        if wager.stake_cents <= 0:
            raise refused(number, f"wager {wager.wager_id!r} has no stake over 0")
        over = over_limit(paytable.limits, wager.kind, wager.stake_cents)
        if over is not None:
            raise refused(number, f"wager {wager.wager_id!r}: {over}")
    first = 1 + last_place(connection, dev, number)
    values = [
        {**wager._asdict(), "dev": dev, "round": number, "place": place, "accepted_at": now}
        for place, wager in enumerate(batch, first)
    ]
    if values:
        connection.execute(insert(wagers), values)
        # Kept with the round: should the time of closing stay unknown, this is how long betting was open for certain.
        of_round = and_(rounds.c.dev == dev, rounds.c.round == number)
        connection.execute(update(rounds).where(of_round).values(betting_seen_at=lease.status_at))
        lease.check(clock())
    return len(values)


def place_replayed(
    connection: Connection, dev: str, number: int, batch: Sequence[Wager], paytable: Paytable, at: datetime
) -> None:
    """As Store.place_replayed, inside the caller's transaction."""
    if connection.execute(select(live).where(live.c.dev == dev)).first() is not None:
        raise refused(
            number,
            f"this store saw board {dev} live, so its wagers are those that were taken then; replay into a new store",
        )
    stored = _stored(connection, dev, number, ())
    if stored == {wager.wager_id: wager for wager in batch}:
        return
    for wager in batch:
        if stored:
            raise refused(number, f"other wagers than these are placed in it, {', '.join(list(stored)[:3])} among them")
        _check_covered(number, wager, paytable)
    values = [
        {**wager._asdict(), "dev": dev, "round": number, "place": place, "accepted_at": at}
        for place, wager in enumerate(batch, 1)
    ]
    connection.execute(insert(wagers), values)


def withdraw(
    connection: Connection, dev: str, number: int, wager_id: str, by: str, clock: Callable[[], datetime]
) -> bool:
    """As Store.withdraw_wager, inside the caller's transaction."""

    def stays(why: str) -> Refused:
        return Refused(f"Wager {wager_id!r} stays in round {number}: {why}.")

    now = clock()
    lease = check_betting(connection, dev, number, now, stays)
    this = {"dev": dev, "round": number, "wager_id": wager_id}
    there = select(wagers.c.place).where(*(wagers.c[name] == value for name, value in this.items()))
    if connection.execute(there).first() is None:
        raise stays("there is no such wager; see `tumbler wager list`")
    done = select(withdrawals.c.by).where(*(withdrawals.c[name] == value for name, value in this.items()))
    if connection.execute(done).first() is not None:
        return False
    connection.execute(insert(withdrawals).values(**this, by=by, withdrawn_at=now))
    lease.check(clock())
    return True


def open_under(connection: Connection, dev: str, number: int, paytable: Paytable, now: datetime) -> Lease:
    """As betting.check_betting(). Raises Refused, for another paytable than that of the round too."""
    lease = check_betting(connection, dev, number, now, lambda why: refused(number, why))
    if lease.round.paytable_hash != paytable.hash:
        raise refused(number, f"its bets were opened under paytable {lease.round.paytable}, not this {paytable.name}")
    return lease


def _check_covered(number: int, wager: Wager, paytable: Paytable) -> None:
    if (wager.kind, wager.selection) not in paytable.areas:
        area = f"{wager.kind} {wager.selection}".rstrip()
        raise refused(number, f"wager {wager.wager_id!r}: paytable {paytable.name} does not cover {area}")


def refused(number: int, why: str) -> Refused:
    return Refused(f"No wager of this batch is taken in round {number}: {why}.")


def _stored(connection: Connection, dev: str, number: int, like: Sequence[Wager]) -> dict[str, Wager]:
    """The wagers of a round; when `like` is short, those with its ids alone, for a round may hold very many."""
    query = select(wagers).where(wagers.c.dev == dev, wagers.c.round == number)
    if 0 < len(like) <= FEW:
        query = query.where(wagers.c.wager_id.in_([wager.wager_id for wager in like]))
    return {row["wager_id"]: wager_from(row) for row in connection.execute(query).mappings()}


def why_taken(wager: Wager, stored: Wager | None) -> str:
    said = f"wager_id {wager.wager_id!r} is already taken in this round"
    if stored is None or stored == wager:
        return f"{said}; give each its own"
    what = f"{stored.player}, {stored.kind} {stored.selection}".rstrip()
    return (
        f"{said} and its wager differs from this one: it is of {what}, {stored.stake_cents} cents; give the file that "
        "was placed in this round, or each wager an id of its own"
    )


def last_place(connection: Connection, dev: str, number: int) -> int:
    query = select(func.coalesce(func.max(wagers.c.place), 0))
    return connection.execute(query.where(wagers.c.dev == dev, wagers.c.round == number)).scalar_one()
