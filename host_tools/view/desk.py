"""What the writing paths of the view have in common: the table, the store, and who is asking."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, NamedTuple

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import Request

from host_tools.settler.paytable import Paytable
from host_tools.store import Store
from host_tools.store.database import Database
from host_tools.view.command import is_loopback
from host_tools.view.guard import Buckets, Rate
from host_tools.view.hands import Hands
from host_tools.view.hub import Hub
from host_tools.view.problems import Refusal
from host_tools.view.tokens import Holder, Role, Tokens
from host_tools.view.writer import Writer

_bearer = HTTPBearer(auto_error=False, description="A token that `tumbler table token` made.")


class Rates(NamedTuple):
    """How often who may ask. address: any request of one; token: writing with one; no_token: writing without a good
    one, by address; wagers: all who place wagers or take them back together."""

    address: Rate = Rate(200, 400)
    token: Rate = Rate(20, 40)
    no_token: Rate = Rate(2, 10)
    wagers: Rate = Rate(100, 100)


USUAL_RATES = Rates()


@dataclass
class Desk:
    """A view and its parts. clock: UTC by which statuses are timed; rig: the socket of a board that is played here."""

    hub: Hub
    database: Database
    store: Store
    paytable: Paytable
    clock: Callable[[], datetime]
    tokens: Tokens
    rates: Rates = USUAL_RATES
    rig: Path | None = None

    def __post_init__(self) -> None:
        self.hands = None if self.rig is None else Hands(self.rig)
        self.writer = Writer(self.database, self.clock)
        self._by_token, self._without = Buckets(self.rates.token), Buckets(self.rates.no_token)
        self._wagers = Buckets(self.rates.wagers)

    def check_dev(self, dev: str) -> None:
        """Raises Refusal unless `dev` is the board of this view now."""
        now = self.hub.state.dev
        if dev != now:
            raise Refusal(
                HTTPStatus.CONFLICT, f"The board of this table is {now or 'none'} now, not {dev}: read /api/state."
            )

    def asker(self, role: Role | None = None) -> Callable[..., Awaitable[Holder]]:
        """A dependency: who asks, if the token is of that role; None: of any. Raises Refusal."""

        async def asked_by(
            request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
        ) -> Holder:
            holder = None if given is None else self.tokens.holder(given.credentials)
            if holder is None:
                wait_s = self._without.take(request.client.host if request.client else "")
                if wait_s:
                    raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests without a token.", wait_s)
                raise Refusal(
                    HTTPStatus.UNAUTHORIZED,
                    "A token is needed, in the header Authorization: Bearer TOKEN; `tumbler table token` makes one.",
                )
            wait_s = self._by_token.take(holder.name)
            if wait_s:
                raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, f"The token of {holder.name} is used too often.", wait_s)
            if role is not None and holder.role != role:
                raise Refusal(HTTPStatus.FORBIDDEN, f"A token of the role {role} is needed, this is a {holder.role}.")
            # Orders wait for no wagers: there are few of them, and one may be urgent.
            wait_s = self._wagers.take("") if holder.role == "wager" and request.method != "GET" else 0
            if wait_s:
                raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "All desks together ask too often.", wait_s)
            return holder

        return asked_by

    def dealer(self) -> Callable[..., Awaitable[None]]:
        """A dependency: who may work the keys of a board that is played here, which is anybody at this computer, and
        from elsewhere a supervisor. Raises Refusal."""
        supervisor = self.asker("supervisor")

        async def may_deal(
            request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
        ) -> None:
            if not _from_here(request):
                await supervisor(request, given)

        return may_deal


def _from_here(request: Request) -> bool:
    """Whether it came from this computer, to a name of it, and through no proxy that says so."""
    names = (request.client.host if request.client else "", request.url.hostname or "")
    return all(map(is_loopback, names)) and not {"forwarded", "x-forwarded-for"} & set(request.headers)
