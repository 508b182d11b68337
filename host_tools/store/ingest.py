"""Takes a durable record: the record itself, its round and the settlements that follow from it, in one transaction."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, insert, select, update
from tumbler.core import ledger

from host_tools.link.events import NOTHING, Identity
from host_tools.store import rows, settling
from host_tools.store.alarms import raise_alarm, settling_stopped
from host_tools.store.rows import Conflict, Gap, Ingested, Round, Settler
from host_tools.store.schema import records, rounds

# The record that must be in force before each kind; None: the round is new. The board writes no other order
# (docs/PROTOCOL.md), so any other is not settled but raised as an alarm.
FOLLOWS: dict[str, tuple[str | None, ...]] = {
    "spin": (None,),
    "bets_open": ("spin",),
    "bets_closed": ("bets_open",),
    "uncovered": ("bets_closed",),
    "result": ("uncovered",),
    "correction": ("result", "correction"),
    "void": ("spin", "bets_open", "bets_closed", "uncovered", "result", "correction"),
}


def ingest(
    connection: Connection,
    dev: str,
    raw: bytes,
    fields: dict[str, Any],
    received_at: datetime,
    occurred_at: datetime | None,
    settler: Settler,
) -> Ingested:
    """As Store.ingest, inside the caller's transaction."""
    kind, round_number = fields["kind"], fields.get("round")
    if _is_known(connection, dev, raw, fields):
        return Ingested(False, kind, round_number, [], "")
    connection.execute(
        insert(records).values(
            dev=dev,
            boot=fields["boot"],
            seq=fields["seq"],
            kind=kind,
            round=round_number,
            t_ms=fields["t"],
            mac=fields["mac"],
            line=raw.decode("ascii"),
            received_at=received_at,
            occurred_at=occurred_at,
        )
    )
    note = ""
    if kind in FOLLOWS:
        note = _take_round(connection, dev, fields, received_at, occurred_at, settler)
    elif kind == "meter":
        note = _compare_totals(connection, dev, fields, received_at)
    if settling_stopped(connection, dev):
        return Ingested(
            True, kind, round_number, [], note or "Settling is stopped until the open alarms are confirmed."
        )
    made = []
    if kind in ("bets_closed", "uncovered"):
        closed = find_round(connection, dev, fields["round"])
        if closed is not None:
            settling.void_late(connection, closed, received_at)
            made = settling.entries(connection, dev, closed.round, (fields["boot"], fields["seq"]))
            note = f"{len(made)} late wagers are void, their stakes go back." if made else ""
    made += settling.settle_due(connection, dev, settler, received_at)
    return Ingested(True, kind, round_number, made, note)


def last_identity(connection: Connection, dev: str) -> Identity | None:
    """The last record of `dev`, None before its first."""
    query = select(records.c.boot, records.c.seq, records.c.mac).where(records.c.dev == dev)
    row = connection.execute(query.order_by(records.c.seq.desc()).limit(1)).one_or_none()
    return None if row is None else Identity(*row)


def find_round(connection: Connection, dev: str, number: int, lock: bool = False) -> Round | None:
    """The row of a round. `lock` keeps other writers off it until the transaction ends (SQLite locks as a whole)."""
    query = select(rounds).where(rounds.c.dev == dev, rounds.c.round == number)
    row = connection.execute(query.with_for_update() if lock else query).mappings().one_or_none()
    return None if row is None else settling.round_from(row)


def _is_known(connection: Connection, dev: str, raw: bytes, fields: dict[str, Any]) -> bool:
    """Whether this very record is stored. Raises Conflict and Gap for one that does not come next."""
    boot, seq = fields["boot"], fields["seq"]
    last = last_identity(connection, dev) or NOTHING
    if seq > last.seq + 1:
        raise Gap(last.seq + 1, seq)
    if seq == last.seq + 1:
        if boot < last.boot:
            raise Conflict(f"Record {boot}:{seq} of board {dev} is of an earlier start than {last.boot}:{last.seq}.")
        return False
    query = select(records.c.boot, records.c.line).where(records.c.dev == dev, records.c.seq == seq)
    stored = connection.execute(query).one_or_none()
    if stored is None or (stored.boot, stored.line.encode("ascii")) != (boot, raw):
        raise Conflict(f"Record {boot}:{seq} of board {dev} is not the record that is stored for seq {seq}.")
    return True


