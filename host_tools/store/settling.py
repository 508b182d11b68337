"""Settlement entries of a round: made from the record in force, reversed and made anew when that record changes.

Entries are only ever added. A wager's standing entry is its settle entry that no reverse entry names.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, bindparam, case, func, insert, select, update
from tumbler.core import ledger

from host_tools.errors import UserError
from host_tools.settler.paytable import Odds
from host_tools.settler.settle import LOSE, VOID, Settlement, Wager, settle_round, void_wagers
from host_tools.settler.taisai import Dice
from host_tools.store import rows, withdrawing
from host_tools.store.rows import REVERSE, SETTLE, Balance, Entry, Overpaid, Round, Settler
from host_tools.store.schema import records, rounds, settlements, wagers

FINAL = ("result", "correction", "void")
"""Kinds of records in force that settle a round."""

_reversal = settlements.alias("reversal")
_IS_STANDING = and_(
    settlements.c.entry == SETTLE,
    ~select(_reversal.c.id).where(_reversal.c.reverses == settlements.c.id).exists(),
)
_OF_WAGER = and_(
    settlements.c.dev == wagers.c.dev,
    settlements.c.round == wagers.c.round,
    settlements.c.wager_id == wagers.c.wager_id,
)

# Asked for every record, so built once: building a statement costs as much as the answer.
_DUE = (
    select(rounds)
    .where(rounds.c.dev == bindparam("dev"), ~rounds.c.settled, rounds.c.state.in_(FINAL))
    .order_by(rounds.c.round)
    .with_for_update()  # an adjustment of another process waits, or what it settled is due no more
)
_AMOUNTS = (settlements.c[name] for name in ("outcome", "odds_win", "odds_stake", "won_cents", "returned_cents"))
_CAUSE = (settlements.c[name].label(f"cause_{name}") for name in ("boot", "seq", "adjustment"))
_STANDING = (
    select(wagers, settlements.c.id.label("entry_id"), *_AMOUNTS, *_CAUSE)
    .select_from(wagers.outerjoin(settlements, and_(_OF_WAGER, _IS_STANDING)))
    .where(wagers.c.dev == bindparam("dev"), wagers.c.round == bindparam("round"))
    .order_by(wagers.c.place)
)


def settle_due(connection: Connection, dev: str, settler: Settler, at: datetime) -> list[Entry]:
    """Settle every round of `dev` whose settlements do not follow its record in force yet -> the entries made.

    Raises UserError when a round took its wagers under another paytable than the settler's.
    """
    made: list[Entry] = []
    for row in connection.execute(_DUE, {"dev": dev}).mappings().all():
        round_ = round_from(row)
        reason = None
        if round_.state == "void":
            reason = f"round voided: {record_fields(connection, dev, round_.boot, round_.seq)['reason']}"
        elif round_.dice is None:
            raise ValueError(f"round {round_.round} of {dev} has a {round_.state} without dice")
        settle(connection, round_, round_.dice, reason, settler, at)
        made += entries(connection, dev, round_.round, cause=round_)
    return made


def settle(
    connection: Connection, round_: Round, dice: Dice | None, reason: str | None, settler: Settler, at: datetime
) -> None:
    """Settle a round by these dice, or void it for `reason` (dice None): late and withdrawn wagers go back, what stands
    under an earlier record or adjustment is reversed, and what holds now is entered.

    `round_` names the record and the adjustment that are the cause. Raises UserError as settle_due().
    """
    void_late(connection, round_, at)
    withdrawing.void_withdrawn(connection, round_, at)
    _settle(connection, round_, dice, reason, settler, at)
    of_round = and_(rounds.c.dev == round_.dev, rounds.c.round == round_.round)
    connection.execute(update(rounds).where(of_round).values(settled=True))


def void_late(connection: Connection, round_: Round, at: datetime) -> int:
    """Void the wagers accepted when the round's bets may have been closed; each stake goes back -> how many."""
    if round_.closed_at is None:
        return 0
    late = [
        wager
        for wager, standing, accepted_at in _with_standing(connection, round_)
        if standing is None and accepted_at >= round_.closed_at
    ]
    moment = f"{round_.closed_at:%Y-%m-%d %H:%M:%S.%f} UTC"
    reason = f"accepted not before {moment}, from when on the bets may have been closed"
    _enter(connection, round_, void_wagers(late), reason, at)
    return len(late)


