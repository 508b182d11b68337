"""The Store: every question to the database and every change of it, each in one transaction.

Times are given as datetimes with a zone and come back in UTC; money is integer cents. Every method raises UserError
when the database is busy, damaged, read-only or gone. `run` alone takes records and answers; other processes queue
commands and read.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, insert, or_, select, update

from host_tools.link.events import Identity
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import Wager
from host_tools.settler.taisai import Dice
from host_tools.store import (
    adjusting,
    alarms,
    faults,
    ingest,
    listing,
    owners,
    replaced,
    settling,
    staging,
    status,
    wagers,
)
from host_tools.store.database import Database
from host_tools.store.listing import Listed
from host_tools.store.orders import OrderStore
from host_tools.store.rows import (
    Adjustment,
    Alarm,
    Arrived,
    Balance,
    Enrolment,
    Entry,
    Fault,
    InForce,
    Ingested,
    Live,
    Made,
    Occurred,
    Overpaid,
    Owner,
    Round,
    Settler,
)
from host_tools.store.schema import boards, rounds


class Store(OrderStore):
    """One store. Safe to use from several threads and processes."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._tokens: dict[str, str] = {}  # of the boards that this run owns
        self._betting: dict[str, int] = {}  # dev -> the last round in which this run saw its bets open

    @classmethod
    def open(cls, url: str, busy: Callable[[str], object] | None = None) -> "Store":
        """Open the store at a database URL such as `sqlite:///tumbler.db`; an empty one is made ready. busy: as
        Database has it.

        Raises UserError for a bad URL, a path that cannot be opened, a file that is no store, another schema version,
        a damaged or a busy database.
        """
        return cls(Database(url, busy=busy))

    def write_back(self) -> None:
        """As Database.write_back()."""
        self._db.write_back()

    def close(self) -> None:
        self._db.close()

    # ------------------------------------------------------------ boards and tables

    def enrol(self, dev: str, table: str, at: datetime) -> None:
        """From `at` on `dev` serves `table`: both leave the table or board that they had. No change if it does so."""
        with self._db.writing() as connection:
            now = boards.c.enrolled_to.is_(None)
            current = select(boards.c.id).where(now, boards.c.dev == dev, boards.c.table_name == table)
            if connection.execute(current).first():
                return
            leaving = and_(now, or_(boards.c.dev == dev, boards.c.table_name == table))
            connection.execute(update(boards).where(leaving).values(enrolled_to=at))
            connection.execute(insert(boards).values(dev=dev, table_name=table, enrolled_from=at))

    def enrolments(self) -> list[Enrolment]:
        """All enrolments ever made, oldest first."""
        query = select(*(boards.c[name] for name in Enrolment._fields)).order_by(boards.c.id)
        with self._db.reading() as connection:
            return [Enrolment(*row) for row in connection.execute(query)]

    def table_of(self, dev: str) -> str | None:
        """The table that `dev` serves now, None for a board that serves none."""
        query = select(boards.c.table_name).where(boards.c.dev == dev, boards.c.enrolled_to.is_(None))
        with self._db.reading() as connection:
            return connection.execute(query).scalar_one_or_none()

    # ------------------------------------------------------------ who owns a board

    def claim(self, mine: Owner, instead_of: Owner | None) -> Owner | None:
        """Own the board of `mine` -> None, or who owns it; `instead_of` is a row that may be replaced. From then on
        what this Store writes of what that board says raises UserError once another run took it over."""
        with self._db.writing() as connection:
            other = owners.claim(connection, mine, instead_of)
        if other is None:
            self._tokens[mine.dev] = mine.token
        return other

    def renew(self, dev: str, at: datetime, expires_at: datetime) -> None:
        """The owner of `dev` still lives. Raises UserError when another run took it over."""
        with self._db.writing() as connection:
            owners.renew(connection, dev, self._tokens[dev], at, expires_at)

    def release(self, dev: str) -> None:
        """Give `dev` back."""
        with self._db.writing() as connection:
            owners.release(connection, dev, self._tokens.pop(dev))

    def owner(self, dev: str) -> Owner | None:
        """The run that has a row as the owner of `dev`; one that died may have left it."""
        with self._db.reading() as connection:
            return owners.owner(connection, dev)

    def _check_owner(self, connection: Connection, dev: str) -> None:
        if dev in self._tokens:
            owners.check(connection, dev, self._tokens[dev])

    # ------------------------------------------------------------ records, wagers, settlements

    def last_identity(self, dev: str) -> Identity | None:
        """The last durable record of `dev`, None before its first."""
        with self._db.reading() as connection:
            return ingest.last_identity(connection, dev)

    def ingest(
        self,
        dev: str,
        raw: bytes,
        fields: dict[str, Any],
        received_at: datetime,
        occurred: Occurred | None,
        settler: Settler,
    ) -> Ingested:
        """Take one durable record, bring its round up to it and settle what follows, in one transaction.

        raw: the line as received, without LF; fields: of it, from ledger.decode_device(), its mac already checked;
        occurred: its `t` mapped to UTC, None when that is not known. A record that is stored already changes
        nothing, nor does one that a named gap passed by. While an open alarm stops settling, the record is kept and its
        round settled after the confirmation.

        Raises Gap for a record that is not yet next, Conflict for one that can never fit, UserError when the round took
        its wagers under another paytable than the settler's; then nothing is stored.
        """
        with self._db.writing() as connection:
            return ingest.ingest(connection, dev, raw, fields, received_at, occurred, settler, self._betting.get(dev))

    def ingest_all(self, dev: str, batch: Sequence[Arrived], received_at: datetime, settler: Settler) -> list[Ingested]:
        """Take records in their order, as ingest() takes each, in one transaction, and so with one wait for the disk:
        all of them or none. Raises what ingest() raises for any of them."""
        with self._db.writing() as connection:
            self._check_owner(connection, dev)
            return [
                ingest.ingest(connection, dev, raw, fields, received_at, occurred, settler, self._betting.get(dev))
                for raw, fields, occurred in batch
            ]

    def place_wagers(
        self, dev: str, round: int, batch: Sequence[Wager], paytable: Paytable, clock: Callable[[], datetime]
    ) -> int:
        """Take all wagers of a batch for an open round, or none -> how many; 0 when this very batch was taken before.

        Raises Refused unless bets_open is the record in force, the board's last status says BETTING in that round and
        is at most 1.5 s old by clock() (UTC), both at the first and the last moment of the transaction, no open alarm
        stops settling, `paytable` is the one under which the bets were opened, and every wager has an own id, a stake
        over 0 within its limits and odds in it.
        """
        with self._db.writing() as connection:
            self._check_owner(connection, dev)
            return wagers.place(connection, dev, round, batch, paytable, clock)

    def place_file(
        self,
        dev: str,
        round: int,
        rows: Iterable[tuple[int, Wager]],
        file_name: str,
        paytable: Paytable,
        clock: Callable[[], datetime],
        when_read: Callable[[], object],
    ) -> staging.Imported:
        """Take the wagers of a large file, each with its row, as place_wagers() takes a batch.
        `rows` are read once and kept aside, which holds up nobody; then when_read() is called, and then they are taken.
        Each is covered by `paytable` and within its limits already. Raises as place_wagers(), UserError for an id that
        stands twice in the file, and whatever `rows` raise."""
        with self._db.aside() as connection:
            connection.execution_options(reading=True)
            with connection.begin():
                count = staging.fill(connection, rows, file_name)
            if not count:
                return staging.Imported(0)
            when_read()
            connection.execution_options(reading=False)
            with connection.begin():
                return staging.place(connection, dev, round, count, file_name, paytable, clock)

    def withdraw_wager(self, dev: str, round: int, wager_id: str, by: str, clock: Callable[[], datetime]) -> bool:
        """Take a wager back while bets are open; its stake goes back with the round's end -> False when it was taken
        back before. Raises Refused as place_wagers(), and for a wager that is not there."""
        with self._db.writing() as connection:
            return wagers.withdraw(connection, dev, round, wager_id, by, clock)

    def place_replayed(self, dev: str, round: int, batch: Sequence[Wager], paytable: Paytable, at: datetime) -> None:
        """Place the wagers of a round that is replayed from a log, accepted at `at`. Raises Refused in a store that
        ever saw the board live, for a wager without odds, and when others are placed; no change when these are."""
        with self._db.writing() as connection:
            wagers.place_replayed(connection, dev, round, batch, paytable, at)

    def list_wagers(self, dev: str | None, round: int | None, player: str | None) -> Iterator[Listed]:
        """Wagers with what became of each, of one board, round or player; with neither round nor player, those of each
        board's last round. Read as they are taken from here, all of one moment."""
        with self._db.reading() as connection:
            yield from listing.listed(connection, dev, round, player)

    @contextmanager
    def reporting(self) -> Iterator[Connection]:
        """A moment of the store for the sums of reporting.py."""
        with self._db.reading() as connection:
            yield connection

    def settle_due(self, dev: str, settler: Settler, at: datetime) -> Made:
        """Settle what waited for the confirmation of an alarm -> the entries made. Raises as ingest().

        So does what waited at the dev that `dev` replaces, for that one never comes back.
        """
        with self._db.writing() as connection:
            made = replaced.void_open(connection, dev, at)
            for each in (replaced.predecessor(connection, dev), dev):
                if each is not None and not alarms.settling_stopped(connection, each):
                    made += settling.settle_due(connection, each, settler, at)
            return made

    def round_open(self, dev: str) -> bool:
        """Whether the last round of `dev` has neither result nor void."""
        query = select(rounds.c.state).where(rounds.c.dev == dev).order_by(rounds.c.round.desc()).limit(1)
        with self._db.reading() as connection:
            state = connection.execute(query).scalar_one_or_none()
        return state is not None and state not in settling.FINAL

    def rounds(self, dev: str | None = None) -> list[Round]:
        """All rounds, of one board or of all, in the order of their numbers."""
        query = select(rounds).order_by(rounds.c.dev, rounds.c.round)
        if dev is not None:
            query = query.where(rounds.c.dev == dev)
        with self._db.reading() as connection:
            return [settling.round_from(row) for row in connection.execute(query).mappings()]

    def last_rounds(self, dev: str, most: int) -> list[Round]:
        """The last rounds of `dev`, oldest first."""
        query = select(rounds).where(rounds.c.dev == dev).order_by(rounds.c.round.desc()).limit(most)
        with self._db.reading() as connection:
            return [settling.round_from(row) for row in connection.execute(query).mappings()][::-1]

    def settlements(self, dev: str, round: int) -> list[Entry]:
        """Every entry of a round, reversed and reversing ones too, oldest first."""
        with self._db.reading() as connection:
            return settling.entries(connection, dev, round)

    def balance(self, dev: str, round: int) -> Balance:
        """The sums of a round; all 0 for one without wagers."""
        with self._db.reading() as connection:
            return settling.balance(connection, dev, round)

    def adjust(
        self,
        dev: str,
        round: int,
        in_force: InForce,
        dice: Dice | None,
        reason: str,
        by: str,
        settler: Settler,
        at: datetime,
    ) -> Made:
        """The host's own decision on a round that its board can correct no more: other dice, or void (dice None).

        Settles it in the same transaction -> the entries made. Raises UserError, and changes nothing, unless
        `in_force` is what stands and is no void, the round is not the last one of a board that serves a table, no
        alarm is open, and `settler` has the round's paytable.
        """
        with self._db.writing() as connection:
            return adjusting.adjust(connection, dev, round, in_force, dice, reason, by, settler, at)

    def adjustments(self, dev: str, round: int) -> list[Adjustment]:
        """The host's adjustments of a round, oldest first; those that no longer stand too."""
        with self._db.reading() as connection:
            return adjusting.of_round(connection, dev, round)

    def round(self, dev: str, number: int) -> Round | None:
        """One round, None if there is none."""
        with self._db.reading() as connection:
            return ingest.find_round(connection, dev, number)

    def record(self, dev: str, boot: int, seq: int) -> dict[str, Any]:
        """The fields of a record that is stored."""
        with self._db.reading() as connection:
            return settling.record_fields(connection, dev, boot, seq)

    def open_fault(self, dev: str) -> Fault | None:
        """The fault of `dev` that waits to be answered."""
        with self._db.reading() as connection:
            return faults.open_fault(connection, dev)

    def overpaid(self, dev: str | None = None, round: int | None = None) -> list[Overpaid]:
        """Who was paid more by an earlier record of a round than by a later one or an adjustment; of all rounds, or of
        one board, or of one round."""
        with self._db.reading() as connection:
            return settling.overpaid(connection, dev, round)

    # ------------------------------------------------------------ what a board says of itself

    def update_live(
        self,
        dev: str,
        boot: int,
        state: str | None,
        round: int,
        window: Sequence[int] | None,
        at: datetime,
        next_seq: int | None = None,
    ) -> None:
        """Keep what an ephemeral line said.

        A status gives `state`, `next_seq` and no window (None): it renews the lease, which runs from `at`, the earliest
        moment at which the board can have said so, and a change of state or round empties the window; not the change to
        UNCOVERED within a round, for the numbers may have been pressed before that status came. A key line gives
        `window` and no state (None): it says nothing about the state, so it renews no lease, and it changes nothing
        before the first status.
        """
        with self._db.writing() as connection:
            self._check_owner(connection, dev)
            status.keep(connection, dev, boot, state, round, window, at, next_seq)
        if state == "BETTING":
            self._betting[dev] = round

    def live(self, dev: str) -> Live | None:
        """What `dev` last said, None before its first status."""
        with self._db.reading() as connection:
            return status.last(connection, dev)

    # ------------------------------------------------------------ alarms

    def alarm(self, dev: str, kind: str, text: str, at: datetime, missing: tuple[int, int] | None = None) -> int:
        """Raise an alarm -> its id; one that says the same and is still open is not raised again.

        `missing`: first and last seq of records that will never come; its confirmation makes them a named gap, behind
        which last_identity() and ingest() go on.
        """
        with self._db.writing() as connection:
            return alarms.raise_alarm(connection, dev, kind, text, at, missing)

    def open_alarms(self, dev: str | None = None) -> list[Alarm]:
        """The alarms that nobody confirmed, oldest first, of one board or of all."""
        with self._db.reading() as connection:
            return alarms.open_alarms(connection, dev)

    def confirm_alarm(self, alarm_id: int, by: str, at: datetime) -> bool:
        """An operator answers for an alarm -> whether it was open. Then settle_due() or the next record settles."""
        with self._db.writing() as connection:
            return alarms.confirm_alarm(connection, alarm_id, by, at)

    def accept_restore(self, dev: str, by: str, at: datetime) -> tuple[int, int] | None:
        """Answer for this store's being a backup: the board of an open store_behind is told at the next start to send
        again what it still has -> first and last seq of what is missing, None when no such alarm is open."""
        with self._db.writing() as connection:
            return alarms.accept_restore(connection, dev, by, at)

    def restoring(self, dev: str) -> bool:
        """Whether accept_restore() was called and this store does not have all of what was missing yet."""
        with self._db.reading() as connection:
            last = ingest.last_identity(connection, dev)
            return alarms.resend_until(connection, dev) > (0 if last is None else last.seq)

    def settling_stopped(self, dev: str) -> bool:
        """Whether an open alarm stops the settling of `dev`."""
        with self._db.reading() as connection:
            return alarms.settling_stopped(connection, dev)
