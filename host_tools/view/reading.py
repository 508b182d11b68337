"""Reads the state of one table out of the store: what everybody may see of it at this moment, and no more.

All of it is of one moment of the store. It follows from records, from what the board last said of itself, and from
nothing that a person typed into this view. docs/VIEW.md says what each word means.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, select

from host_tools.keys import not_for_play
from host_tools.settler.call import call
from host_tools.settler.paytable import Paytable
from host_tools.settler.taisai import Dice
from host_tools.store import status
from host_tools.store.alarms import open_alarms
from host_tools.store.betting import LEASE
from host_tools.store.database import Database
from host_tools.store.rows import Alarm, Live, Round
from host_tools.store.rows import Fault as StoredFault
from host_tools.store.schema import boards, owners
from host_tools.view.contract import (
    Board,
    Fault,
    Mark,
    OpenAlarm,
    PastRound,
    Result,
    State,
    WinningArea,
    Words,
)
from host_tools.view.figures import side
from host_tools.view.history import NOTHING, SHOWN_ROUNDS, History, Past, has_ended
from host_tools.view.layout import area_id

AWAY = timedelta(seconds=3)
"""A board says its status once a second; after this without one it is away."""

# What the record in force of a round that has not ended says, in words.
_WORDS: dict[str, Words] = {
    "spin": "spinning",
    "bets_open": "place_bets",
    "bets_closed": "no_more_bets",
    "uncovered": "uncovered",
}


# A run that was killed leaves its row behind; its lease is over soon (host_tools/run/ownership.py).
_RUN_SINCE = select(owners.c.since).where(owners.c.dev == bindparam("dev"), owners.c.expires_at >= bindparam("now"))
_TABLE = select(boards.c.table_name).where(boards.c.dev == bindparam("dev"), boards.c.enrolled_to.is_(None))

Seat = Callable[[Connection], str | None]
"""Which board the view is of now; None: none yet."""


def serving(table: str) -> Seat:
    """The board that serves `table` now."""
    query = select(boards.c.dev).where(boards.c.table_name == table, boards.c.enrolled_to.is_(None))
    return lambda connection: connection.execute(query).scalar_one_or_none()


class Reader:
    """Reads the state of the board on one seat. Not for two threads at once."""

    def __init__(self, database: Database, seat: Seat, paytable: Paytable) -> None:
        self._database, self._seat, self._paytable = database, seat, paytable
        self._past = Past()

    def read(self, now: datetime) -> State:
        """The state at `now`, UTC on the clock by which statuses are timed. Raises UserError when the store does not
        answer."""
        with self._database.reading() as connection:
            dev = self._seat(connection)
            if dev is None:
                return self._state(None, None, None, NOTHING, [], None, now)
            of_dev = {"dev": dev}
            return self._state(
                dev,
                connection.execute(_TABLE, of_dev).scalar_one_or_none(),
                status.last(connection, dev),
                self._past.of(connection, dev),
                open_alarms(connection, dev),
                connection.execute(_RUN_SINCE, of_dev | {"now": now}).scalar_one_or_none(),
                now,
            )

    def _state(
        self,
        dev: str | None,
        table: str | None,
        said: Live | None,
        history: History,
        alarms: list[Alarm],
        run_since: datetime | None,
        now: datetime,
    ) -> State:
        last = history.rounds[-1] if history.rounds else None
        fits = last is None or last.paytable_hash in (None, self._paytable.hash)
        fault = history.fault
        return State(
            table=table,
            dev=dev,
            simulated=dev is not None and not_for_play(dev),
            state=_word(last, said, fault, now),
            round=None if last is None else last.round,
            in_force=None if last is None else str(last.in_force),
            wagers_open=_takes_wagers(last, said, alarms, now) and fits,
            paytable_fits=fits,
            numbers=_numbers(last, said),
            result=None if last is None or last.dice is None else self._result(last, last.dice, fits),
            void_reason=history.void_reason,
            fault=None if fault is None else Fault(code=fault.code, state=fault.state, boot=fault.boot, seq=fault.seq),
            last_rounds=[_past(round_) for round_ in history.rounds if has_ended(round_)][-SHOWN_ROUNDS:],
            figures=history.figures,
            board=_board(said, history, run_since),
            alarms=[OpenAlarm(id=a.id, kind=a.kind, text=a.text, raised_at=a.raised_at) for a in alarms],
        )

    def _result(self, round_: Round, dice: Dice, fits: bool) -> Result:
        won = self._paytable.winning_areas(dice) if fits else {}
        return Result(
            dice=dice,
            total=sum(dice),
            call=call(dice),
            side=side(dice),
            mark=_mark(round_),
            winning=[WinningArea(area=area_id(area), odds=(odds.win, odds.stake)) for area, odds in won.items()],
        )


def _word(last: Round | None, said: Live | None, fault: StoredFault | None, now: datetime) -> Words:
    """The records tell first; the status tells what no record does: that the board is there, coasts, or is at fault."""
    if said is None or abs(now - said.status_at) > AWAY:
        return "away"
    if fault is not None or said.state == "FAULT":
        return "fault"
    if last is None:
        return "idle"
    if has_ended(last):
        return "void" if last.dice is None else "result"
    if last.state == "spin" and (said.state, said.round) == ("COASTING", last.round):
        return "settling"
    return _WORDS[last.state]


def _numbers(last: Round | None, said: Live | None) -> list[int]:
    """The last numbers pressed. None while the cover hides the dice, whatever an older line said; those of the result
    behind it, whatever a supervisor presses then."""
    if last is None:
        return []
    if last.dice is not None:
        return list(last.dice)
    if last.state != "uncovered" or said is None or said.round != last.round:
        return []
    return list(said.window)


def _takes_wagers(last: Round | None, said: Live | None, alarms: list[Alarm], now: datetime) -> bool:
    """As far as can be told without asking for it (host_tools/store/wagers.py decides)."""
    if last is None or said is None or alarms or last.state != "bets_open":
        return False
    return (said.state, said.round) == ("BETTING", last.round) and abs(now - said.status_at) <= LEASE


def _mark(round_: Round) -> Mark | None:
    if round_.adjustment is not None:
        return "adjusted"
    return "corrected" if round_.state == "correction" else None


def _past(round_: Round) -> PastRound:
    dice = round_.dice
    if dice is None:
        return PastRound(round=round_.round, dice=None, total=None, side=None, mark="void")
    return PastRound(round=round_.round, dice=dice, total=sum(dice), side=side(dice), mark=_mark(round_))


def _board(said: Live | None, history: History, run_since: datetime | None) -> Board:
    cause, started_at = history.last_start or (None, None)
    return Board(
        says=None if said is None else said.state,
        status_at=None if said is None else said.status_at,
        boot=None if said is None else said.boot,
        started_at=started_at,
        start_cause=cause,
        starts=history.starts,
        resets=history.resets,
        faults=history.faults,
        unacked=_unacked(said, history),
        last_record_at=history.at.received_at,
        run_since=run_since,
    )


def _unacked(said: Live | None, history: History) -> int | None:
    if said is None or said.next_seq is None:
        return None
    return max(0, said.next_seq - 1 - (history.at.seq or 0))