def void_rest(connection: Connection, round_: Round, reason: str, at: datetime) -> None:
    """Void every wager of the round that has no standing entry; each stake goes back."""
    rest = [wager for wager, standing, _ in _with_standing(connection, round_) if standing is None]
    _enter(connection, round_, void_wagers(rest), reason, at)


def _settle(
    connection: Connection, round_: Round, dice: Dice | None, reason: str | None, settler: Settler, at: datetime
) -> None:
    # A wager that is void already stays so: it was late, or its round is void, which is final. Its stake went back.
    open_wagers = [
        (wager, standing)
        for wager, standing, _ in _with_standing(connection, round_)
        if standing is None or standing["outcome"] != VOID
    ]
    if not open_wagers:
        return
    _check_not_entered(round_, [standing for _, standing in open_wagers if standing is not None])
    to_settle = [wager for wager, _ in open_wagers]
    if dice is None:
        made = void_wagers(to_settle)
    else:
        _check_paytable(round_, settler)
        made = settle_round(to_settle, dice, settler.paytable)
    _reverse(connection, round_, [standing for _, standing in open_wagers if standing is not None], at)
    _enter(connection, round_, made, reason, at)


def _check_not_entered(round_: Round, standing: list[RowMapping]) -> None:
    cause = (round_.boot, round_.seq, round_.adjustment)
    if any((row["cause_boot"], row["cause_seq"], row["cause_adjustment"]) == cause for row in standing):
        raise UserError(
            f"Round {round_.round} of board {round_.dev} is marked as not settled, but entries of {round_.in_force} "
            "stand: the store was changed; see what `tumbler verify` says of it and restore the last backup."
        )


def _check_paytable(round_: Round, settler: Settler) -> None:
    if round_.paytable_hash != settler.paytable.hash:
        raise UserError(
            f"Round {round_.round} of board {round_.dev} took its wagers under paytable {round_.paytable} "
            f"(hash {(round_.paytable_hash or '')[:12]}), this run has {settler.paytable.name} "
            f"(hash {settler.paytable.short_hash}): start again with the paytable of the round."
        )


def record_fields(connection: Connection, dev: str, boot: int, seq: int) -> dict[str, Any]:
    """The fields of a record that is stored."""
    line = select(records.c.line).where(records.c.dev == dev, records.c.boot == boot, records.c.seq == seq)
    return ledger.decode_device(connection.execute(line).scalar_one().encode("ascii"))


def _with_standing(connection: Connection, round_: Round) -> list[tuple[Wager, RowMapping | None, datetime]]:
    """The round's wagers in the order in which they were taken, each with its standing entry and when it was taken."""
    found = connection.execute(_STANDING, {"dev": round_.dev, "round": round_.round}).mappings().all()
    return [(wager_from(row), row if row["entry_id"] is not None else None, row["accepted_at"]) for row in found]


def _reverse(connection: Connection, round_: Round, standing: list[RowMapping], at: datetime) -> None:
    values = [
        {
            **_head(round_, row["wager_id"], REVERSE, at),
            "outcome": row["outcome"],
            "odds_win": row["odds_win"],
            "odds_stake": row["odds_stake"],
            "won_cents": -row["won_cents"],
            "returned_cents": -row["returned_cents"],
            "reverses": row["entry_id"],
        }
        for row in standing
    ]
    if values:
        connection.execute(insert(settlements), values)


def _enter(connection: Connection, round_: Round, made: list[Settlement], reason: str | None, at: datetime) -> None:
    values = [
        {
            **_head(round_, settlement.wager.wager_id, SETTLE, at),
            "outcome": settlement.outcome,
            "odds_win": settlement.odds.win if settlement.odds else None,
            "odds_stake": settlement.odds.stake if settlement.odds else None,
            "won_cents": settlement.won_cents,
            "returned_cents": settlement.returned_cents,
            "reason": reason,
        }
        for settlement in made
    ]
    if values:
        connection.execute(insert(settlements), values)


def _head(round_: Round, wager_id: str, entry: str, at: datetime) -> dict[str, object]:
    return {
        "dev": round_.dev,
        "round": round_.round,
        "wager_id": wager_id,
        "entry": entry,
        "boot": round_.boot,
        "seq": round_.seq,
        "adjustment": round_.adjustment,
        "entered_at": at,
    }


