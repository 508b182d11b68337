"""Takes a durable record: the record itself, its round and the settlements that follow from it, in one transaction."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, func, insert, select, update
from tumbler.core import ledger

from host_tools.link.events import NOTHING, Identity
from host_tools.link.timemap import DRIFT
from host_tools.link.totals import Totals
from host_tools.store import replaced, rows, settling
from host_tools.store.alarms import missing_between, missing_until, raise_alarm, settling_stopped
from host_tools.store.rows import Conflict, Gap, Ingested, Made, Occurred, Round, Settler
from host_tools.store.schema import records, rounds
from host_tools.words import plural

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

# Asked for every record, so built once: building a statement costs as much as the answer.
_LAST = (
    select(records.c.boot, records.c.seq, records.c.mac)
    .where(records.c.dev == bindparam("dev"))
    .order_by(records.c.seq.desc())
    .limit(1)
)
_ROUND = select(rounds).where(rounds.c.dev == bindparam("dev"), rounds.c.round == bindparam("round"))
_ROUND_LOCKED = _ROUND.with_for_update()
_TAKE = insert(records)


def ingest(
    connection: Connection,
    dev: str,
    raw: bytes,
    fields: dict[str, Any],
    received_at: datetime,
    occurred: Occurred | None,
    settler: Settler,
    betting: int | None,
) -> Ingested:
    """As Store.ingest, inside the caller's transaction; `betting`: the last round in which this run saw open bets."""
    kind, round_number = fields["kind"], fields.get("round")
    last = last_identity(connection, dev) or NOTHING
    if _is_known(connection, dev, raw, fields, last):
        return Ingested(False, kind, round_number, Made(), "")
    row = {
        "dev": dev,
        "boot": fields["boot"],
        "seq": fields["seq"],
        "kind": kind,
        "round": round_number,
        "t_ms": fields["t"],
        "mac": fields["mac"],
        "line": raw.decode("ascii"),
        "received_at": received_at,
        "occurred_at": None if occurred is None else occurred.at,
        "bound_ms": None if occurred is None else occurred.bound_ms,
    }
    connection.execute(_TAKE, row)
    made = Made()
    note = ""
    if kind in FOLLOWS:
        note = _take_round(connection, dev, fields, received_at, occurred, settler, betting)
    elif kind == "meter":
        note = _compare_totals(connection, dev, fields, received_at)
    elif kind == "boot" and fields["seq"] == 1:
        made, note = replaced.first_record(connection, dev, received_at)
    if last.seq and last.mac == NOTHING.mac:
        note = f"{_chain_anew(fields, last)} {note}".rstrip()
    if settling_stopped(connection, dev):
        return Ingested(
            True, kind, round_number, made, note or "Settling is stopped until the open alarms are confirmed."
        )
    if kind in ("bets_closed", "uncovered"):
        closed = find_round(connection, dev, fields["round"])
        if closed is not None and settling.void_late(connection, closed, received_at):
            made = settling.made(connection, closed)
            late = plural(made.count, "late wager is void, its stake goes", "late wagers are void, their stakes go")
            note = f"{note} {late} back.".lstrip()
    made += settling.settle_due(connection, dev, settler, received_at)
    return Ingested(True, kind, round_number, made, note)


def last_identity(connection: Connection, dev: str) -> Identity | None:
    """The last record of `dev`, None before its first.

    After a named gap, before the first record behind it: the last seq of the gap, and the mac of no record (zeros).
    """
    row = connection.execute(_LAST, {"dev": dev}).one_or_none()
    last = NOTHING if row is None else Identity(*row)
    missing = missing_until(connection, dev)
    if missing > last.seq:
        return Identity(last.boot, missing, NOTHING.mac)
    return None if row is None else last


