"""The file of a SQLite store as a whole: copied into a backup and out of one, and whether a path still leads to it."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from pathlib import Path

from sqlalchemy.engine import URL

from host_tools.errors import UserError
from host_tools.store.database import Database, sqlite_path
from host_tools.words import printable

# What SQLite keeps beside a file, of that file alone: laid over another one it ruins that. The file itself comes last.
_PARTS = ("-wal", "-shm", "-journal", "")


def backup(url: str, to: Path) -> None:
    """The store of this moment as one whole file `to`, by SQLite's own backup; no run is held up.

    Raises UserError for what is no store, a damaged store, and a name that is taken or cannot be written.
    """
    path = _path_of(url, "pg_dump")
    if os.path.lexists(to):
        raise UserError(f"{printable(str(to))} is there already: give the backup a name of its own.")
    Database(url, make=False).close()
    with _copy(path, to) as part:
        _check(part, path)
        os.replace(part, to)


def restore(url: str, backup: Path, at: datetime) -> Path | None:
    """Put a backup in the place of the store -> where what was there is kept, None if nothing was.

    Raises UserError when a program has the store open, and for a backup that is none, damaged or of another schema
    version; then the store stays as it was.
    """
    path = _path_of(url, "pg_restore")
    if not backup.is_file():
        raise UserError(f"There is no backup {printable(str(backup))}: give the file that `tumbler store backup` made.")
    if path.exists() and path.samefile(backup):
        raise UserError(f"{printable(str(backup))} is the store itself: give the backup, and the store with --store.")
    with _copy(backup, path) as part:
        _check(part, backup)
        _check_free(path, url)
        kept = path.with_name(f"{path.name}.before-{at.astimezone(timezone.utc):%Y%m%dT%H%M%S.%fZ}")
        there = [name for name in _PARTS if os.path.lexists(f"{path}{name}")]
        if "" in there:
            shutil.copymode(path, part)
        # Should the power go in between, no store is there, never a file with what belongs to another one.
        for name in there:
            os.replace(f"{path}{name}", f"{kept}{name}")
        os.replace(part, path)
    return kept if there else None


def _path_of(url: str, other: str) -> Path:
    path = sqlite_path(url)
    if path is None:
        raise UserError(f"This store is in PostgreSQL: use {other}, as docs/STORE.md says.")
    return Path(os.path.realpath(path))


@contextmanager
def _copy(source: Path, target: Path) -> Iterator[Path]:
    """A copy of what is in a SQLite file, beside `target`, on the disk; gone at the end unless it was moved."""
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(part)) as other:
            one.backup(other)
            other.execute("PRAGMA journal_mode=DELETE")  # nothing stands beside it: one file to be carried off
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        yield part
    except (OSError, sqlite3.Error) as error:
        names = f"{printable(str(source))} cannot be copied to {printable(str(target))}"
        raise UserError(
            f"{names} ({error}): check that the one is a store and that the other can be written."
        ) from None
    finally:
        for name in _PARTS:
            Path(f"{part}{name}").unlink(missing_ok=True)


def _check(part: Path, source: Path) -> None:
    """Raises UserError, which names the source, unless its copy is a whole store of this program."""
    copied, named = (str(URL.create("sqlite", database=str(path))) for path in (part, source))
    try:
        with closing(Database(copied, make=False)) as database:
            database.check_whole()
    except UserError as error:
        raise UserError(str(error).replace(copied, named)) from None


def _check_free(path: Path, url: str) -> None:
    """Raises UserError while any program has the store open: it would go on in the old file."""
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as alone:
            alone.execute("PRAGMA locking_mode=EXCLUSIVE")
            alone.execute("BEGIN EXCLUSIVE")
            alone.execute("ROLLBACK")
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise UserError(
                f"Store {printable(url)} is open in another program: end every `tumbler run`, `table` and `watch` on "
                "it, and whatever else reads it, and try again."
            ) from None
        # A damaged file is to be replaced all the same.
