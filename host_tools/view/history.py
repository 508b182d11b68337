"""The past of a board as its store knows it: its last rounds, the figures of all, its starts and faults.

It changes with a record or an adjustment alone, and then as much is read as is new: a table may have been on for months
when its layout is to light at once.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, ScalarSelect, bindparam, case, func, select
from tumbler.core import ledger

from host_tools.settler.taisai import Dice
from host_tools.store import rows, settling
from host_tools.store.faults import open_fault
from host_tools.store.rows import Fault, Round
from host_tools.store.schema import adjustments, records, rounds
from host_tools.view.contract import Figures
from host_tools.view.figures import figures

SHOWN_ROUNDS = 30

_OF_DEV = records.c.dev == bindparam("dev")
_IS_NEW = records.c.seq > bindparam("seq")


def _last_of(column: Column[Any], by: Column[Any]) -> ScalarSelect[Any]:
    """`column` of the row of a board whose `by` is the highest."""
    return select(column).where(column.table.c.dev == bindparam("dev")).order_by(by.desc()).limit(1).scalar_subquery()


# One row that differs whenever the history of a board does.
_AT = select(
    _last_of(records.c.seq, records.c.seq),
    _last_of(records.c.received_at, records.c.seq),
    # Counted: the database numbers them as they begin, and they may end in another order.
    select(func.count()).where(adjustments.c.dev == bindparam("dev")).scalar_subquery(),
    _last_of(rounds.c.state, rounds.c.round),
)
# The dice that stand: an adjustment's, where there is one, in place of the board's.
_DICE = case((rounds.c.adjustment.is_not(None), adjustments.c.dice), else_=rounds.c.dice).label("dice")
_ROUNDS = rounds.outerjoin(adjustments, rounds.c.adjustment == adjustments.c.id)
_LAST_ROUNDS = (
    select(*(column for column in rounds.c if column is not rounds.c.dice), _DICE)
    .select_from(_ROUNDS)
    .where(rounds.c.dev == bindparam("dev"))
    .order_by(rounds.c.round.desc())
    .limit(SHOWN_ROUNDS + 1)
)
_RESULTS = (
    select(_DICE, func.count())
    .select_from(_ROUNDS)
    .where(rounds.c.dev == bindparam("dev"), _DICE.is_not(None))
    .group_by(_DICE)
)
_CHANGED = (
    select(rounds.c.round, _DICE)
    .select_from(_ROUNDS)
    .where(rounds.c.dev == bindparam("dev"), rounds.c.round.in_(select(records.c.round).where(_OF_DEV, _IS_NEW)))
)
_STARTS = (
    select(records.c.line, records.c.received_at)
    .where(_OF_DEV, _IS_NEW, records.c.kind == "boot")
    .order_by(records.c.seq)
)
_FAULTS = select(func.count()).where(_OF_DEV, _IS_NEW, records.c.kind == "fault")


class At(NamedTuple):
    """How far the history of a board was read; None, and 0, before its first record."""

    dev: str | None
    seq: int | None
    received_at: datetime | None
    adjustments: int
    last_state: str | None


class History(NamedTuple):
    """What changes with a record or an adjustment alone. `rounds` are the last ones, oldest first; `counted` says how
    often each dice came, in all results in force; `last_start` is the cause of the last start, and when it came."""

    at: At
    rounds: list[Round]
    counted: Mapping[Dice, int]
    figures: Figures
    starts: int
    resets: int
    last_start: tuple[str, datetime] | None
    faults: int
    fault: Fault | None
    void_reason: str | None


NOTHING = History(At(None, None, None, 0, None), [], {}, figures({}), 0, 0, None, 0, None, None)


class Past:
    """The history of the board that is shown, read on from where it was read to. Not for two threads at once."""

    def __init__(self) -> None:
        self._known = NOTHING

    def of(self, connection: Connection, dev: str) -> History:
        """The history of `dev` at the moment of the transaction."""
        at = At(dev, *connection.execute(_AT, {"dev": dev}).one())
        before = self._known
        if before.at == at:
            return before
        if before.at.dev != dev or (at.seq or 0) < (before.at.seq or 0):  # another board, or a store of earlier
            before = NOTHING
        of_dev, new = {"dev": dev}, {"dev": dev, "seq": before.at.seq or 0}
        found = [settling.round_from(row) for row in connection.execute(_LAST_ROUNDS, of_dev).mappings()][::-1]
        counted = _counted(connection, before, at)
        starts = [
            (ledger.decode_device(line.encode("ascii"))["cause"], received_at)
            for line, received_at in connection.execute(_STARTS, new)
        ]
        self._known = History(
            at,
            found,
            counted,
            figures(counted),
            before.starts + len(starts),
            before.resets + sum(cause != "power" for cause, _ in starts),
            starts[-1] if starts else before.last_start,
            before.faults + connection.execute(_FAULTS, new).scalar_one(),
            open_fault(connection, dev),
            _void_reason(connection, found[-1]) if found and _is_void(found[-1]) else None,
        )
        return self._known


def has_ended(round_: Round) -> bool:
    """By its board's record or by the host's adjustment."""
    return round_.state in settling.FINAL or round_.adjustment is not None


def _is_void(round_: Round) -> bool:
    return has_ended(round_) and round_.dice is None


def _void_reason(connection: Connection, round_: Round) -> str | None:
    if round_.adjustment is not None:
        query = select(adjustments.c.reason).where(adjustments.c.id == round_.adjustment)
        return connection.execute(query).scalar_one()
    # Void without a record of its own: another dev replaced the round's.
    return settling.record_fields(connection, round_.dev, round_.boot, round_.seq).get("reason")


def _counted(connection: Connection, before: History, at: At) -> Mapping[Dice, int]:
    """Dice as pressed -> how often they came: on from `before` by the rounds of which a record came since, or all anew
    when an adjustment came, or a record of a round of which it is not known any more how it was counted."""
    as_counted = {round_.round: round_.dice for round_ in before.rounds}
    if as_counted and before.at.adjustments == at.adjustments:
        changed = connection.execute(_CHANGED, {"dev": at.dev, "seq": before.at.seq}).all()
        if all(number in as_counted or number > max(as_counted) for number, _ in changed):
            counted = Counter(before.counted)
            counted.subtract(dice for number, _ in changed if (dice := as_counted.get(number)) is not None)
            counted.update(_dice(text) for _, text in changed if text is not None)
            return counted
    return {_dice(text): hits for text, hits in connection.execute(_RESULTS, {"dev": at.dev})}


def _dice(text: str) -> Dice:
    first, second, third = rows.faces(text)
    return first, second, third
