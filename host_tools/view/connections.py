"""Connections of the view: how many there may be, and how long one may keep the server waiting.

uvicorn's own limits begin with a whole request: limit_concurrency answers it, timeout_keep_alive runs behind an answer.
Whoever sends nothing, or a byte now and then, or reads no answer, is bounded here: in `tumbler run --view` the port,
the store and the captured logs take their file descriptors from the same process.
"""

import asyncio
import sys

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from host_tools.view.command import is_loopback

MOST_CONNECTIONS = 600
MOST_OF_ADDRESS = 200
FEWEST_OF_ADDRESS = 8
"""A browser takes 7 with its stream of events, also where there are few descriptors."""
KEPT_FOR_HERE = 32
"""So many only this computer's own programs get: the dealer's page opens however many others ask. At most a quarter."""
WHOLE_REQUEST_S = 10.0
"""So long a connection may take to send its first request, and a request from its first byte to its last."""
STALLED_S = 30.0
"""So long nothing of an answer, a stream of events too, may be taken by who asked for it."""
SEND_BYTES = 65_536
"""The system keeps so much of what was not taken yet, some 20 events; of its own it would keep megabytes."""
ACCEPTED_AT_ONCE = 16
"""So many are accepted before the first of them is counted."""
FILES = 1024
"""Descriptors wanted: with more, one could get a number that select() cannot wait for, and pyserial waits by it."""
KEPT_BACK = 160
"""Descriptors that no connection gets: the rest of the process has some 60, and 4 turns of ACCEPTED_AT_ONCE are open
before a refused one is closed."""


class Connection(H11Protocol):
    """One connection; one too many, and one that does not come to the point, is broken off."""

    _elsewhere = False
    _waiting: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # so that pause_writing() tells that the system takes no more
        self._elsewhere = not is_loopback(_host(self) or "")
        most = most_connections()
        of_address = sum(_host(each) == _host(self) for each in self.connections)
        from_elsewhere = sum(getattr(each, "_elsewhere", False) for each in self.connections)
        if (
            len(self.connections) > most
            or of_address > min(MOST_OF_ADDRESS, max(FEWEST_OF_ADDRESS, most // 3))
            or (self._elsewhere and from_elsewhere > most - min(KEPT_FOR_HERE, most // 4))
        ):
            transport.abort()
        else:
            self._expect_request()

    def handle_events(self) -> None:
        """Called with new bytes, and behind an answer with those that were sent before it."""
        super().handle_events()
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if begun or self.conn.their_state is h11.SEND_BODY:
            self._expect_request()
        else:
            self._expect_nothing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        self._moves()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        self._moves()
        super().resume_writing()

    def _moves(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _expect_request(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(WHOLE_REQUEST_S, self.transport.abort)

    def _expect_nothing(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def most_connections() -> int:
    """How many connections there may be, by the descriptors that this process may have."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(ACCEPTED_AT_ONCE, allowed - KEPT_BACK))


def allow_files() -> None:
    """Let this process have as many descriptors as it wants, or as it may."""
    if sys.platform == "win32":
        return
    import resource

    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _host(connection: object) -> str | None:
    client = getattr(connection, "client", None)
    return client[0] if client else None
