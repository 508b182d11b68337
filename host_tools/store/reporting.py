"""Sums over wagers and their settlements by round, kind or player: the database adds up, one statement each."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, case, func, literal, or_, select, union_all

from host_tools.settler.settle import LOSE, VOID
from host_tools.store.entering import of_wager
from host_tools.store.rows import REVERSE
from host_tools.store.schema import boards, rounds, settlements, wagers


class Sums(NamedTuple):
    """Sums in cents over all entries of some wagers, reversed ones and their reversals included.

    staked + paid = returned + kept + unsettled, as in rows.Balance; `void` are stakes that went back undecided (late,
    withdrawn, or of a void round) and are in `returned` too. `corrections`: settlements that were taken back and made
    anew. `rounds`: in how many rounds these wagers were.
    """

    rounds: int
    wagers: int
    staked_cents: int
    void_cents: int
    unsettled_cents: int
    paid_cents: int
    returned_cents: int
    kept_cents: int
    corrections: int

    @property
    def decided_cents(self) -> int:
        """The stakes that the dice decided."""
        return self.staked_cents - self.void_cents - self.unsettled_cents

    @property
    def house_cents(self) -> int:
        """What the house made: the stakes that it kept less what it paid to winners."""
        return self.kept_cents - self.paid_cents

    def plus(self, other: "Sums") -> "Sums":
        return Sums(*(one + two for one, two in zip(self, other, strict=True)))


NOTHING = Sums(*(0 for _ in Sums._fields))


class RoundSums(NamedTuple):
    """The sums of one round; `began_at` is when its spin was."""

    dev: str
    round: int
    began_at: datetime
    sums: Sums


class Which(NamedTuple):
    """Which rounds count: begun in [from, to), of one board, of one table; None: of all."""

    began_from: datetime | None
    began_before: datetime | None
    dev: str | None
    table: str | None


def by_round(connection: Connection, which: Which) -> Iterator[RoundSums]:
    """Every round, also one without wagers, in the order in which they began."""
    added = _added(connection, which, wagers.c.dev, wagers.c.round)
    sums = (func.coalesce(added.c[name], 0) for name in _SUMMED)
    query = (
        select(rounds.c.dev, rounds.c.round, rounds.c.began_at, *sums)
        .select_from(rounds.outerjoin(added, and_(added.c.dev == rounds.c.dev, added.c.round == rounds.c.round)))
        .where(*_of(connection, which))
        .order_by(rounds.c.began_at, rounds.c.dev, rounds.c.round)
    )
    for dev, number, began_at, *found in connection.execute(query, execution_options={"yield_per": 1000}):
        yield RoundSums(dev, number, began_at, _sums(1, found))


def by_kind(connection: Connection, which: Which) -> Iterator[tuple[str, Sums]]:
    """Every kind on which there was a wager, in alphabetical order."""
    return _by(connection, which, wagers.c.kind)


def by_player(connection: Connection, which: Which) -> Iterator[tuple[str, Sums]]:
    """Every player who wagered, in the database's order of names."""
    return _by(connection, which, wagers.c.player)


def rounds_with_wagers(connection: Connection, which: Which) -> int:
    """In how many of the rounds there was a wager."""
    any_ = select(wagers.c.dev).where(wagers.c.dev == rounds.c.dev, wagers.c.round == rounds.c.round).exists()
    return connection.execute(
        select(func.count()).select_from(rounds).where(any_, *_of(connection, which))
    ).scalar_one()


def _by(connection: Connection, which: Which, column: Any) -> Iterator[tuple[str, Sums]]:
    in_rounds = _added(connection, which, column.label("key"), wagers.c.dev, wagers.c.round)
    sums = (func.sum(in_rounds.c[name]) for name in _SUMMED)
    query = select(in_rounds.c.key, func.count(), *sums).group_by(in_rounds.c.key).order_by(in_rounds.c.key)
    for key, count, *found in connection.execute(query, execution_options={"yield_per": 1000}):
        yield key, _sums(count, found)


_SUMMED = ("wagers", "staked", "void", "settled", "paid", "returned", "kept", "corrections")


def _added(connection: Connection, which: Which, *keys: Any) -> Any:
    """A subquery: the sums named _SUMMED by `keys`. Wagers and entries are added apart, so that a wager counts once
    whatever entries it has, as in settling.balance()."""
    of_round = and_(rounds.c.dev == wagers.c.dev, rounds.c.round == wagers.c.round)
    sign = case((settlements.c.entry == REVERSE, -1), else_=1)
    stake = sign * wagers.c.stake_cents

    def if_outcome(outcome: str) -> Any:
        return case((settlements.c.outcome == outcome, stake), else_=0)

    of_wagers: Sequence[Any] = (literal(1), wagers.c.stake_cents, *(literal(0) for _ in range(6)))
    of_entries = (
        *(literal(0), literal(0)),
        *(if_outcome(VOID), stake, settlements.c.won_cents, settlements.c.returned_cents, if_outcome(LOSE)),
        case((settlements.c.entry == REVERSE, 1), else_=0),
    )
    arms = []
    for columns, joined in (
        (of_wagers, wagers.join(rounds, of_round)),
        (of_entries, settlements.join(wagers, of_wager(settlements)).join(rounds, of_round)),
    ):
        # Each by itself first: what is left to sort of both is a few rows a round.
        sums = (func.sum(column).label(name) for column, name in zip(columns, _SUMMED, strict=True))
        arms.append(select(*keys, *sums).select_from(joined).where(*_of(connection, which)).group_by(*keys))
    rows = union_all(*arms).subquery()
    groups = [rows.c[key.name] for key in keys]
    return select(*groups, *(func.sum(rows.c[name]).label(name) for name in _SUMMED)).group_by(*groups).subquery()


def _sums(count: int, found: Sequence[Any]) -> Sums:
    # PostgreSQL sums BIGINT into NUMERIC, which arrives as Decimal.
    number, staked, void, settled, paid, returned, kept, corrections = (int(value) for value in found)
    return Sums(count, number, staked, void, staked - settled, paid, returned, kept, corrections)


def _of(connection: Connection, which: Which) -> list[Any]:
    conditions = []
    if which.began_from is not None:
        conditions.append(rounds.c.began_at >= which.began_from)
    if which.began_before is not None:
        conditions.append(rounds.c.began_at < which.began_before)
    if which.dev is not None:
        conditions.append(rounds.c.dev == which.dev)
    if which.table is not None:
        conditions.append(_at_table(connection, which.table))
    return conditions


def _at_table(connection: Connection, table: str) -> Any:
    """A round is of the table that its board served when it began. What a board played before it was enrolled is of its
    first table, and a round between two enrolments is of the one before."""
    spans = []
    found = connection.execute(select(boards).order_by(boards.c.dev, boards.c.id)).mappings().all()
    for before, row, after in zip([None, *found[:-1]], found, [*found[1:], None], strict=True):
        if row["table_name"] != table:
            continue
        span = [rounds.c.dev == row["dev"]]
        if before is not None and before["dev"] == row["dev"]:
            span.append(rounds.c.began_at >= row["enrolled_from"])
        if after is not None and after["dev"] == row["dev"]:
            span.append(rounds.c.began_at < after["enrolled_from"])
        spans.append(and_(*span))
    return or_(*spans) if spans else literal(1) == 0