def _take_round(
    connection: Connection,
    dev: str,
    fields: dict[str, Any],
    received_at: datetime,
    occurred_at: datetime | None,
    settler: Settler,
) -> str:
    """Bring the round's row up to the record -> a note, not empty when an alarm was raised instead."""
    before = find_round(connection, dev, fields["round"], lock=True)
    wrong = _out_of_order(before, fields)
    if wrong:
        text = f"Record {fields['boot']}:{fields['seq']} ({fields['kind']}, round {fields['round']}) {wrong}."
        raise_alarm(connection, dev, "order", text, received_at)
        return text
    at = occurred_at or received_at
    values: dict[str, Any] = {"state": fields["kind"], "boot": fields["boot"], "seq": fields["seq"], "settled": False}
    if before is None:
        row = {**values, "dev": dev, "round": fields["round"], "began_at": at}
        connection.execute(insert(rounds).values(row))
        return ""
    values |= _by_kind(before, fields, at, occurred_at, settler)
    of_round = and_(rounds.c.dev == dev, rounds.c.round == fields["round"])
    connection.execute(update(rounds).where(of_round).values(values))
    return ""


def _by_kind(
    before: Round, fields: dict[str, Any], at: datetime, occurred_at: datetime | None, settler: Settler
) -> dict[str, Any]:
    """The columns that this kind of record sets besides the record in force."""
    kind = fields["kind"]
    if kind == "bets_open":
        return {"opened_at": at, "paytable": settler.paytable.name, "paytable_hash": settler.paytable.hash}
    if kind in ("bets_closed", "uncovered"):
        # Without a mapped time the last status BETTING is the last moment for which open bets are proven.
        known = [moment for moment in (before.closed_at, occurred_at) if moment is not None]
        return {"closed_at": min(known, default=before.betting_seen_at)}
    if kind == "void":
        return {"ended_at": at, "dice": None}
    return {"ended_at": at, "dice": rows.digits(fields["dice"])}


def _out_of_order(before: Round | None, fields: dict[str, Any]) -> str:
    """Why the record cannot follow the one in force; empty when it can."""
    state = None if before is None else before.state
    if state not in FOLLOWS[fields["kind"]]:
        return f"cannot follow {state or 'nothing'}"
    if (
        before is not None
        and "ref_seq" in fields
        and (fields["ref_boot"], fields["ref_seq"]) != (before.boot, before.seq)
    ):
        return f"replaces {fields['ref_boot']}:{fields['ref_seq']}, but {before.boot}:{before.seq} is in force"
    return ""


def _compare_totals(connection: Connection, dev: str, fields: dict[str, Any], at: datetime) -> str:
    """Compare a meter with the records since the meter before -> a note, not empty when an alarm was raised."""
    counted: dict[str, int] = dict.fromkeys(("rounds", "spins", "results", "voids", "corrections", "faults"), 0)
    query = select(records.c.seq, records.c.line).where(records.c.dev == dev, records.c.seq < fields["seq"])
    meters = connection.execute(query.where(records.c.kind == "meter").order_by(records.c.seq.desc()).limit(1))
    last = meters.one_or_none()
    if last is not None:
        meter = ledger.decode_device(last.line.encode("ascii"))
        counted = {name: meter[name] for name in counted}
        query = query.where(records.c.seq > last.seq)
    columns = {"spin": "rounds", "result": "results", "void": "voids", "correction": "corrections", "fault": "faults"}
    for row in connection.execute(query):
        record = ledger.decode_device(row.line.encode("ascii"))
        if record["kind"] in columns:
            counted[columns[record["kind"]]] += 1
        counted["spins"] += record.get("spins") or 0
    differs = [f"{name} {fields[name]}, counted {count}" for name, count in counted.items() if fields[name] != count]
    if not differs:
        return ""
    text = f"Meter {fields['boot']}:{fields['seq']} disagrees with the records: {'; '.join(differs)}."
    raise_alarm(connection, dev, "totals", text, at)
    return text
