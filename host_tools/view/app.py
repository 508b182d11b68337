"""The HTTP interface of the table view: its paths, and what every answer carries (docs/VIEW.md)."""

from collections.abc import AsyncIterable, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import anyio.to_thread
from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi.middleware.trustedhost import TrustedHostMiddleware
from fastapi.sse import EventSourceResponse, ServerSentEvent
from fastapi.staticfiles import StaticFiles

from host_tools.view import layout, orders, problems, simkeys, wagers
from host_tools.view.contract import Layout, State, TokenHolder
from host_tools.view.desk import Desk
from host_tools.view.guard import Buckets, Guard
from host_tools.view.tokens import Holder

STATIC = Path(__file__).parent / "static"
THREADS = 8
"""So many requests work at once. Python lets one thread run at a time, and each more makes the streams wait longer."""
LastEventId = Annotated[int | None, Header(ge=0, le=2**63 - 1)]
RETRY_MS = 500
"""A viewer whose stream ended tries again after this."""


def create(desk: Desk, hosts: Sequence[str]) -> FastAPI:
    """The application over a desk whose hub is not started yet; hosts: the names under which it may be asked for."""
    hub = desk.hub

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        hub.start()
        yield
        if desk.hands is not None:
            desk.hands.close()
        await hub.closed()

    app = FastAPI(
        title="Table view",
        version="1",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=running,
    )
    problems.install(app)
    about, areas = layout.about(desk.paytable), layout.areas(desk.paytable)
    limited = problems.documented(429)

    @app.get("/api/layout", responses=limited)
    async def get_layout() -> Layout:
        """What does not change during a round: fetch it again when `dev` or `table` of the state is another one."""
        now = hub.state
        return Layout(
            table=now.table,
            dev=now.dev,
            simulated=now.simulated,
            sim_keys=desk.hands is not None,
            paytable=about,
            areas=areas,
        )

    @app.get("/api/state", response_model=State, responses=limited)
    async def get_state() -> Response:
        """The table now."""
        return Response(hub.now.json, media_type="application/json")

    async def place(request: Request) -> AsyncIterator[None]:
        with hub.place(request.client.host if request.client else ""):
            yield

    @app.get("/api/events", response_class=EventSourceResponse, responses=problems.documented(422, 429, 503))
    async def get_events(
        _: Annotated[None, Depends(place)], last_event_id: LastEventId = None
    ) -> AsyncIterable[ServerSentEvent]:
        """The table now, and each new state: `event: state`, its data as /api/state gives it."""
        async for told in hub.follow(last_event_id):
            yield ServerSentEvent(raw_data=told.json, event="state", id=str(told.id), retry=RETRY_MS)

    @app.get("/api/token", responses=problems.documented(401, 429, 503))
    async def get_token(holder: Annotated[Holder, Depends(desk.asker())]) -> TokenHolder:
        """Whose token was sent, and what it may do."""
        return TokenHolder(**holder._asdict())

    app.include_router(wagers.router(desk))
    app.include_router(orders.router(desk))
    if desk.hands is not None:
        app.include_router(simkeys.router(desk, desk.hands))
    app.mount("/", StaticFiles(directory=STATIC, html=True))
    # The last one that is added comes first.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_middleware(Guard, per_address=Buckets(desk.rates.address))
    return app
