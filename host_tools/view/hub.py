"""Looks at the store all the time and tells every viewer each new state of the table.

An event is the whole state, so whoever missed one is right again with the next. A thread looks; the viewers are served
by the event loop.
"""

import asyncio
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from http import HTTPStatus
from threading import Event, Thread
from typing import NamedTuple

from host_tools.errors import UserError
from host_tools.store.database import Database
from host_tools.view.contract import State
from host_tools.view.problems import Refusal
from host_tools.view.reading import Reader
from host_tools.words import printable

LOOK_S = 0.04
"""The store is asked so often whether it changed: what a viewer waits at most before its state is even read."""
RENEW_S = 0.5
"""The state is read anew so often although nothing changed: that a board is away is in no record."""
TRY_AGAIN_S = 1.0
MOST_VIEWERS = 500
MOST_OF_ADDRESS = 100
PLACE_RETRY_S = 5.0
KEPT = 64
"""So many events are kept for viewers that come back."""


class Told(NamedTuple):
    """One state as JSON; `id` rises, also over a restart of the server while its clock is not set back."""

    id: int
    json: str


class Hub:
    """The state now, and a stream of those that come. Start it inside the event loop that serves."""

    def __init__(self, database: Database, reader: Reader, clock: Callable[[], datetime]) -> None:
        """Reads the state once. clock() gives UTC, on the clock by which statuses are timed. Raises UserError."""
        self._database, self._reader, self._clock = database, reader, clock
        self._told: deque[Told] = deque(maxlen=KEPT)
        self._news = asyncio.Event()
        self._ending = Event()
        self._viewers: Counter[str] = Counter()  # by address
        self._thread = Thread(target=self._watch, name="view", daemon=True)
        self.lost: str | None = None
        """Why the table cannot be read; None while it can."""
        self._state = reader.read(clock())
        self._keep(self._state)

    @property
    def state(self) -> State:
        """The state now."""
        return self._state

    @property
    def now(self) -> Told:
        """The state now, as it was told."""
        return self._told[-1]

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def close(self) -> None:
        """End all streams at once, and the looking."""
        self._ending.set()
        self._news.set()

    async def closed(self) -> None:
        """Close it, and wait for the last look at the store."""
        self.close()
        await asyncio.to_thread(self._thread.join)

    @contextmanager
    def place(self, address: str) -> Iterator[None]:
        """The place of a viewer. Raises Refusal when as many watch as there is room for."""
        for most, who, there in (
            (MOST_VIEWERS, "viewers watch", self._viewers.total()),
            (MOST_OF_ADDRESS, "viewers of this address watch", self._viewers[address]),
        ):
            if there >= most:
                raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"{most} {who} already.", PLACE_RETRY_S)
        self._viewers[address] += 1
        try:
            yield
        finally:
            self._viewers[address] -= 1
            self._viewers += Counter()  # forgets who has none

    async def follow(self, last_id: int | None) -> AsyncIterator[Told]:
        """Each state behind the one that was told last, if that is known here, else from the present one on."""
        last = next((each.id for each in self._told if each.id == last_id), self.now.id - 1)
        while not self._ending.is_set():
            news = self._news
            for each in [each for each in self._told if each.id > last]:
                yield each
                last = each.id
            await news.wait()

    # ------------------------------------------------------------ in the thread

    def _watch(self) -> None:
        while not self._ending.is_set():
            try:
                with self._database.watching() as changes:
                    self._look(changes)
            except Exception as error:  # it may pass; until then nobody knows how the table is
                self._lose(_sentence(error))
                self._ending.wait(TRY_AGAIN_S)

    def _lose(self, why: str) -> None:
        if why != self.lost:
            print(why, file=sys.stderr)
        self.lost = why
        self._tell(self._state.model_copy(update={"state": "away", "wagers_open": False}))

    def _look(self, changes: Callable[[], object]) -> None:
        seen: object = None
        looks = 0
        while not self._ending.wait(LOOK_S):
            now = changes()
            looks += 1
            if now == seen and looks * LOOK_S < RENEW_S:
                continue
            seen, looks = now, 0
            state = self._reader.read(self._clock())
            self.lost = None
            self._tell(state)

    def _tell(self, state: State) -> None:
        if state != self._state:
            self._state = state
            with suppress(RuntimeError):  # the loop has ended by a fault: nobody watches any more
                self._loop.call_soon_threadsafe(self._keep, state)

    # ------------------------------------------------------------ in the event loop

    def _keep(self, state: State) -> None:
        now_ms = int(datetime.now(timezone.utc).timestamp() * 1000)
        last = self._told[-1].id if self._told else 0
        self._told.append(Told(max(now_ms, last + 1), state.model_dump_json()))
        news, self._news = self._news, asyncio.Event()
        news.set()


def _sentence(error: Exception) -> str:
    if isinstance(error, UserError):
        return str(error)
    return f"The view cannot read the table ({type(error).__name__}: {printable(str(error))[:200]}): report it, please."
