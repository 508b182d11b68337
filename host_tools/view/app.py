"""The HTTP interface of the table view: its paths, and what every answer carries (docs/VIEW.md)."""

from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Header, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from fastapi.staticfiles import StaticFiles

from host_tools.settler.paytable import Paytable
from host_tools.view import layout
from host_tools.view.contract import Layout, State
from host_tools.view.hub import Hub

STATIC = Path(__file__).parent / "static"
RETRY_MS = 500
"""A viewer whose stream ended tries again after this."""


def create(hub: Hub, paytable: Paytable) -> FastAPI:
    """The application over a hub that is not started yet."""

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        hub.start()
        yield
        hub.close()

    app = FastAPI(title="Table view", openapi_url="/api/openapi.json", docs_url=None, redoc_url=None, lifespan=running)
    about, areas = layout.about(paytable), layout.areas(paytable)

    @app.get("/api/layout")
    def get_layout() -> Layout:
        """What does not change during a round: fetch it again when `dev` or `table` of the state is another one."""
        now = hub.state
        return Layout(
            table=now.table, dev=now.dev, simulated=now.simulated, sim_keys=False, paytable=about, areas=areas
        )

    @app.get("/api/state", response_model=State)
    async def get_state() -> Response:
        """The table now."""
        return Response(hub.now.json, media_type="application/json")

    @app.get("/api/events", response_class=EventSourceResponse)
    async def get_events(last_event_id: Annotated[int | None, Header()] = None) -> AsyncIterable[ServerSentEvent]:
        """The table now, and each new state: `event: state`, its data as /api/state gives it."""
        async for told in hub.follow(last_event_id):
            yield ServerSentEvent(raw_data=told.json, event="state", id=str(told.id), retry=RETRY_MS)

    app.mount("/", StaticFiles(directory=STATIC, html=True))
    return app
