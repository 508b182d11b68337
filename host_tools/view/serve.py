"""Serves the table view until it is stopped; open streams end at once."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from datetime import datetime

import uvicorn

from host_tools.errors import UserError
from host_tools.settler.paytable import Paytable
from host_tools.store.database import Database
from host_tools.view.app import create
from host_tools.view.hub import Hub
from host_tools.view.reading import Reader, Seat

GRACE_S = 1
"""A request that is under way at the end has this long to be answered."""


class _Server(uvicorn.Server):
    """Ends the streams before it waits for the requests that are under way."""

    hub: Hub

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
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        raise UserError(
            f"The view cannot listen on {host}:{port} ({error.strerror}): stop what listens there, or give another "
            "address."
        ) from None
    return listening


def serve(
    listening: socket.socket, database: Database, seat: Seat, paytable: Paytable, clock: Callable[[], datetime]
) -> None:
    """Serve on a socket until SIGINT or SIGTERM. Raises UserError when the store does not answer at the start."""

    async def run() -> None:
        hub = Hub(database, Reader(database, seat, paytable), clock)
        config = uvicorn.Config(
            create(hub, paytable),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        server = _Server(config)
        server.hub = hub
        await server.serve([listening])

    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again once everything has ended
        asyncio.run(run())
