"""Checks the records that a store holds of one board, and says from them what is in force for each of its rounds."""

from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select
from tumbler.core import ledger

from host_tools.link.chain import Chain, Fit
from host_tools.link.events import NOTHING, Fields, Identity
from host_tools.link.totals import Totals
from host_tools.store import alarms, settling
from host_tools.store.ingest import FOLLOWS, betting_proven_until, closed_by_board_clock
from host_tools.store.rows import Occurred, Round
from host_tools.store.schema import records
from host_tools.verify.audit import DROPPED, EDITED, TOTALS, Damage

ROUND = "not what its round shows"


class _Closing(NamedTuple):
    """A record bets_closed or uncovered."""

    boot: int
    seq: int
    t_ms: int
    occurred: Occurred | None


class BoardRecords:
    """The records of one dev, and from them what is in force for each round."""

    def __init__(self, connection: Connection, dev: str, key: bytes) -> None:
        self._connection, self._dev = connection, dev
        self._chain = Chain(key, NOTHING)
        self._totals: Totals | None = Totals()
        self._in_force: dict[int, Fields] = {}
        self._closings: dict[int, list[_Closing]] = {}
        self.count = 0

    def check(self) -> list[Damage]:
        """Read them all -> the first that is damaged, or none."""
        query = select(records).where(records.c.dev == self._dev).order_by(records.c.seq)
        for row in self._connection.execute(query.execution_options(yield_per=1000)).mappings():
            self.count += 1
            damage = self._check(dict(row))
            if damage is not None:
                return [damage]
        return []

    def _check(self, row: Fields) -> Damage | None:
        boot, seq = row["boot"], row["seq"]
        if not isinstance(row["line"], str):  # SQLite keeps whatever it is given
            return self._damage(EDITED, boot, seq, "its line is not text")
        raw = row["line"].encode("ascii", "replace")
        try:
            fields = ledger.decode_device(raw)
        except ledger.LineError as error:
            return self._damage(EDITED, boot, seq, f"its line is not whole: {error}")
        said = {name: fields.get(name) for name in ("dev", "boot", "seq", "kind", "round", "mac")}
        if said != {name: row[name] for name in said} or fields["t"] != row["t_ms"]:
            return self._damage(EDITED, boot, seq, "its columns do not say what its line says")
        tip = self._chain.tip
        if seq > tip.seq + 1:
            if not self._gap_is_named(tip.seq, seq):
                return self._damage(DROPPED, None, tip.seq + 1, f"it is not there, and record {boot}:{seq} is")
            self._chain.tip = Identity(tip.boot, seq - 1, NOTHING.mac)
            self._totals = None
        if self._chain.fit(raw, fields) is not Fit.NEXT:
            return self._damage(EDITED, boot, seq, "its mac does not fit it and the record before it")
        self._chain.take(fields)
        if fields["kind"] in ("bets_closed", "uncovered"):
            occurred = None if row["occurred_at"] is None else Occurred(row["occurred_at"], row["bound_ms"])
            self._closings.setdefault(fields["round"], []).append(_Closing(boot, seq, fields["t"], occurred))
        return self._count(fields)

    def _count(self, fields: Fields) -> Damage | None:
        if fields["kind"] in FOLLOWS:
            self._in_force[fields["round"]] = fields
        if fields["kind"] != "meter":
            if self._totals is not None:
                self._totals.count(fields)
            return None
        differs = [] if self._totals is None else self._totals.differences(fields)
        self._totals = Totals(fields)
        if not differs:
            return None
        return self._damage(TOTALS, fields["boot"], fields["seq"], f"this meter disagrees: {'; '.join(differs)}")

    def _gap_is_named(self, after: int, before: int) -> bool:
        return all(
            alarms.missing_between(self._connection, self._dev, seq - 1, seq + 1) for seq in (after + 1, before - 1)
        )

    def _damage(self, kind: str, boot: int | None, seq: int, why: str) -> Damage:
        return Damage(kind, self._dev, boot, seq, None, why)

    def rounds(self) -> set[int]:
        """The numbers of the rounds of which there are records."""
        return set(self._in_force)

    def round_gone(self, number: int) -> Damage:
        """A round that is not there, and its wagers with it."""
        last = self._in_force[number]
        return self._damage(ROUND, last["boot"], last["seq"], f"round {number} is not there, and this record of it is")

    def was_refused(self, number: int) -> bool:
        """Whether an alarm says why the last record of a round did not count."""
        last = self._in_force[number]
        return self._names_refused(last["boot"], last["seq"])

    def _names_refused(self, boot: int, seq: int) -> bool:
        return self._alarm_names(f"Record {boot}:{seq} (")

    def round_differs(self, round_: Round) -> str:
        """Why the row of a round is not what its last record says; empty when it is."""
        last = self._in_force.get(round_.round)
        if last is None:
            return f"no record of round {round_.round} is there"
        if (round_.boot, round_.seq) != (last["boot"], last["seq"]):
            if not self.was_refused(round_.round):
                return f"the last record of round {round_.round} is {last['boot']}:{last['seq']}"
            of_round = (records.c.round == round_.round, records.c.kind.in_(FOLLOWS))
            query = select(records.c.line).where(records.c.dev == self._dev, *of_round)
            line = self._connection.scalar(query.where(records.c.boot == round_.boot, records.c.seq == round_.seq))
            if line is None:
                return f"record {round_.boot}:{round_.seq} is none of round {round_.round}"
            last = ledger.decode_device(line.encode("ascii"))
        return self._differs(round_, last)

    def _differs(self, round_: Round, last: Fields) -> str:
        # A board that replaces another voids the rounds that have no end, and no others.
        replaced = round_.state == "void" and last["kind"] not in settling.FINAL and self._replaced()
        if round_.state != last["kind"] and not replaced:
            return f"that record of round {round_.round} is a {last['kind']}, the round is {round_.state}"
        if round_.dice != last.get("dice") and round_.state != "void":
            return f"round {round_.round} has dice {round_.dice}, its record {last.get('dice')}"
        return self._closing_differs(round_)

    def _closing_differs(self, round_: Round) -> str:
        """Why the time of closing does not follow from the records of it. Whether the run that took them had seen open
        bets is in no record, so each time that it may have taken is right, unless it is after the record's own."""
        closings = [one for one in self._closings.get(round_.round, ()) if not self._names_refused(one.boot, one.seq)]
        latest = [one.occurred.earliest for one in closings if one.occurred is not None]
        closed_at = round_.closed_at
        if closed_at is None:
            return f"round {round_.round} has no time of closing, and its records have" if latest else ""
        if any(closed_at > moment for moment in latest):
            return f"the time of closing of round {round_.round} is after that of its record"
        if closed_at in (*latest, betting_proven_until(round_)):
            return ""
        # Asked for the few that a second run took: it reads all records of one kind.
        by_clock = (closed_by_board_clock(self._connection, round_, one.boot, one.t_ms) for one in closings)
        return (
            "" if closed_at in by_clock else f"the time of closing of round {round_.round} is that of no record of it"
        )

    def may_wait(self) -> bool:
        """Whether a round may be at its end and not settled: an alarm is open, or nothing came since one was
        confirmed."""
        table = alarms.alarms
        last = select(func.max(records.c.received_at)).where(records.c.dev == self._dev).scalar_subquery()
        waits = or_(table.c.confirmed_at.is_(None), table.c.confirmed_at >= last)
        query = select(table.c.id).where(table.c.dev == self._dev, waits)
        return self._connection.execute(query.limit(1)).first() is not None

    def _alarm_names(self, text: str) -> bool:
        table = alarms.alarms
        query = select(table.c.id).where(table.c.dev == self._dev, table.c.kind == "order", table.c.text.contains(text))
        return self._connection.execute(query.limit(1)).first() is not None

    def _replaced(self) -> bool:
        first = select(records.c.line).where(records.c.kind == "boot", records.c.seq == 1)
        said = f'"replaces":"{self._dev}"'
        return any(said in line for line in self._connection.scalars(first) if isinstance(line, str))
