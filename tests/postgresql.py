"""A PostgreSQL server for the tests: Debian's package, its data in a folder that is removed again, on a socket in that
folder alone, so that no port and no password is needed."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine

from host_tools.errors import UserError
from host_tools.store import Store
from host_tools.store.schema import meta, metadata

USER = "tumbler"


class Server:
    """A running server with one store, made once and emptied for each test: its tables take the longest to make."""

    def __init__(self, socket: Path) -> None:
        self.url = f"postgresql+psycopg://{USER}@/postgres?host={socket}"
        Store.open(self.url).close()
        self._engine = create_engine(self.url, isolation_level="AUTOCOMMIT")

    def empty(self) -> None:
        """Take all rows out, whatever a test before left behind, open connections too."""
        tables = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables if table is not meta)
        with self._engine.connect() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.exec_driver_sql(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")


@contextmanager
def running() -> Iterator[Server]:
    """A server, stopped in the end. Raises UserError where the package is not installed."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not programs:
        raise UserError("There is no PostgreSQL server here: sudo apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="tumbler-pg-", dir="/tmp"))  # a socket's path has room for 107 characters
    data, started = folder / "data", False
    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, _other_user().pw_name)
        _run(
            programs[-1] / "initdb",
            "--pgdata",
            data,
            "--username",
            USER,
            "--auth=trust",
            "--no-sync",
            "--locale=C",
            "--encoding=UTF8",
        )
        _run(
            programs[-1] / "pg_ctl", "start", "--wait", "--pgdata", data, "--log", folder / "log", "--options", options
        )
        started = True
        yield Server(folder)
    finally:
        if started:
            _run(programs[-1] / "pg_ctl", "stop", "--mode=immediate", "--pgdata", data)
        shutil.rmtree(folder)


def _other_user() -> pwd.struct_passwd:
    """PostgreSQL runs as root for nobody; its package has made this user."""
    return pwd.getpwnam("postgres")


def _run(*command: str | Path) -> None:
    other: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = _other_user()
        other = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    # Not into a pipe: the server keeps what pg_ctl was given open.
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(command, cwd="/", stdout=said, stderr=said, **other)
        said.seek(0)
        if done.returncode != 0:
            raise UserError(f"{command[0]} did not work: {said.read().decode()}")
