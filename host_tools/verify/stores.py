"""Checks a store against itself: each board's chain, what is in force for each round, each settlement once more."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, select
from tumbler.core import ledger

from host_tools.errors import UserError
from host_tools.link.chain import Chain, Fit
from host_tools.link.events import NOTHING, Fields, Identity
from host_tools.link.totals import Totals
from host_tools.settler import paytable as paytables
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import VOID, Settlement, settle_round
from host_tools.settler.taisai import Dice
from host_tools.store import adjusting, alarms, settling
from host_tools.store.database import Database
from host_tools.store.ingest import FOLLOWS
from host_tools.store.rows import REVERSE, Entry, Round
from host_tools.store.schema import records, rounds, wagers
from host_tools.verify.audit import DROPPED, EDITED, TOTALS, Damage
from host_tools.verify.logs import KeyOf

ROUND, SETTLEMENT = "not what its round shows", "not what was settled"


class Checked(NamedTuple):
    """What was found: counts, the damages in the order in which they were met, and rounds that were not settled again
    because their paytable is not here."""

    records: int
    rounds: int
    settlements: int
    damages: list[Damage]
    unknown: list[str]


def check_store(url: str, key_of: KeyOf, given: Paytable | None) -> Checked:
    """Read the whole store; `given`: a paytable besides the bundled ones. Raises UserError as Database and key_of()."""
    database = Database(url, make=False)
    try:
        with database.reading() as connection:
            return _check(connection, key_of, given)
    finally:
        database.close()


def _check(connection: Connection, key_of: KeyOf, given: Paytable | None) -> Checked:
    damages: list[Damage] = []
    unknown: list[str] = []
    counts = [0, 0, 0]
    for dev in connection.scalars(select(records.c.dev).distinct().order_by(records.c.dev)).all():
        board = _BoardRecords(connection, dev, key_of(dev))
        broken = board.check()
        damages += broken
        missing = board.rounds()
        of_dev = select(rounds).where(rounds.c.dev == dev).order_by(rounds.c.round)
        for row in connection.execute(of_dev).mappings().all():
            round_ = settling.round_from(row)
            missing.discard(round_.round)
            why = "" if broken else board.round_differs(round_)  # what is in force is known of a whole chain alone
            if why:
                damages.append(Damage(ROUND, dev, round_.boot, round_.seq, None, why))
            entries = settling.entries(connection, dev, round_.round)
            counts[1], counts[2] = counts[1] + 1, counts[2] + len(entries)
            paytable = _paytable(round_, given)
            if paytable is None and entries:
                unknown.append(f"round {round_.round} of board {dev} (paytable {round_.paytable})")
                continue
            damages += [
                Damage(SETTLEMENT, dev, round_.boot, round_.seq, None, f"round {round_.round}: {why}")
                for why in _settled_wrong(connection, round_, entries, paytable)
            ]
        if not broken:
            damages += [board.round_gone(number) for number in sorted(missing) if not board.was_refused(number)]
        counts[0] += board.count
    return Checked(counts[0], counts[1], counts[2], damages, unknown)


class _BoardRecords:
    """The records of one dev, and from them what is in force for each round."""

    def __init__(self, connection: Connection, dev: str, key: bytes) -> None:
        self._connection, self._dev = connection, dev
        self._chain = Chain(key, NOTHING)
        self._totals: Totals | None = Totals()
        self._in_force: dict[int, Fields] = {}
        self.count = 0

    def check(self) -> list[Damage]:
        """Read them all -> the first that is damaged, or none."""
        query = select(records).where(records.c.dev == self._dev).order_by(records.c.seq)
        for row in self._connection.execute(query.execution_options(yield_per=1000)).mappings():
            self.count += 1
            damage = self._check(row["line"].encode("ascii", "replace"), dict(row))
            if damage is not None:
                return [damage]
        return []

    def _check(self, raw: bytes, row: Fields) -> Damage | None:
        boot, seq = row["boot"], row["seq"]
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
        return self._alarm_names(f"Record {last['boot']}:{last['seq']} (")

    def round_differs(self, round_: Round) -> str:
        """Why the row of a round is not what its last record says; empty when it is."""
        last = self._in_force.get(round_.round)
        if last is None:
            return f"no record of round {round_.round} is there"
        if (round_.boot, round_.seq) != (last["boot"], last["seq"]):
            if self.was_refused(round_.round):
                return ""
            return f"the last record of round {round_.round} is {last['boot']}:{last['seq']}"
        if round_.state != last["kind"] and not (round_.state == "void" and self._replaced()):
            return f"that record of round {round_.round} is a {last['kind']}, the round is {round_.state}"
        if round_.dice != last.get("dice") and round_.state != "void":
            return f"round {round_.round} has dice {round_.dice}, its record {last.get('dice')}"
        return ""

    def _alarm_names(self, text: str) -> bool:
        table = alarms.alarms
        query = select(table.c.id).where(table.c.dev == self._dev, table.c.kind == "order", table.c.text.contains(text))
        return self._connection.execute(query.limit(1)).first() is not None

    def _replaced(self) -> bool:
        first = select(records.c.line).where(records.c.kind == "boot", records.c.seq == 1)
        return any(f'"replaces":"{self._dev}"' in line for line in self._connection.scalars(first))


def _paytable(round_: Round, given: Paytable | None) -> Paytable | None:
    if given is not None and given.hash == round_.paytable_hash:
        return given
    if round_.paytable is None:
        return None
    try:
        bundled = paytables.load(round_.paytable)
    except UserError:
        return None
    return bundled if bundled.hash == round_.paytable_hash else None


def _settled_wrong(
    connection: Connection, round_: Round, entries: list[Entry], paytable: Paytable | None
) -> Iterator[str]:
    """What does not follow from what is in force, wager by wager."""
    by_id = {entry.id: entry for entry in entries}
    standing: dict[str, Entry] = {}
    for entry in entries:
        wager_id = entry.settlement.wager.wager_id
        if entry.entry != REVERSE:
            if wager_id in standing:
                yield f"wager {wager_id} has two entries that stand"
            standing[wager_id] = entry
            continue
        reversed_ = by_id.get(entry.reverses or 0)
        if reversed_ is None or _amounts(reversed_.settlement) != tuple(-cents for cents in _amounts(entry.settlement)):
            yield f"entry {entry.id} does not reverse what it names"
        standing.pop(wager_id, None)
    if not round_.settled or paytable is None:
        return
    dice = _dice_in_force(connection, round_)
    # Such stakes stay back, whatever the board says of the round when it comes again.
    given_back = any(adjustment.dice is None for adjustment in adjusting.of_round(connection, round_.dev, round_.round))
    query = select(wagers).where(wagers.c.dev == round_.dev, wagers.c.round == round_.round).order_by(wagers.c.place)
    for row in connection.execute(query).mappings().all():
        late = round_.closed_at is not None and row["accepted_at"] >= round_.closed_at
        yield from _wager_wrong(row["wager_id"], standing.get(row["wager_id"]), dice, late or given_back, paytable)


def _wager_wrong(
    wager_id: str, entry: Entry | None, dice: Dice | None, void: bool, paytable: Paytable
) -> Iterator[str]:
    if entry is None:
        yield f"wager {wager_id} is not settled"
        return
    made = entry.settlement
    if dice is None or void:
        if made.outcome != VOID or made.returned_cents != made.wager.stake_cents:
            yield f"wager {wager_id} is void, and its entry {entry.id} is not"
        return
    due = settle_round([made.wager], dice, paytable)[0]
    if due != made:
        right, wrong = (f"{one.outcome}, {one.returned_cents} cents returned" for one in (due, made))
        yield f"wager {wager_id} is {right}; its entry {entry.id} says {wrong}"


def _amounts(settlement: Settlement) -> tuple[int, int]:
    return settlement.won_cents, settlement.returned_cents


def _dice_in_force(connection: Connection, round_: Round) -> Dice | None:
    """None for a round that is void."""
    if round_.adjustment is not None:
        return adjusting.find(connection, round_.adjustment).dice
    return None if round_.state == "void" else round_.dice
