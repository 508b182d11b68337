"""What stands before every path: who may ask how often and how much, and the headers of every answer."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from host_tools.view.problems import answer

MOST_BODY_BYTES = 65_536
"""A batch of 100 wagers has some 15 kB."""
_TOO_LARGE = f"The body is larger than {MOST_BODY_BYTES} bytes: send smaller batches."
MOST_KEYS = 10_000
"""So many addresses or tokens are remembered; the one that asked longest ago is forgotten first."""

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Rate(NamedTuple):
    """So many a second on the average, and so many at once."""

    per_s: float
    burst: int


class Buckets:
    """A token bucket for each key."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # key -> what was left, and when

    def take(self, key: str) -> float:
        """Take one -> 0, or how many seconds to wait when there is none."""
        now = self._clock()
        left, at = self._left.pop(key, (self._rate.burst, now))
        left = min(self._rate.burst, left + (now - at) * self._rate.per_s)
        allowed = left >= 1
        self._left[key] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_KEYS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate.per_s


class Guard:
    """ASGI middleware: rate and size of requests, no requests from pages of other sites, headers of answers."""

    def __init__(self, app: ASGIApp, per_address: Buckets) -> None:
        self._app, self._per_address = app, per_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(SECURITY_HEADERS)
                headers.setdefault("cache-control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        headers = Headers(scope=scope)
        client = scope.get("client")
        wait_s = self._per_address.take(client[0] if client else "")
        if wait_s:
            refused = answer(429, "This address asks too often.", retry_s=wait_s)
        elif _foreign(scope["method"], headers):
            refused = answer(403, "A page of another site may not write here.")
        elif _too_large(headers):
            refused = answer(413, _TOO_LARGE)
        else:
            await self._app(scope, _bounded(receive), send_with_headers)
            return
        await refused(scope, receive, send_with_headers)


def _foreign(method: str, headers: Headers) -> bool:
    """A browser says which site's page it asks for; a program says nothing."""
    origin = headers.get("origin")
    if method in ("GET", "HEAD") or origin is None:
        return False
    return origin.partition("://")[2] != headers.get("host")


def _too_large(headers: Headers) -> bool:
    length = headers.get("content-length", "0")
    return not (length.isascii() and length.isdigit() and int(length) <= MOST_BODY_BYTES)


def _bounded(receive: Receive) -> Receive:
    """The same for a body that does not say beforehand how long it is."""
    got = 0

    async def bounded() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > MOST_BODY_BYTES:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return bounded
