"""Opens the database behind a store URL and hands out its transactions; database errors become one sentence.

Everything that is SQLite's own stands here; the other files of this room use what PostgreSQL knows too.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from host_tools.errors import UserError
from host_tools.store import schema

EXAMPLE = "sqlite:///tumbler.db"
# Another process holds the database for one short transaction at a time; over 5 s something else is wrong.
BUSY_TIMEOUT_S = "5"

# What a database says when it cannot go on, and what a person can do about it.
_MEANING = (
    ("not a database", "is not a store: give the path of a store, or of a file that does not exist yet"),
    ("malformed", "is damaged: take a copy of it for the auditor and restore the last backup"),
    ("locked", "is busy: another program holds it; close that program and try again"),
    ("readonly", "can be read but not written: allow writing to the file and its folder"),
    ("unable to open", "cannot be opened: check that the folder exists and that the file may be read and written"),
    ("disk is full", "cannot grow, its disk is full: make room and try again"),
)


class Database:
    """One database: transactions that read, transactions that write, each all or nothing."""

    def __init__(self, url: str) -> None:
        """Connects and makes the tables in an empty database.

        Raises UserError for a bad URL, a path that cannot be opened, a file that is no store, and a store of another
        schema version.
        """
        parsed = _parse(url)
        self.name = parsed.set(query={}).render_as_string(hide_password=True)
        self.engine = _engine(parsed, self.name)
        self._reader = self.engine.execution_options(reading=True)
        try:
            self._make_tables()
            self._check_version()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads, one moment of the store; it holds up no writer. Raises UserError."""
        with self._sentences(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes: all of it or, when the body raises, nothing. Raises UserError."""
        with self._sentences(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise  # a fault of this program, not of what a person gave
        except (DBAPIError, sqlite3.Error) as error:
            said = str(error.orig if isinstance(error, DBAPIError) else error)
            for words, meaning in _MEANING:
                if words in said:
                    raise UserError(f"Store {self.name} {meaning}.") from None
            said = " ".join(said.split())
            raise UserError(f"Store {self.name} does not answer ({said}): check the database and the URL.") from None

    def _make_tables(self) -> None:
        with self.reading() as connection:
            if inspect(connection).get_table_names():
                return
        with self.writing() as connection:
            if inspect(connection).get_table_names():
                return  # another process was first
            schema.metadata.create_all(connection)
            now = datetime.now(timezone.utc)
            connection.execute(insert(schema.meta).values(schema_version=schema.SCHEMA_VERSION, created_at=now))

    def _check_version(self) -> None:
        with self.reading() as connection:
            if schema.meta.name not in inspect(connection).get_table_names():
                raise UserError(f"Store {self.name} holds other tables: give the store a database of its own.")
            versions = list(connection.scalars(select(schema.meta.c.schema_version)))
        if versions != [schema.SCHEMA_VERSION]:
            found = ", ".join(str(version) for version in versions) or "none"
            raise UserError(
                f"Store {self.name} has schema version {found}, this program writes {schema.SCHEMA_VERSION}: "
                f"use the program that made it, or another store."
            )


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        shown = "(not shown, it may hold a password)" if "@" in url else repr(url[:60])
        raise UserError(f"Store {shown} is not a database URL: write it like {EXAMPLE}.") from None
    if parsed.get_backend_name() != "sqlite":
        return parsed
    if parsed.database in (None, "", ":memory:"):
        raise UserError(f"Store {url!r} names no file, so nothing would be kept: write it like {EXAMPLE}.")
    return parsed.set(query={"timeout": BUSY_TIMEOUT_S, **parsed.query})


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
    return engine


def _set_up_sqlite(connection: Any, _: object) -> None:
    """WAL: readers hold up no writer. FULL: a commit is on the disk before it returns, and so before the ack."""
    connection.isolation_level = None  # the driver begins no transactions of its own; _begin_sqlite does
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes the write lock first: a transaction that reads and then writes would fail, not wait, when busy."""
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
