"""The host's orders for a board: queued with an expiry, sent one at a time, answered, or judged by what came after.

Each function works inside the caller's transaction; OrderStore has a transaction for each of them. An order leaves
`queued`, and `sent`, at most once.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, insert, select, update
from tumbler.core import fields as F
from tumbler.core import ledger

from host_tools.errors import UserError
from host_tools.store import rows
from host_tools.store.database import Database
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
    """As OrderStore.queue_command; given: round, ref_boot, ref_seq, dice, reason and by, None for those not given."""
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
    if given["reason"] is not None:
        rows.check_reason(given["reason"])
    try:
        ledger.encode_command(verb, "0" * 16, 1, [given[name] for name in wanted], bytes(32))
    except ledger.LineError as error:
        raise UserError(f"Order {verb} cannot be sent: {error}; mend that value.") from None
    if not given["by"].startswith("host:") or given["by"] == "host:":
        raise UserError(f"Order {verb} is by {given['by']!r}: give the name as host:NAME.")


def find(connection: Connection, *where: Any, newest: bool = False, most: int | None = None) -> list[Command]:
    """The commands for which all of `where` holds, by number."""
    query = select(commands).where(*where).order_by(commands.c.id.desc() if newest else commands.c.id).limit(most)
    return [_command(row) for row in connection.execute(query).mappings()]


def next_queued(connection: Connection, dev: str, at: datetime) -> Command | None:
    """As OrderStore.next_command."""
    if in_flight(connection, dev) is not None:
        return None
    # Both ends: by a clock that is far behind that of whoever gave it, an order would else stay valid for hours.
    valid = and_(commands.c.expires_at >= at, commands.c.queued_at <= at + VALID)
    return next(iter(find(connection, _in(dev, rows.QUEUED), valid, most=1)), None)


def mark_sent(connection: Connection, command_id: int, nonce: str, n: int) -> bool:
    """As OrderStore.mark_sent."""
    queued = and_(commands.c.id == command_id, commands.c.state == rows.QUEUED)
    done = connection.execute(update(commands).where(queued).values(state=rows.SENT, nonce=nonce, n=n))
    return done.rowcount == 1


def withdraw(connection: Connection, command_id: int, at: datetime) -> None:
    """As OrderStore.withdraw_command."""
    queued = and_(commands.c.id == command_id, commands.c.state == rows.QUEUED)
    connection.execute(update(commands).where(queued).values(state=rows.WITHDRAWN, answered_at=at))


def answer(connection: Connection, nonce: str, n: int, ok: bool, why: str, at: datetime) -> Command | None:
    """As OrderStore.answer_command."""
    # The nonce names the board: it is drawn from the dev.
    sent = find(connection, commands.c.nonce == nonce, commands.c.n == n, commands.c.state == rows.SENT)
    return _end(connection, sent[0], rows.DONE if ok else rows.REFUSED, why, at) if sent else None


def in_flight(connection: Connection, dev: str) -> Command | None:
    """The order that was sent and whose end is not known; at most one, for the next one waits for it."""
    return next(iter(find(connection, _in(dev, rows.SENT), most=1)), None)


def judge(connection: Connection, command: Command, at: datetime) -> Command:
    """As OrderStore.judge_command."""
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


class OrderStore:
    """The part of a Store that keeps orders."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def queue_command(
        self,
        dev: str,
        verb: str,
        by: str,
        at: datetime,
        *,
        round: int | None = None,
        ref_boot: int | None = None,
        ref_seq: int | None = None,
        dice: Sequence[int] | None = None,
        reason: str | None = None,
    ) -> int:
        """Queue an order -> its id. (ref_boot, ref_seq) is the record that must be in force for the board to obey.

        It is sent within 60 s or never.

        Raises UserError when the verb is unknown or a field is missing, too many or not what the protocol takes.
        """
        given = {"round": round, "ref_boot": ref_boot, "ref_seq": ref_seq, "dice": dice, "reason": reason, "by": by}
        with self._db.writing() as connection:
            return queue(connection, dev, verb, at, given)

    def command(self, command_id: int) -> Command | None:
        """One command, None when there is none with that id."""
        with self._db.reading() as connection:
            return next(iter(find(connection, commands.c.id == command_id)), None)

    def last_commands(self, dev: str | None, most: int) -> list[Command]:
        """The newest commands, newest first, for one board or for all."""
        of_dev = () if dev is None else (commands.c.dev == dev,)
        with self._db.reading() as connection:
            return find(connection, *of_dev, newest=True, most=most)

    def next_command(self, dev: str, at: datetime) -> Command | None:
        """The oldest queued command for `dev` that may be sent at `at`, at most 60 s after it was queued, or before.

        None also while the end of one that was sent is not known, for the record in force changes with each.
        """
        with self._db.reading() as connection:
            return next_queued(connection, dev, at)

    def command_in_flight(self, dev: str) -> Command | None:
        """The command that was sent to `dev` and whose end is not known; there is one at most."""
        with self._db.reading() as connection:
            return in_flight(connection, dev)

    def mark_sent(self, command_id: int, nonce: str, n: int) -> bool:
        """The command goes out as line `n` under `nonce`, unless it was withdrawn meanwhile -> whether it may go.

        Call it before the line is written to the port.
        """
        with self._db.writing() as connection:
            return mark_sent(connection, command_id, nonce, n)

    def withdraw_command(self, command_id: int, at: datetime) -> None:
        """Take back a command that was not sent yet; one that was stays as it is."""
        with self._db.writing() as connection:
            withdraw(connection, command_id, at)

    def answer_command(self, nonce: str, n: int, ok: bool, why: str, at: datetime) -> Command | None:
        """The board answered line `n` under `nonce` -> the command, None when that line was none that waits."""
        with self._db.writing() as connection:
            return answer(connection, nonce, n, ok, why, at)

    def judge_command(self, command: Command, at: datetime) -> Command:
        """End a command whose answer was lost by the records that came: done if the board's record of it is there, else
        lost, which says that the board did not carry it out -> the command as it is now.

        Only once its nonce is worth nothing any more and every record from before that has come.
        """
        with self._db.writing() as connection:
            return judge(connection, command, at)
