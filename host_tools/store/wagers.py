"""Takes wagers: all of a batch or none, and only while betting is known to be open."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, func, insert, select, update

from host_tools.settler.limits import over_limit
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import Wager
from host_tools.store.alarms import settling_stopped
from host_tools.store.ingest import find_round
from host_tools.store.rows import Refused
from host_tools.store.schema import live, rounds, wagers
from host_tools.store.settling import wager_from

LEASE = timedelta(milliseconds=1500)
"""Betting is a lease: how long ago the board can have said its last BETTING at most (it says so once a second)."""


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
    status_at = _check_betting(connection, dev, number, paytable, now)
    stored = _stored(connection, dev, number)
    if batch and all(stored.get(wager.wager_id) == wager for wager in batch):
        return 0
    taken = set(stored)
    for wager in batch:
        if wager.wager_id in taken:
            raise _refused(number, _why_taken(wager, stored.get(wager.wager_id)))
        taken.add(wager.wager_id)
        _check_covered(number, wager, paytable)
        if wager.stake_cents <= 0:
            raise _refused(number, f"wager {wager.wager_id!r} has no stake over 0")
        over = over_limit(paytable.limits, wager.kind, wager.stake_cents)
        if over is not None:
            raise _refused(number, f"wager {wager.wager_id!r}: {over}")
    first = 1 + _last_place(connection, dev, number)
    values = [
        {**wager._asdict(), "dev": dev, "round": number, "place": place, "accepted_at": now}
        for place, wager in enumerate(batch, first)
    ]
    if values:
        connection.execute(insert(wagers), values)
        # Kept with the round: should the time of closing stay unknown, this is how long betting was open for certain.
        of_round = and_(rounds.c.dev == dev, rounds.c.round == number)
        connection.execute(update(rounds).where(of_round).values(betting_seen_at=status_at))
        _check_lease(dev, number, status_at, clock())
    return len(values)


def place_replayed(
    connection: Connection, dev: str, number: int, batch: Sequence[Wager], paytable: Paytable, at: datetime
) -> None:
    """As Store.place_replayed, inside the caller's transaction."""
    if connection.execute(select(live).where(live.c.dev == dev)).first() is not None:
        raise _refused(
            number,
            f"this store saw board {dev} live, so its wagers are those that were taken then; replay into a new store",
        )
    stored = _stored(connection, dev, number)
    if stored == {wager.wager_id: wager for wager in batch}:
        return
    for wager in batch:
        if stored:
            raise _refused(
                number, f"other wagers than these are placed in it, {', '.join(list(stored)[:3])} among them"
            )
        _check_covered(number, wager, paytable)
    values = [
        {**wager._asdict(), "dev": dev, "round": number, "place": place, "accepted_at": at}
        for place, wager in enumerate(batch, 1)
    ]
    connection.execute(insert(wagers), values)


def _check_covered(number: int, wager: Wager, paytable: Paytable) -> None:
    if (wager.kind, wager.selection) not in paytable.areas:
        area = f"{wager.kind} {wager.selection}".rstrip()
        raise _refused(number, f"wager {wager.wager_id!r}: paytable {paytable.name} does not cover {area}")


def _refused(number: int, why: str) -> Refused:
    return Refused(f"No wager of this batch is taken in round {number}: {why}.")


def _check_betting(connection: Connection, dev: str, number: int, paytable: Paytable, now: datetime) -> datetime:
    """Raises Refused unless bets are open now -> when the status came that says so."""
    round_ = find_round(connection, dev, number, lock=True)
    if round_ is None:
        raise _refused(number, f"board {dev} has not begun it; wait for its bets_open")
    if round_.state != "bets_open":
        raise _refused(number, f"its bets are not open, the record in force is {round_.state}; wait for the next round")
    status = connection.execute(select(live).where(live.c.dev == dev)).mappings().one_or_none()
    if status is None or (status["state"], status["round"]) != ("BETTING", number):
        said = "nothing yet" if status is None else f"{status['state']} in round {status['round']}"
        raise _refused(number, f"board {dev} says {said}, not that its bets are open")
    _check_lease(dev, number, status["status_at"], now)
    if settling_stopped(connection, dev):
        raise _refused(number, f"settling of board {dev} is stopped by an open alarm; have it confirmed first")
    if round_.paytable_hash != paytable.hash:
        raise _refused(number, f"its bets were opened under paytable {round_.paytable}, not this {paytable.name}")
    return status["status_at"]


def _check_lease(dev: str, number: int, status_at: datetime, now: datetime) -> None:
    """Raises Refused when the lease is over."""
    age = abs(now - status_at)  # a clock that was set back must not make the lease longer
    if age > LEASE:
        raise _refused(
            number, f"board {dev} last said so {age / timedelta(seconds=1):.3f} s ago, over 1.500 s; check its cable"
        )


def _stored(connection: Connection, dev: str, number: int) -> dict[str, Wager]:
    query = select(wagers).where(wagers.c.dev == dev, wagers.c.round == number)
    return {row["wager_id"]: wager_from(row) for row in connection.execute(query).mappings()}


def _why_taken(wager: Wager, stored: Wager | None) -> str:
    said = f"wager_id {wager.wager_id!r} is already taken in this round"
    if stored is None or stored == wager:
        return f"{said}; give each its own"
    what = f"{stored.player}, {stored.kind} {stored.selection}".rstrip()
    return (
        f"{said} and its wager differs from this one: it is of {what}, {stored.stake_cents} cents; give the file that "
        "was placed in this round, or each wager an id of its own"
    )


def _last_place(connection: Connection, dev: str, number: int) -> int:
    query = select(func.coalesce(func.max(wagers.c.place), 0))
    return connection.execute(query.where(wagers.c.dev == dev, wagers.c.round == number)).scalar_one()