# ---------------------------------------------------------------- reading


def entries(connection: Connection, dev: str, number: int, cause: Round | None = None) -> list[Entry]:
    """The round's entries in the order in which they were made; with `cause` only those that its record, or the
    adjustment above it, caused."""
    query = (
        select(settlements, *(column for column in wagers.c if column.name not in settlements.c))
        .join(wagers, _OF_WAGER)
        .where(settlements.c.dev == dev, settlements.c.round == number)
        .order_by(settlements.c.id)
    )
    if cause is not None:
        query = query.where(*(settlements.c[name] == getattr(cause, name) for name in ("boot", "seq")))
        query = query.where(settlements.c.adjustment.is_not_distinct_from(cause.adjustment))
    return [_entry(row) for row in connection.execute(query).mappings()]


def _entry(row: RowMapping) -> Entry:
    odds = None if row["odds_win"] is None else Odds(row["odds_win"], row["odds_stake"])
    settlement = Settlement(wager_from(row), row["outcome"], odds, row["won_cents"], row["returned_cents"])
    return Entry(
        row["id"],
        row["round"],
        settlement,
        *(row[name] for name in ("entry", "boot", "seq", "adjustment", "reason", "reverses", "entered_at")),
    )


def wager_from(row: RowMapping) -> Wager:
    return Wager(*(row[name] for name in Wager._fields))


def round_from(row: RowMapping) -> Round:
    return Round(**{**row, "dice": rows.dice(row["dice"])})


def balance(connection: Connection, dev: str, number: int) -> Balance:
    """Sums over all entries of a round, reversed ones and their reversals included, so that they must cancel."""
    sign = case((settlements.c.entry == REVERSE, -1), else_=1)
    lost = case((settlements.c.outcome == LOSE, wagers.c.stake_cents), else_=0)
    of_round = and_(wagers.c.dev == dev, wagers.c.round == number)
    sums = (
        select(
            func.coalesce(func.sum(settlements.c.won_cents), 0),
            func.coalesce(func.sum(settlements.c.returned_cents), 0),
            func.coalesce(func.sum(sign * lost), 0),
            func.coalesce(func.sum(sign * wagers.c.stake_cents), 0),
        )
        .select_from(wagers.join(settlements, _OF_WAGER))
        .where(of_round)
    )
    # PostgreSQL sums BIGINT into NUMERIC, which arrives as Decimal.
    paid, returned, kept, settled = (int(value) for value in connection.execute(sums).one())
    stakes = select(func.coalesce(func.sum(wagers.c.stake_cents), 0)).where(of_round)
    staked = int(connection.execute(stakes).scalar_one())
    return Balance(staked, paid, returned, kept, staked - settled)


def overpaid(connection: Connection, dev: str | None, number: int | None) -> list[Overpaid]:
    """Who got more than a later record or adjustment allows: a row for each of these that lowered it."""
    # Only what reversed an entry can come to less than 0.
    came_to = func.sum(settlements.c.returned_cents)
    cause = tuple(settlements.c[name] for name in ("dev", "round", "wager_id", "boot", "seq", "adjustment"))
    lowered = (
        select(*cause, came_to.label("came_to"), func.min(settlements.c.id).label("first")).group_by(*cause)
    ).having(came_to < 0)
    for column, value in ((settlements.c.dev, dev), (settlements.c.round, number)):
        lowered = lowered if value is None else lowered.where(column == value)
    low = lowered.subquery()
    key = ("dev", "round", "wager_id")
    due = select(func.sum(settlements.c.returned_cents)).where(*(settlements.c[n] == low.c[n] for n in key))
    query = (
        select(
            *(low.c[n] for n in key[:2]),
            wagers.c.player,
            *(low.c[n] for n in ("wager_id", "boot", "seq", "adjustment", "came_to")),
            due.scalar_subquery(),
        )
        .join(wagers, and_(*(wagers.c[n] == low.c[n] for n in key)))
        .order_by(low.c.first)
    )
    return [Overpaid(*row[:7], overpaid_cents=-int(row[7]), due_cents=int(row[8])) for row in connection.execute(query)]
