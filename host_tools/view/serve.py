"""Serves the table view until it is stopped; open streams end at once."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import uvicorn

from host_tools.errors import UserError
from host_tools.settler.paytable import Paytable
from host_tools.store import Store
from host_tools.store.database import Database
from host_tools.view.app import create
from host_tools.view.connections import ACCEPTED_AT_ONCE, SEND_BYTES, Connection, allow_files
from host_tools.view.desk import USUAL_RATES, Desk, Rates
from host_tools.view.hub import Hub
from host_tools.view.reading import Reader, Seat
from host_tools.view.tokens import Tokens
from host_tools.words import printable

KEEP_ALIVE_S = 60
"""A connection without a request is kept so long: on a busy computer its next request may be read late, and it must not
have been closed meanwhile."""
BACKLOG = 128
"""So many may wait to be accepted."""
GRACE_S = 1
"""A request that is under way at the end has this long to be answered."""
END_S = 15
"""A run waits so long for the end of its view, which may be waiting for a store that is busy."""


class _Server(uvicorn.Server):
    """Ends the streams before it waits for the requests that are under way."""

    hub: Hub

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or []:
            each.listen(BACKLOG)  # asyncio made it as short as what it accepts at once

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.hub.close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises UserError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = found[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)  # of each connection too
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        raise UserError(
            f"The view cannot listen on {host}:{port} ({error.strerror}): stop what listens there, or give another "
            "address."
        ) from None
    return listening


class Served(NamedTuple):
    """What is served, and how: seat says which board; clock() is UTC by which its statuses are timed; hosts are the
    names under which it may be asked for; rig is the socket of a board that is played here."""

    database: Database
    seat: Seat
    paytable: Paytable
    clock: Callable[[], datetime]
    tokens: Tokens
    hosts: Sequence[str]
    rig: Path | None = None
    rates: Rates = USUAL_RATES


def serve(listening: socket.socket, served: Served) -> None:
    """Serve on a socket until SIGINT or SIGTERM. Raises UserError when the store does not answer at the start."""
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again once everything has ended
        asyncio.run(_server(served).serve([listening]))


@contextmanager
def beside(listening: socket.socket, served: Served) -> Iterator[None]:
    """Serve on a socket in a thread of its own while the body runs; a fault in it is told, and ends the view alone.
    Raises UserError as serve()."""
    server = _server(served)

    def run() -> None:
        try:
            asyncio.run(server.serve([listening]))
        except (Exception, SystemExit) as error:  # with the latter uvicorn ends when it cannot begin
            why = printable(f"{type(error).__name__}: {error}")
            print(
                f"The table view ended by a fault ({why}): `tumbler table` serves the same beside this run.",
                file=sys.stderr,
            )
        finally:
            server.hub.close()

    thread = Thread(target=run, name="view server", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(END_S)


def desk(served: Served) -> Desk:
    """The parts of a view, put together. Raises UserError when the store does not answer."""
    database = served.database
    hub = Hub(database, Reader(database, served.seat, served.paytable), served.clock)
    return Desk(hub, database, Store(database), served.paytable, served.clock, served.tokens, served.rates, served.rig)


def _server(served: Served) -> _Server:
    parts = desk(served)
    allow_files()
    config = uvicorn.Config(
        create(parts, served.hosts),
        http=Connection,
        ws="none",
        proxy_headers=False,  # who asks from this computer could give another address each time, and pass all limits
        backlog=ACCEPTED_AT_ONCE,
        log_level="error",  # its warnings are of what clients send, as many as they like, before every limit
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = _Server(config)
    server.hub = parts.hub
    return server
