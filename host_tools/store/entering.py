"""The statements that enter settlements: each does a whole round at once, the same on SQLite and PostgreSQL.

Money stays whole: a pay is `stake * win // stake of the odds` of integers over 0, which both databases round down. It
fits 64 bits: the table `wagers` takes no stake over amounts.MAX_STAKE_CENTS and PaytableFile.odds none over 999999,
which together is under 10^15.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    and_,
    case,
    func,
    insert,
    literal,
    null,
    or_,
    select,
)

from host_tools.settler.game import WIN
from host_tools.settler.settle import VOID
from host_tools.settler.taisai import Dice
from host_tools.store.odds import key
from host_tools.store.rows import REVERSE, SETTLE, Round
from host_tools.store.schema import odds, settlements, wagers, withdrawals

_MADE = ("outcome", "odds_win", "odds_stake", "won_cents", "returned_cents", "reason", "reverses")
_HEAD = ("entry", "boot", "seq", "adjustment", "entered_at")


def stands(entry: FromClause) -> ColumnElement[bool]:
    """Whether a row of the settlements is a wager's standing entry."""
    reversal = settlements.alias("reversal")
    reversed_ = select(reversal.c.id).where(reversal.c.reverses == entry.c.id).exists()
    return and_(entry.c.entry == SETTLE, ~reversed_)


def of_wager(entry: FromClause) -> ColumnElement[bool]:
    """Joins settlements, an alias of them, or withdrawals to their wagers."""
    return and_(*(entry.c[name] == wagers.c[name] for name in ("dev", "round", "wager_id")))


def late(closed_at: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a wager was accepted when the bets of its round may have been closed (docs/STORE.md): it is void. No
    such is known while closed_at is null."""
    return wagers.c.accepted_at >= closed_at


def taken_back(closed_at: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a withdrawal counts: while closed_at is null, and when it came before. Else its wager stands: the dice
    decide it."""
    return or_(closed_at.is_(None), withdrawals.c.withdrawn_at < closed_at)


_entry = settlements.alias("entry")
_OPEN = ~select(_entry.c.id).where(of_wager(_entry), stands(_entry)).exists()


def _of_round(table: FromClause, round_: Round) -> ColumnElement[bool]:
    return and_(table.c.dev == round_.dev, table.c.round == round_.round)


def count_due(connection: Connection, round_: Round) -> int:
    """How many wagers of the round are not void. What is void stays so: it was late, or its round is void, which is
    final, and its stake went back."""
    taken = select(func.count()).select_from(wagers).where(_of_round(wagers, round_))
    void = select(func.count()).where(_of_round(_entry, round_), _entry.c.outcome == VOID, stands(_entry))
    return connection.execute(taken).scalar_one() - connection.execute(void).scalar_one()


def entered_already(connection: Connection, round_: Round) -> bool:
    """Whether a wager is settled, and not void, by the very record or adjustment that is in force."""
    cause = and_(
        _entry.c.boot == round_.boot,
        _entry.c.seq == round_.seq,
        _entry.c.adjustment.is_not_distinct_from(round_.adjustment),
    )
    standing = select(_entry.c.id).where(_of_round(_entry, round_), cause, _entry.c.outcome != VOID, stands(_entry))
    return connection.execute(standing.limit(1)).first() is not None


def reverse(connection: Connection, round_: Round, at: datetime) -> None:
    """Reverse every standing entry of the round that is not void."""
    amounts = (-_entry.c.won_cents, -_entry.c.returned_cents)
    made = (_entry.c.outcome, _entry.c.odds_win, _entry.c.odds_stake, *amounts, null(), _entry.c.id)
    standing = and_(_entry.c.outcome != VOID, stands(_entry))
    _enter(connection, round_, REVERSE, at, made, wagers.join(_entry, of_wager(_entry)), standing)


def settle(connection: Connection, round_: Round, dice: Dice, at: datetime) -> int:
    """Settle every wager of the round that has no standing entry by the odds of its paytable -> how many.

    A wager on an area without odds is not entered.
    """
    won = func.coalesce(wagers.c.stake_cents * odds.c.odds_win // odds.c.odds_stake, 0)
    returned = case((odds.c.outcome == WIN, wagers.c.stake_cents + won), else_=0)
    made = (odds.c.outcome, odds.c.odds_win, odds.c.odds_stake, won, returned, null(), null())
    pays = and_(
        odds.c.paytable_hash == round_.paytable_hash,
        odds.c.dice == key(dice),
        odds.c.kind == wagers.c.kind,
        odds.c.selection == wagers.c.selection,
    )
    return _enter(connection, round_, SETTLE, at, made, wagers.join(odds, pays), _OPEN)


def void(connection: Connection, round_: Round, reason: str | None, at: datetime, *which: ColumnElement[bool]) -> int:
    """Give back the stake of every wager of the round that has no standing entry -> how many; only of those for which
    `which`, conditions on `wagers`, hold."""
    amounts = (literal(0), wagers.c.stake_cents)
    made = (literal(VOID), null(), null(), *amounts, literal(reason, settlements.c.reason.type), null())
    return _enter(connection, round_, SETTLE, at, made, wagers, and_(_OPEN, *which))


def without_entry(connection: Connection, round_: Round) -> tuple[str, str, str]:
    """wager_id, kind and selection of the first wager that has no standing entry."""
    first = select(wagers.c.wager_id, wagers.c.kind, wagers.c.selection).where(_of_round(wagers, round_), _OPEN)
    return connection.execute(first.order_by(wagers.c.place).limit(1)).tuples().one()


def _enter(
    connection: Connection,
    round_: Round,
    entry: str,
    at: datetime,
    made: tuple[ColumnElement[Any], ...],
    source: FromClause,
    which: ColumnElement[bool],
) -> int:
    """One INSERT … SELECT over wagers of the round, in the order in which they were taken -> how many entries."""
    head = (entry, round_.boot, round_.seq, round_.adjustment, at)
    values = (literal(value, settlements.c[name].type) for name, value in zip(_HEAD, head, strict=True))
    made_of: Select[Any] = (
        select(wagers.c.dev, wagers.c.round, wagers.c.wager_id, *values, *made)
        .select_from(source)
        .where(_of_round(wagers, round_), which)
        .order_by(wagers.c.place)
    )
    columns = ("dev", "round", "wager_id", *_HEAD, *_MADE)
    enter = insert(settlements).from_select(columns, made_of).execution_options(preserve_rowcount=True)
    return connection.execute(enter).rowcount
