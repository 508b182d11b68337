"""Opens the database behind a store URL and hands out its transactions; database errors become one sentence.

Everything that is one database's own stands here; the other files of this room use what PostgreSQL knows too.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timezone
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, RootTransaction, create_engine, event, insert, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, OperationalError
from tumbler.core import ledger

from host_tools.errors import UserError
from host_tools.progress import waiting
from host_tools.settler.amounts import shown
from host_tools.store import schema
from host_tools.words import printable

EXAMPLE = "sqlite:///tumbler.db"
# Another process holds the database for one short transaction at a time; over 5 s something else is wrong.
BUSY_TIMEOUT_S = 5
# It may be over soon all the same, and a run has bets open: it tries so often, 20 s in all.
RUN_TRIES = 4
_DAMAGED = (
    "is damaged: end every program that uses it and give the last backup to `tumbler store restore`, which keeps the "
    "damaged one for the auditor"
)
_NOT_OPENED = "cannot be opened: check that the folder exists and that the file may be read and written"

# What a database says when it cannot go on, and what a person can do about it.
_MEANING = (
    ("not a database", "is not a store: give the path of a store, or of a file that does not exist yet"),
    *(
        (words, _DAMAGED)
        for words in ("malformed", "no such", "decode to UTF-8", "disk I/O", "unsupported file format")
    ),
    *(
        (words, "is busy: another program holds it; close that program and try again")
        for words in ("locked", "lock timeout", "deadlock")
    ),
    ("readonly", "can be read but not written: allow writing to the file and its folder"),
    ("unable to open", _NOT_OPENED),
    ("disk is full", "cannot grow, its disk is full: make room and try again"),
)


class NoStore(UserError):
    """Nothing is there, or an empty database: a store may be made of it."""


class Database:
    """One database: transactions that read, transactions that write, each all or nothing."""

    def __init__(self, url: str, make: bool = True, busy: Callable[[str], object] | None = None) -> None:
        """Connects and makes the tables in an empty database; with `make` false an empty or absent one is refused.

        busy: of a run, told in a sentence when SQLite's write lock was not free for 5 s and it is tried again. What
        waits longer for a row of PostgreSQL is not tried again: there another program can only hold one row up.

        Raises UserError for a bad URL, a path that cannot be opened, a file that is no store, a damaged store, and a
        store of another schema version. Nothing is written before all that was checked.
        """
        parsed = _parse(url)
        self.name = _name(parsed)
        self._busy = busy
        if parsed.get_backend_name() == "sqlite":
            _check_path(self.name, parsed.database or "", make)
        self._path = sqlite_path(url)
        self._opened: tuple[int, int] | None = None  # which file of SQLite it is
        self.engine = _engine(parsed, self.name)
        # SQLite's transactions are of one moment as they are; PostgreSQL's are of that only when told so.
        moment = {} if parsed.get_backend_name() == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        self._reader = self.engine.execution_options(reading=True, **moment)
        try:
            empty = not self._tables()
            self._opened = self._file()
            event.listen(self.engine, "commit", lambda _: self._check_place())
            if empty and not make:
                raise NoStore(
                    f"There is no store in {self.name}, it is empty: name the store that `run` or `enrol` made."
                )
            if not empty:
                self._check_tables()
            self._keep_wal()
            if empty:
                self._make_tables()
            elif make:
                self._make_indexes()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads, one moment of the store; it holds up no writer. Raises UserError."""
        with self.sentences(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes: all of it or, when the body raises, nothing. Raises UserError."""
        with self.sentences(), self.engine.connect() as connection, self._begun(connection):
            yield connection

    def check_whole(self) -> None:
        """Reads every page of a SQLite file. Raises UserError for a damaged one. A server looks after its own pages."""
        if self.engine.dialect.name == "sqlite":
            with self.reading() as connection:
                if connection.execute(text("PRAGMA quick_check(1)")).scalar_one() != "ok":
                    raise UserError(f"Store {self.name} {_DAMAGED}.")

    def write_back(self) -> None:
        """What SQLite keeps beside the file goes into it, as far as nobody reads an older moment: it can be copied."""
        if self.engine.dialect.name == "sqlite":
            with suppress(UserError), self.sentences(), closing(self.engine.raw_connection()) as connection:
                self._check_place()
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _begun(self, connection: Connection) -> RootTransaction:
        """A transaction that writes, of a run after several tries. SQLite finds the store busy here alone."""
        tries = RUN_TRIES
        while True:
            tries -= 1
            try:
                return connection.begin()
            except OperationalError as error:
                if self._busy is None or "locked" not in str(error.orig):
                    raise
                if tries == 0:
                    self._busy = None  # the run ends, and what it still writes then waits as any other program does
                    raise
                more_s = tries * BUSY_TIMEOUT_S
                self._busy(f"Store {self.name} is busy: another program holds it; this run waits {more_s} s more")

    @contextmanager
    def watching(self) -> Iterator[Callable[[], object]]:
        """A question that costs next to nothing: its answer is another one once somebody else has committed anything.

        SQLite counts commits of other connections; a snapshot of PostgreSQL names every transaction that it sees.
        Raises UserError, the question too.
        """
        sqlite = self.engine.dialect.name == "sqlite"
        question = text("PRAGMA data_version" if sqlite else "SELECT CAST(pg_current_snapshot() AS text)")
        with self.sentences(), self._reader.connect() as connection:

            def ask() -> object:
                with self.sentences(), connection.begin():
                    return connection.execute(question).scalar_one()

            yield ask

    @contextmanager
    def aside(self) -> Iterator[Connection]:
        """A connection without a transaction, to be closed with its temporary tables. A transaction that is begun while
        its option `reading` is set may write into these and holds up no writer. Raises UserError."""
        with self.sentences(), self.engine.connect() as connection:
            connection.detach()
            yield connection

    @contextmanager
    def sentences(self) -> Iterator[None]:
        """What a database says in the body becomes UserError; IntegrityError, a fault of this program, stays."""
        try:
            yield
        except IntegrityError:
            raise
        except (DBAPIError, sqlite3.Error) as error:
            said = str(error.orig if isinstance(error, DBAPIError) else error)
            self._check_place()
            for words, meaning in _MEANING:
                if words in said:
                    raise UserError(f"Store {self.name} {meaning}.") from None
            said = " ".join(said.split())
            raise UserError(f"Store {self.name} does not answer ({said}): check the database and the URL.") from None
        except UnicodeEncodeError as error:
            if error.encoding == "ascii":  # a stored line of a board, which is that
                raise UserError(f"Store {self.name} {_DAMAGED}.") from None
            # A command line that is not UTF-8.
            raise UserError(f"{shown(error.object)} is no text that a store can hold: give it in UTF-8.") from None
        except ValueError as error:  # overwritten bytes: in SQLite's own words, in a time, or in a board's line
            if isinstance(error, (UnicodeDecodeError, ledger.LineError)) or "isoformat" in str(error):
                raise UserError(f"Store {self.name} {_DAMAGED}.") from None
            raise

    def _file(self) -> tuple[int, int] | None:
        """Which file is at the path of a SQLite store now, None if there is none."""
        if self._path is None:
            return None
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _check_place(self) -> None:
        """Raises UserError when the file that was opened is not at its path any more. Asked before each commit: what
        is written into a file that nobody finds again is lost, and no ack may follow it."""
        if self._opened is not None and self._file() != self._opened:
            raise UserError(
                f"Store {self.name} was removed, moved or replaced while this program had it open, and nothing more is "
                "written: put back the file that was there, or the last backup with `tumbler store restore`, and start "
                "again."
            )

    def _tables(self) -> dict[str, set[str]]:
        """The tables and views that are there -> the names of the columns of each."""
        with self.reading() as connection:
            found = inspect(connection).get_multi_columns(kind=ObjectKind.ANY)
            return {name: {column["name"] for column in columns} for (_, name), columns in found.items()}

    def _keep_wal(self) -> None:
        """Readers hold up no writer. The file remembers it, so it comes after the checks; not within a transaction."""
        if self.engine.dialect.name == "sqlite":
            with self.sentences(), closing(self.engine.raw_connection()) as connection:
                connection.cursor().execute("PRAGMA journal_mode=WAL")

    def _make_tables(self) -> None:
        with self.writing() as connection:
            made = not inspect(connection).get_table_names()  # else another process was first
            if made:
                schema.metadata.create_all(connection)
                now = datetime.now(timezone.utc)
                connection.execute(insert(schema.meta).values(schema_version=schema.SCHEMA_VERSION, created_at=now))
        if not made:
            self._check_tables()

    def _make_indexes(self) -> None:
        """A store that an older program made holds the same and lacks what only makes it quick."""
        with self.reading() as connection:
            there = {index["name"] for index in inspect(connection).get_indexes(schema.wagers.name)}
        missing = [index for index in schema.wagers.indexes if index.name not in there]
        if missing:
            with self.writing() as connection:
                for index in missing:
                    index.create(connection, checkfirst=True)  # another process may have been first

    def _check_tables(self) -> None:
        found = self._tables()
        if "schema_version" not in found.get(schema.meta.name, ()):
            raise UserError(f"Store {self.name} holds other tables: give the store a database of its own.")
        with self.reading() as connection:
            versions = list(connection.scalars(select(schema.meta.c.schema_version)))
        if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
            raise UserError(f"Store {self.name} {_DAMAGED}.")
        if versions[0] != schema.SCHEMA_VERSION:
            raise UserError(
                f"Store {self.name} has schema version {versions[0]}, this program writes {schema.SCHEMA_VERSION}: "
                f"use the program that made it, or another store."
            )
        if any(not set(table.c.keys()) <= found.get(table.name, set()) for table in schema.metadata.sorted_tables):
            raise UserError(f"Store {self.name} {_DAMAGED}.")


def check(url: str) -> None:
    """Raises UserError for what Database(url) refuses and for a damaged store, but makes and changes nothing, no empty
    store either. Reads all of a SQLite file."""
    try:
        with closing(Database(url, make=False)) as database, waiting("Looking whether the store is whole"):
            database.check_whole()
    except NoStore:
        parsed = _parse(url)
        if parsed.get_backend_name() != "sqlite":
            return
        path = os.path.abspath(parsed.database or "")
        place = path if os.path.exists(path) else os.path.dirname(path)
        if not os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise UserError(f"Store {_name(parsed)} {_NOT_OPENED}.") from None


def sqlite_path(url: str) -> str | None:
    """The file of a SQLite store, as its URL has it; None for another database. Raises UserError for a bad URL."""
    parsed = _parse(url)
    return parsed.database if parsed.get_backend_name() == "sqlite" else None


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        shown = "(not shown, it may hold a password)" if "@" in url else repr(url[:60])
        raise UserError(f"Store {shown} is not a database URL: write it like {EXAMPLE}.") from None
    if parsed.get_backend_name() != "sqlite":
        return parsed
    if parsed.database in (None, "", ":memory:"):
        raise UserError(f"Store {_name(parsed)} names no file, so nothing would be kept: write it like {EXAMPLE}.")
    if parsed.query:  # with mode=memory nothing would be kept; no option of the driver is wanted here
        raise UserError(f"Store {_name(parsed)} has options behind a ?, and a store takes none: leave them out.")
    if parsed.host or parsed.username or parsed.password:
        raise UserError(f"Store {_name(parsed)} names a host, and SQLite has a file alone: write it like {EXAMPLE}.")
    return parsed.set(query={"timeout": str(BUSY_TIMEOUT_S)})


def shown_url(url: str) -> str:
    """A store's URL for a person to read: without the password or options, which may hold one. Raises UserError."""
    return _name(_parse(url))


def _name(url: URL) -> str:
    """The URL for a person to read, on one line: without the password or options, which may hold one."""
    text = url.set(query={}).render_as_string(hide_password=True)
    return printable(text)


def _check_path(name: str, path: str, make: bool) -> None:
    """Raises UserError unless SQLite may try the path: a file, or nothing yet if `make`."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if not make:
            raise NoStore(f"There is no store {name}: name the store that `run` or `enrol` made.") from None
    except ValueError:  # a zero byte
        raise UserError(f"Store {name} is no file name: write it like {EXAMPLE}.") from None
    except OSError:
        pass  # SQLite says what is wrong
    else:
        if not stat.S_ISREG(mode):
            raise UserError(f"Store {name} is not a file: write it like {EXAMPLE}.")


def _engine(url: URL, name: str) -> Engine:
    try:
        engine = create_engine(url)
    except NoSuchModuleError:
        raise UserError(f"Store {name} is of no database that is known here: write it like {EXAMPLE}.") from None
    except ImportError as error:
        raise UserError(f"Store {name} needs the Python package {error.name}: install it and try again.") from None
    # An option that does not fit, found only when the driver reads the URL.
    except (ArgumentError, TypeError, ValueError) as error:
        raise UserError(f"Store {name} is not a database URL ({error}): write it like {EXAMPLE}.") from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif url.get_backend_name() == "postgresql":
        # Before SQLAlchemy's own first words, which a database of another encoding answers in bytes.
        event.listen(engine, "connect", partial(_set_up_postgresql, name), insert=True)
    return engine


def _set_up_postgresql(name: str, connection: Any, _: object) -> None:
    """Whoever finds a row locked waits as long as for SQLite. What a commit waits for is the server's own setting.

    Raises UserError for a database that cannot keep every name.
    """
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        connection.close()
        raise UserError(
            f"Store {name} is a database in {encoding}, which cannot keep every player's name: make one with "
            "createdb --encoding=UTF8 --template=template0."
        )
    connection.execute(f"SET lock_timeout = {BUSY_TIMEOUT_S * 1000 or 1}")  # 0 would be for ever
    connection.commit()


def _set_up_sqlite(connection: Any, _: object) -> None:
    """FULL: a commit is on the disk before it returns, and so before the ack. Nothing here changes the file."""
    connection.isolation_level = None  # the driver begins no transactions of its own; _begin_sqlite does
    cursor = connection.cursor()
    for pragma in ("synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes the write lock first: a transaction that reads and then writes would fail, not wait, when busy."""
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