def find_round(connection: Connection, dev: str, number: int, lock: bool = False) -> Round | None:
    """The row of a round. `lock` keeps other writers off it until the transaction ends (SQLite locks as a whole)."""
    query = _ROUND_LOCKED if lock else _ROUND
    row = connection.execute(query, {"dev": dev, "round": number}).mappings().one_or_none()
    return None if row is None else settling.round_from(row)


def _is_known(connection: Connection, dev: str, raw: bytes, fields: dict[str, Any], last: Identity) -> bool:
    """Whether this very record is stored, or passed by in a named gap. Raises Conflict and Gap for one that does not
    come next."""
    boot, seq = fields["boot"], fields["seq"]
    if seq > last.seq + 1:
        raise Gap(last.seq + 1, seq)
    if seq == last.seq + 1:
        if boot < last.boot:
            raise Conflict(f"Record {boot}:{seq} of board {dev} is of an earlier start than {last.boot}:{last.seq}.")
        return False
    query = select(records.c.boot, records.c.line).where(records.c.dev == dev, records.c.seq == seq)
    stored = connection.execute(query).one_or_none()
    if stored is None and missing_between(connection, dev, seq - 1, seq + 1):
        return True
    if stored is None or (stored.boot, stored.line.encode("ascii")) != (boot, raw):
        raise Conflict(f"Record {boot}:{seq} of board {dev} is not the record that is stored for seq {seq}.")
    return True


def _chain_anew(fields: dict[str, Any], last: Identity) -> str:
    return (
        f"Record {fields['boot']}:{fields['seq']} is the first behind the named gap that ends at seq {last.seq}: the "
        "chain begins anew, its mac cannot be checked, nor what it says; the record after it proves that mac alone."
    )


def _take_round(
    connection: Connection,
    dev: str,
    fields: dict[str, Any],
    received_at: datetime,
    occurred: Occurred | None,
    settler: Settler,
    betting: int | None,
) -> str:
    """Bring the round's row up to the record -> a note, not empty when an alarm was raised instead."""
    before = find_round(connection, dev, fields["round"], lock=True)
    wrong = _out_of_order(before, fields)
    # What a round went through inside a named gap nobody can say: the first record of it behind the gap is believed.
    if wrong and not _over_gap(connection, dev, fields):
        text = (
            f"Record {fields['boot']}:{fields['seq']} ({fields['kind']}, round {fields['round']}) {wrong}. The record "
            "is kept and the round stays as it was; once this is confirmed the other rounds go on, and when the next "
            "one has begun, `tumbler adjust` settles this one."
        )
        raise_alarm(connection, dev, "order", text, received_at)
        return text
    at = received_at if occurred is None else occurred.at
    values: dict[str, Any] = {"state": fields["kind"], "boot": fields["boot"], "seq": fields["seq"]}
    values |= {"adjustment": None, "settled": False}  # an adjustment stands above the record that it names, no other
    if before is None:
        row = {**values, "dev": dev, "round": fields["round"], "began_at": at}
        connection.execute(insert(rounds).values(row))
        before = find_round(connection, dev, fields["round"])
        assert before is not None, "it was inserted a line ago"
    if fields["kind"] in ("bets_closed", "uncovered"):
        values["closed_at"] = _closed_at(connection, before, fields, occurred, betting)
    values |= _by_kind(before, fields, at, settler)
    of_round = and_(rounds.c.dev == dev, rounds.c.round == fields["round"])
    connection.execute(update(rounds).where(of_round).values(values))
    if before.adjustment is None:
        return ""
    return f"Round {before.round} had the host's adjustment {before.in_force}: the board's record takes its place."


def _by_kind(before: Round, fields: dict[str, Any], at: datetime, settler: Settler) -> dict[str, Any]:
    """The columns that this kind of record sets besides the record in force and the time of closing."""
    kind = fields["kind"]
    if kind in ("spin", "bets_closed", "uncovered"):
        return {}
    if kind == "bets_open":
        return {"opened_at": at, "paytable": settler.paytable.name, "paytable_hash": settler.paytable.hash}
    if kind == "void":
        return {"ended_at": at, "dice": None}
    # The time of closing is missing only where the closing lies in a named gap.
    closed_at = before.closed_at or betting_proven_until(before)
    return {"ended_at": at, "dice": rows.digits(fields["dice"]), "closed_at": closed_at}


