"""The host's process on virtual time: the run as it is, a store in a file, and a death at any of its points."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.status import Status
from sqlalchemy import Engine, event

from host_tools.capture import Capture
from host_tools.errors import UserError
from host_tools.link.session import Session
from host_tools.run.clock import RunClock
from host_tools.run.screen import Screen
from host_tools.run.table import TableRun
from host_tools.settler import paytable as paytables
from host_tools.settler.settle import Wager
from host_tools.soak.wire import Wire, WirePort
from host_tools.soak.world import World
from host_tools.store import Settler, Store
from host_tools.store.database import Database

NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
PAYTABLE = paytables.load("hoiana")
STEADY_S = 5000.0  # what the host's steady clock says at the beginning


class HostKilled(BaseException):
    """The process is gone; no handler of it sees this."""


class Fuse:
    """Kills the host at the n-th point from now: each SQL statement, each commit, before and after each line sent, and
    between a commit and the ack of it."""

    def __init__(self) -> None:
        self.left: int | None = None

    def point(self, where: str) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                self.left = None
                raise HostKilled(where)

    @contextlib.contextmanager
    def in_sql(self) -> Iterator[None]:
        def statement(*args: Any) -> None:
            self.point(f"at {str(args[2]).split(None, 3)[:3]}")

        def commit(_: Any) -> None:
            self.point("before a commit")

        event.listen(Engine, "before_cursor_execute", statement)
        event.listen(Engine, "commit", commit)
        try:
            yield
        finally:
            event.remove(Engine, "before_cursor_execute", statement)
            event.remove(Engine, "commit", commit)


class _KillableStore(Store):
    """Dies also between a commit and what follows it."""

    fuse: Fuse
    accepted: Callable[[str, int, Sequence[Wager]], None]

    anything_ordered: Callable[[], bool]  # spares the questions for orders where there are none

    def ingest_all(self, dev: str, batch: Any, received_at: datetime, settler: Settler) -> Any:
        done = super().ingest_all(dev, batch, received_at, settler)
        self.fuse.point("after a commit, before the ack")
        return done

    def place_wagers(self, dev: str, round: int, batch: Sequence[Wager], paytable: Any, clock: Any) -> int:
        try:
            count = super().place_wagers(dev, round, batch, paytable, clock)
        except HostKilled:
            self.accepted(dev, round, batch)  # or not: then the store has none of them
            raise
        if count:
            self.accepted(dev, round, batch)
        return count

    def next_command(self, dev: str, at: datetime) -> Any:
        return super().next_command(dev, at) if self.anything_ordered() else None

    def command_in_flight(self, dev: str) -> Any:
        return super().command_in_flight(dev) if self.anything_ordered() else None


class _NoWheel(Status):
    """Without the thread that turns it."""

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def update(self, *args: Any, **kwargs: Any) -> None:
        pass


class _QuietConsole(Console):
    def status(self, status: Any, **kwargs: Any) -> Status:
        return _NoWheel(status, console=self)


class _LogScreen(Screen):
    """What a run says goes into the log."""

    def __init__(self, world: World) -> None:
        super().__init__(_QuietConsole(), PAYTABLE)
        self._world = world

    def say(self, text: str, style: str = "") -> None:
        self._world.say(f"run: {text}")

    def record(self, fields: Any, done: Any) -> None:
        if done.note:
            self.say(done.note)

    def met(self, hello: Any, table: str) -> None:
        self.say(f"board {hello['dev']} serves table {table}")


class _Target:
    """What the run has of its board."""

    def __init__(self, host: "Host") -> None:
        self._host = host

    def open(self) -> Any:
        return self._host.open_port()

    def open_again(self) -> Any:
        return self._host.open_port() if self._host.wire.connected else None

    def about(self) -> list[str]:
        return []

    def check(self) -> None:
        pass

    def clock(self) -> RunClock:
        return self._host.clock

    def close(self) -> None:
        pass


class ScratchStore:
    """The file of a store, made anew for each trial; rows() asks for what is committed in it beside the product."""

    _empty = b""  # made once for all trials of this process

    def __init__(self) -> None:
        # A file that only memory holds: its fsync costs nothing, and no power goes here.
        self._folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.captures = Path(self._folder.name) / "out"
        path = Path(self._folder.name) / "t.db"
        self.url = f"sqlite:///{path}"
        if not ScratchStore._empty:
            Store.open(self.url).close()
            ScratchStore._empty = path.read_bytes()
        else:
            path.write_bytes(ScratchStore._empty)
        self._sql = sqlite3.connect(path, isolation_level=None)

    def open(self) -> Store:
        return Store.open(self.url)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._sql.execute(query, values).fetchall()

    def close(self) -> None:
        self._sql.close()
        self._folder.cleanup()


class Host:
    """A computer with one store; live() is the life of one process on it."""

    def __init__(self, world: World, wire: Wire, wagers: list[Wager], done: Callable[[], bool]) -> None:
        """done(): the trial is over."""
        self.world, self.wire = world, wire
        self.fuse = Fuse()
        self.deaths = self.ended = 0
        self.busy_ms = 0
        self.interrupted = False
        self.accepted_ms: dict[tuple[str, int, str], int] = {}
        self.wall_off = timedelta(0)
        self._wagers, self._done = wagers, done
        self._chance = world.chance("host")
        self._scratch = ScratchStore()
        self.operator = self._scratch.open()
        self.rows = self._scratch.rows

    def wall(self) -> datetime:
        """What the computer's clock says; it may be set at any time."""
        return NOON + timedelta(milliseconds=self.world.now_ms) + self.wall_off

    def open_port(self) -> WirePort:
        return WirePort(self.world, self.wire, self._point)

    def _point(self, where: str) -> None:
        if self.busy_ms:
            ms, self.busy_ms = self.busy_ms, 0
            self.world.say(f"host is busy for {ms} ms")
            self.world.advance(ms)
        self.fuse.point(where)

    def accepted(self, dev: str, number: int, batch: Sequence[Wager]) -> None:
        """Wagers were taken now, whatever the computer's clock says."""
        for wager in batch:
            self.accepted_ms[dev, number, wager.wager_id] = self.world.now_ms

    def _ends(self) -> bool:
        return self.interrupted or self._done()

    @property
    def alive(self) -> bool:
        """A process has the port."""
        return self.wire.port is not None

    def _anything_ordered(self) -> bool:
        return bool(self.rows("select 1 from commands where state in ('queued', 'sent') limit 1"))

    def live(self) -> None:
        """One process, until it is killed or interrupted, ends on an alarm, or the trial is over."""
        self.interrupted = False
        while not self.wire.connected and not self._done():
            self.world.advance(200)
        self.clock = RunClock(lambda: STEADY_S + self.world.now_ms / 1000, self.wall)
        with self.fuse.in_sql():
            store: _KillableStore | None = None
            capture = Capture(self._scratch.captures, self.wall())
            try:
                store = _KillableStore(Database(self._scratch.url))
                store.fuse, store.anything_ordered = self.fuse, self._anything_ordered
                store.accepted = self.accepted
                draw = self._chance
                session = Session(lambda: f"{draw.getrandbits(64):016x}")
                target: Any = _Target(self)
                screen = _LogScreen(self.world)
                settler = Settler(PAYTABLE)
                run = TableRun(target, store, settler, self._wagers, capture, screen, self.clock, session)
                port: Any = self.open_port()
                run.until(port, None, self._ends, lambda s: self.world.advance(round(s * 1000)))
            except HostKilled as killed:
                self.deaths += 1
                self.world.say(f"host killed {killed}")
            except UserError as error:
                self.ended += 1
                self.world.say(f"host ended: {error}")
            finally:
                self.wire.port = None
                capture.close()
                if store is not None:
                    store.close()

    def close(self) -> None:
        self.operator.close()
        self._scratch.close()
