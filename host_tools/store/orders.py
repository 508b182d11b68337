"""The host's orders for a board: queued with an expiry, sent one at a time, answered, or judged by what came after.

Each function works inside the caller's transaction. An order leaves `queued`, and `sent`, at most once.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, insert, select, update
from tumbler.core import fields as F
from tumbler.core import ledger

from host_tools.errors import UserError
from host_tools.store import rows
from host_tools.store.rows import Command
from host_tools.store.schema import commands, records

VERBS = tuple(verb for verb in F.COMMANDS if verb not in ("hello?", "welcome", "ack", "resend"))
"""The orders that a command may hold."""

VALID = timedelta(seconds=60)
"""How long an order may wait to be sent: one that is carried out much later would be a surprise at the table."""

BY_RECORD = "by_record"
"""In the place of an answer that was lost: a record of the board shows that it obeyed."""

# The record that the board writes when it obeys; maintenance shows in the boot record of the start that follows.
_KIND = {"no_more_bets": "bets_closed", "void": "void", "correct": "correction", "clear": "clear"}


def queue(connection: Connection, dev: str, verb: str, at: datetime, given: dict[str, Any]) -> int:
    """As Store.queue_command; given: round, ref_boot, ref_seq, dice, reason and by, None for those not given."""
    _check(verb, given)
    dice = None if given["dice"] is None else rows.digits(given["dice"])
    row = {**given, "dice": dice, "dev": dev, "verb": verb, "state": rows.QUEUED}
    row |= {"queued_at": at, "expires_at": at + VALID}
    return connection.execute(insert(commands).values(row).returning(commands.c.id)).scalar_one()


def _check(verb: str, given: dict[str, Any]) -> None:
    """The line encoder judges the fields, so that nothing is queued that could not be sent. Raises UserError."""
    if verb not in VERBS:
        raise UserError(f"There is no order {verb[:24]!r}: take one of {', '.join(VERBS)}.")
    wanted = [name for name, _ in F.COMMANDS[verb]]
    extra = [name for name, value in given.items() if value is not None and name not in wanted]
    if extra:
        raise UserError(f"Order {verb} takes no {', '.join(extra)}: leave it out.")
    try:
        ledger.encode_command(verb, "0" * 16, 1, [given[name] for name in wanted], bytes(32))
    except ledger.LineError as error:
        raise UserError(f"Order {verb} cannot be sent: {error}; mend that value.") from None
    if not given["by"].startswith("host:"):
        raise UserError(f"Order {verb} is by {given['by']!r}: give the name as host:NAME.")


def find(connection: Connection, *where: Any, newest: bool = False, most: int | None = None) -> list[Command]:
    """The commands for which all of `where` holds, by number."""
    query = select(commands).where(*where).order_by(commands.c.id.desc() if newest else commands.c.id).limit(most)
    return [_command(row) for row in connection.execute(query).mappings()]


def next_queued(connection: Connection, dev: str, at: datetime) -> Command | None:
    """As Store.next_command."""
    if in_flight(connection, dev) is not None:
        return None
    valid = commands.c.expires_at >= at
    return next(iter(find(connection, _in(dev, rows.QUEUED), valid, most=1)), None)


def mark_sent(connection: Connection, command_id: int, nonce: str, n: int) -> bool:
    """As Store.mark_sent."""
    queued = and_(commands.c.id == command_id, commands.c.state == rows.QUEUED)
    done = connection.execute(update(commands).where(queued).values(state=rows.SENT, nonce=nonce, n=n))
    return done.rowcount == 1


def withdraw(connection: Connection, command_id: int, at: datetime) -> None:
    """As Store.withdraw_command."""
    queued = and_(commands.c.id == command_id, commands.c.state == rows.QUEUED)
    connection.execute(update(commands).where(queued).values(state=rows.WITHDRAWN, answered_at=at))


def answer(connection: Connection, nonce: str, n: int, ok: bool, why: str, at: datetime) -> Command | None:
    """As Store.answer_command."""
    # The nonce names the board: it is drawn from the dev.
    sent = find(connection, commands.c.nonce == nonce, commands.c.n == n, commands.c.state == rows.SENT)
    return _end(connection, sent[0], rows.DONE if ok else rows.REFUSED, why, at) if sent else None


def in_flight(connection: Connection, dev: str) -> Command | None:
    """The order that was sent and whose end is not known; at most one, for the next one waits for it."""
    return next(iter(find(connection, _in(dev, rows.SENT), most=1)), None)


def judge(connection: Connection, command: Command, at: datetime) -> Command:
    """As Store.judge_command."""
    if any(_shows(connection, command, line) for line in _lines_since(connection, command)):
        return _end(connection, command, rows.DONE, BY_RECORD, at)
    return _end(connection, command, rows.LOST, None, at)


def _lines_since(connection: Connection, command: Command) -> Sequence[str]:
    of_kind = and_(records.c.dev == command.dev, records.c.kind == _KIND.get(command.verb, "boot"))
    since = records.c.received_at >= command.queued_at
    if command.verb != "maintenance":
        since = and_(records.c.round == command.round, records.c.seq > command.ref_seq)
    return connection.execute(select(records.c.line).where(of_kind, since)).scalars().all()


def _shows(connection: Connection, command: Command, line: str) -> bool:
    """Whether this record is what the board wrote to carry out the order."""
    record = ledger.decode_device(line.encode("ascii"))
    if command.verb == "maintenance":
        return record["mode"] == "maintenance"
    said = {"ref_boot": command.ref_boot, "ref_seq": command.ref_seq, "dice": command.dice, "reason": command.reason}
    said |= {"by": command.by, "act": "clear"}
    if any(record[name] != value for name, value in said.items() if name in record):
        return False
    # The same order given twice: the record is that of the first, the second found another record in force.
    same = ("dev", "verb", "round", "ref_boot", "ref_seq", "by")
    twins = (commands.c[name] == getattr(command, name) for name in same)
    return not find(connection, *twins, commands.c.state == rows.DONE, most=1)


def _end(connection: Connection, command: Command, state: str, why: str | None, at: datetime) -> Command:
    values = {"state": state, "answer": why, "answered_at": at}
    connection.execute(update(commands).where(commands.c.id == command.id).values(values))
    return command._replace(**values)


def _in(dev: str, state: str) -> Any:
    return and_(commands.c.dev == dev, commands.c.state == state)


def _command(row: Any) -> Command:
    return Command(**{**row, "dice": rows.dice(row["dice"])})