def _closed_at(
    connection: Connection, before: Round, fields: dict[str, Any], occurred: Occurred | None, betting: int | None
) -> datetime | None:
    """The earliest moment at which the bets may have been closed: wagers from then on are late.

    Without a bound on the record's time the last status BETTING is the last moment for which open bets are proven.
    """
    known = [before.closed_at, None if occurred is None else occurred.earliest]
    if before.closed_at is None and betting != before.round:
        # Another run timed the wagers, by its own clock: the wall clock may have been set between the two.
        known.append(
            closed_by_board_clock(connection, before, fields["boot"], fields["t"]) or betting_proven_until(before)
        )
    elif before.closed_at is None and (occurred is None or occurred.bound_ms is None):
        known.append(betting_proven_until(before))
    return min((moment for moment in known if moment is not None), default=None)


def closed_by_board_clock(connection: Connection, before: Round, boot: int, t_ms: int) -> datetime | None:
    """The earliest that a closing, recorded at `t_ms` of start `boot`, can have been on the clock of the run that took
    bets_open; None over a start of the board, and when that run did not know the board's time."""
    of_round = and_(records.c.dev == before.dev, records.c.round == before.round, records.c.boot == boot)
    query = select(records).where(of_round, records.c.kind == "bets_open", records.c.bound_ms.is_not(None))
    opened = connection.execute(query).mappings().one_or_none()
    if opened is None:
        return None
    open_ms = (t_ms - opened["t_ms"]) * (1 - DRIFT)
    return Occurred(opened["occurred_at"], opened["bound_ms"]).earliest + timedelta(milliseconds=open_ms)


def betting_proven_until(round_: Round) -> datetime | None:
    """The moment after the last status BETTING, from which on nobody can say whether bets were open."""
    return None if round_.betting_seen_at is None else round_.betting_seen_at + timedelta.resolution


def _over_gap(connection: Connection, dev: str, fields: dict[str, Any]) -> bool:
    """Whether a named gap lies between the record, of a round that was begun, and the last one of any round."""
    if fields["kind"] == "spin":
        return False
    of_rounds = select(func.coalesce(func.max(records.c.seq), 0)).where(
        records.c.dev == dev, records.c.kind.in_(FOLLOWS), records.c.seq < fields["seq"]
    )
    last = connection.execute(of_rounds).scalar_one()
    return missing_between(connection, dev, last, fields["seq"])


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
    query = select(records.c.seq, records.c.line).where(records.c.dev == dev, records.c.seq < fields["seq"])
    meters = connection.execute(query.where(records.c.kind == "meter").order_by(records.c.seq.desc()).limit(1))
    last = meters.one_or_none()
    totals = Totals(None if last is None else ledger.decode_device(last.line.encode("ascii")))
    if last is not None:
        query = query.where(records.c.seq > last.seq)
    # Over a named gap nothing can be counted; the meter after this one is compared with this one.
    if missing_between(connection, dev, 0 if last is None else last.seq, fields["seq"]):
        return "The totals of this meter cannot be compared: records before it are missing in a named gap."
    for row in connection.execute(query):
        totals.count(ledger.decode_device(row.line.encode("ascii")))
    differs = totals.differences(fields)
    if not differs:
        return ""
    text = (
        f"Meter {fields['boot']}:{fields['seq']} disagrees with the records: {'; '.join(differs)}. Check the rounds "
        "since the meter before against the slips of the table; once this is confirmed, what waited is settled."
    )
    raise_alarm(connection, dev, "totals", text, at)
    return text
