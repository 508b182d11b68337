"""Settlement entries of a round: made from the record in force, reversed and made anew when that record changes.

Entries are only ever added. A wager's standing entry is its settle entry that no reverse entry names.
"""

from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, bindparam, case, func, literal, select, update
from tumbler.core import ledger

from host_tools.errors import UserError
from host_tools.settler.paytable import Odds
from host_tools.settler.settle import LOSE, Settlement, Tally, Totals, Wager
from host_tools.settler.taisai import Dice
from host_tools.store import entering, odds, rows, withdrawing
from host_tools.store.rows import REVERSE, SETTLE, TOLD, Balance, Entry, Made, Overpaid, Round, Settler
from host_tools.store.schema import records, rounds, settlements, wagers

FINAL = ("result", "correction", "void")
"""Kinds of records in force that settle a round."""

# Asked for every record, so built once: building a statement costs as much as the answer.
_DUE = (
    select(rounds)
    .where(rounds.c.dev == bindparam("dev"), ~rounds.c.settled, rounds.c.state.in_(FINAL))
    .order_by(rounds.c.round)
    .with_for_update()  # an adjustment of another process waits, or what it settled is due no more
)


def settle_due(connection: Connection, dev: str, settler: Settler, at: datetime) -> Made:
    """Settle every round of `dev` whose settlements do not follow its record in force yet -> the entries made.

    Raises UserError when a round took its wagers under another paytable than the settler's, and when the store lacks
    odds for one of them.
    """
    done = Made()
    for row in connection.execute(_DUE, {"dev": dev}).mappings().all():
        round_ = round_from(row)
        reason = None
        if round_.state == "void":
            reason = f"round voided: {record_fields(connection, dev, round_.boot, round_.seq)['reason']}"
        elif round_.dice is None:
            raise ValueError(f"round {round_.round} of {dev} has a {round_.state} without dice")
        settle(connection, round_, round_.dice, reason, settler, at)
        done += made(connection, round_)
    return done


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
    moment = f"{round_.closed_at:%Y-%m-%d %H:%M:%S.%f} UTC"
    reason = f"accepted not before {moment}, from when on the bets may have been closed"
    return entering.void(
        connection, round_, reason, at, entering.late(literal(round_.closed_at, rounds.c.closed_at.type))
    )


def void_rest(connection: Connection, round_: Round, reason: str, at: datetime) -> None:
    """Void every wager of the round that has no standing entry; each stake goes back."""
    entering.void(connection, round_, reason, at)


def _settle(
    connection: Connection, round_: Round, dice: Dice | None, reason: str | None, settler: Settler, at: datetime
) -> None:
    due = entering.count_due(connection, round_)
    if not due:
        return
    if entering.entered_already(connection, round_):
        raise UserError(
            f"Round {round_.round} of board {round_.dev} is marked as not settled, but entries of {round_.in_force} "
            "stand: the store was changed; see what `tumbler verify` says of it and restore the last backup."
        )
    if dice is not None:
        _check_paytable(round_, settler)
        odds.keep(connection, settler.paytable)
    entering.reverse(connection, round_, at)
    if dice is None:
        entering.void(connection, round_, reason, at)
    elif entering.settle(connection, round_, dice, at) != due:
        wager_id, kind, selection = entering.without_entry(connection, round_)
        area = f"{kind} {selection}".rstrip()
        raise UserError(
            f"Wager {wager_id!r} in round {round_.round} of board {round_.dev} is on {area}, for which the store has "
            f"no odds under paytable {round_.paytable}: the store was changed; see what `tumbler verify` says of it "
            "and restore the last backup."
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


# ---------------------------------------------------------------- reading

_ENTRIES = (
    select(settlements, *(column for column in wagers.c if column.name not in settlements.c))
    .join(wagers, entering.of_wager(settlements))
    .order_by(settlements.c.id)
)


def entries(connection: Connection, dev: str, number: int) -> list[Entry]:
    """All entries of a round in the order in which they were made."""
    of_round = (settlements.c.dev == dev, settlements.c.round == number)
    return [_entry(row) for row in connection.execute(_ENTRIES.where(*of_round)).mappings()]


def made(connection: Connection, cause: Round, reason: str | None = None) -> Made:
    """What the record in force for a round, or the adjustment above it, caused; with `reason` what it made void so."""
    which = [settlements.c[name] == getattr(cause, name) for name in ("dev", "round", "boot", "seq")]
    which.append(settlements.c.adjustment.is_not_distinct_from(cause.adjustment))
    if reason is not None:
        which.append(settlements.c.reason == reason)
    kept = settlements.c.entry, settlements.c.outcome, settlements.c.odds_win, settlements.c.odds_stake
    sums = (wagers.c.stake_cents, settlements.c.won_cents, settlements.c.returned_cents)
    query = (
        select(*kept, func.count(), *(func.sum(column) for column in sums))
        .join(wagers, entering.of_wager(settlements))
        .where(*which)
        .group_by(*kept)
    )
    tallies = {REVERSE: Tally(), SETTLE: Tally()}
    for entry, *row in connection.execute(query):
        tallies[entry] += _tally(-1 if entry == REVERSE else 1, *row)
    first: list[Entry] = []
    for entry in tallies:
        few = _ENTRIES.where(*which, settlements.c.entry == entry).limit(TOLD)
        first += [_entry(row) for row in connection.execute(few).mappings()]
    return Made(first, tallies[SETTLE], tallies[REVERSE])


def _tally(
    sign: int, outcome: str, win: int | None, per: int | None, count: int, staked: Any, won: Any, returned: Any
) -> Tally:
    """sign: -1 for reversals, whose pay and returns are below 0 already; the stake is its wager's."""
    # PostgreSQL sums BIGINT into NUMERIC, which arrives as Decimal.
    staked, won, returned = sign * int(staked), int(won), int(returned)
    breakage = Fraction(0) if win is None or per is None else Fraction(staked * win, per) - won
    return Tally({outcome: count}, Totals(staked, won, returned, staked if outcome == LOSE else 0, breakage))


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
        .select_from(wagers.join(settlements, entering.of_wager(settlements)))
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
