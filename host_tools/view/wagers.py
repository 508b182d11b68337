"""Wagers over HTTP: placed in batches, listed, and taken back while bets are open. The store decides.

The Idempotency-Key becomes part of the wagers' ids, NAME.KEY.1, NAME.KEY.2 …, so the store itself knows a batch that
was taken before, after a restart too, and whose wagers they are.
"""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Depends, Header, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, Connection, and_, func, select
from tumbler.core import fields as F

from host_tools.settler.settle import Wager
from host_tools.settler.wagerfile import MAX_NAME_CHARS, read_wager
from host_tools.store import Refused
from host_tools.store.listing import Listed, listed
from host_tools.store.schema import wagers
from host_tools.store.settling import wager_from
from host_tools.store.wagers import place, refused, withdraw
from host_tools.view.desk import Desk
from host_tools.view.problems import Refusal, documented
from host_tools.view.tokens import Holder

MOST_WAGERS = 100
MOST_OF_ROUND = 1000
"""So many wagers a token may have in a round: a list of them, which anybody with a token may ask for, stays short."""
LARGEST_STAKE_CENTS = 10**12

Dev = Annotated[str, Field(pattern=f"^[{F.DEV_CHARS}]{{{F.DEV_MIN},{F.DEV_MAX}}}$")]
RoundNumber = Annotated[int, Field(ge=0, le=F.UINT_MAX)]
IdempotencyKey = Annotated[str, Header(pattern="^[A-Za-z0-9_-]{1,36}$", description="Drawn anew for each batch")]
WagerId = Annotated[str, Path(pattern="^[A-Za-z0-9_.-]{1,64}$")]


class NewWager(BaseModel):
    """One wager; `player` is the token's name when it is left out."""

    model_config = ConfigDict(strict=True, extra="forbid")

    kind: Annotated[str, Field(max_length=F.NAME_MAX)]
    selection: Annotated[str, Field(max_length=F.NAME_MAX)] = ""
    stake_cents: Annotated[int, Field(ge=1, le=LARGEST_STAKE_CENTS)]
    player: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)] | None = None


class Batch(BaseModel):
    """All of them are taken, or none."""

    model_config = ConfigDict(strict=True, extra="forbid")

    dev: Dev
    round: RoundNumber
    wagers: Annotated[list[NewWager], Field(min_length=1, max_length=MOST_WAGERS)]


class PlacedWager(BaseModel):
    """A wager as it was taken."""

    wager_id: str
    player: str
    kind: str
    selection: str
    stake_cents: int
    accepted_at: datetime


class Placed(BaseModel):
    """A batch that was taken: the same answer to the same request at any later time."""

    dev: str
    round: int
    wagers: list[PlacedWager]


class WagerNow(PlacedWager):
    """A wager and what became of it; `returned_cents` is null while it is not settled."""

    outcome: Literal["open", "withdrawn", "win", "lose", "void", "tie"]
    returned_cents: int | None
    withdrawn_at: datetime | None


class WagersNow(BaseModel):
    """The wagers of one token in a round."""

    dev: str
    round: int
    wagers: list[WagerNow]


class _Stored(NamedTuple):
    """A wager that was taken, where and when."""

    dev: str
    round: int
    wager: Wager
    accepted_at: datetime


def router(desk: Desk) -> APIRouter:
    """The paths below /api/wagers."""
    api = APIRouter(prefix="/api/wagers", responses=documented(400, 401, 403, 409, 413, 422, 429, 503))
    asker = Depends(desk.asker("wager"))

    @api.post("", status_code=HTTPStatus.CREATED)
    def place_wagers(batch: Batch, idempotency_key: IdempotencyKey, holder: Annotated[Holder, asker]) -> Placed:
        """Take a batch into the open round, all of it or nothing. A key names one batch for ever: with the same body it
        gives the same answer at any time, with another body or in another round 422. What was refused may be tried
        again under the same key."""
        return _place(desk, batch, f"{holder.name}.{idempotency_key}", holder)

    @api.get("")
    def list_wagers(
        dev: Annotated[Dev, Query()], round: Annotated[RoundNumber, Query()], holder: Annotated[Holder, asker]
    ) -> WagersNow:
        """The wagers that were placed with this token in a round, of a board that was replaced too, and what became of
        each."""
        return WagersNow(dev=dev, round=round, wagers=[_now(each) for each in _own(desk, dev, round, holder)])

    @api.delete("/{wager_id}", responses=documented(404))
    def withdraw_wager(
        wager_id: WagerId,
        dev: Annotated[Dev, Query()],
        round: Annotated[RoundNumber, Query()],
        holder: Annotated[Holder, asker],
    ) -> WagerNow:
        """Take a wager of this token back while bets are open; once more changes nothing. Its stake goes back with the
        round's end."""
        desk.check_dev(dev)
        this = wagers.c.wager_id == wager_id
        if not _own(desk, dev, round, holder, this):
            raise Refusal(HTTPStatus.NOT_FOUND, f"No wager {wager_id} was placed with this token in round {round}.")
        desk.writer.do(
            dev,
            round,
            lambda connection: withdraw(connection, dev, round, wager_id, f"host:{holder.name}", desk.clock),
        )
        (now,) = _own(desk, dev, round, holder, this)
        return _now(now)

    return api


def _place(desk: Desk, batch: Batch, prefix: str, holder: Holder) -> Placed:
    """Raises Refusal for a batch that is wrong in itself, Refused when it is not taken now."""
    wanted, wrong = [], []
    for number, new in enumerate(batch.wagers, 1):
        stake = f"{new.stake_cents // 100}.{new.stake_cents % 100:02}"
        cells = (f"{prefix}.{number}", new.player or holder.name, new.kind, new.selection, stake)
        wager, reasons = read_wager(cells, desk.paytable)
        wanted.append(wager)
        wrong += reasons
    # What was taken is known whatever has come since: bets closed, a new round, another board, other limits.
    stored = _stored(desk, prefix, len(wanted))
    if not stored:
        if wrong:
            raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, f"No wager is taken: {'; '.join(wrong)}.")
        stored = _taken(desk, batch, holder, prefix, wanted)
    if [each[:3] for each in stored] != [(batch.dev, batch.round, wager) for wager in wanted]:
        raise Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"This Idempotency-Key was used for other wagers, in round {stored[0].round} of board {stored[0].dev}: "
            "draw a new one for each batch.",
        )
    placed = [PlacedWager(**each.wager._asdict(), accepted_at=each.accepted_at) for each in stored]
    return Placed(dev=batch.dev, round=batch.round, wagers=placed)


def _taken(desk: Desk, batch: Batch, holder: Holder, prefix: str, wanted: list[Wager]) -> list[_Stored]:
    """Have the store take a batch -> what stands there under its key then: another batch, if one was quicker."""
    desk.check_dev(batch.dev)
    error = None

    def take(connection: Connection) -> None:
        if not _found(connection, prefix, len(wanted)):  # else the view of another table was quicker
            place(connection, batch.dev, batch.round, wanted, desk.paytable, desk.clock)
        of_round = (wagers.c.dev == batch.dev, wagers.c.round == batch.round)
        mine = select(func.count()).select_from(wagers).where(*of_round, _of(connection, holder))
        if connection.execute(mine).scalar_one() > MOST_OF_ROUND:
            raise refused(batch.round, f"the token of {holder.name} may have {MOST_OF_ROUND} wagers in a round at most")

    try:
        desk.writer.do(batch.dev, batch.round, take)
    except Refused as said:
        error = said
    stored = _stored(desk, prefix, len(wanted))
    if error is not None and not stored:
        raise error
    return stored


def _stored(desk: Desk, prefix: str, count: int) -> list[_Stored]:
    with desk.database.reading() as connection:
        return _found(connection, prefix, count)


def _found(connection: Connection, prefix: str, count: int) -> list[_Stored]:
    """What was ever taken under a key, in its order; of a batch with more than `count` wagers one more than that."""
    ids = [f"{prefix}.{number}" for number in range(1, count + 2)]
    found = connection.execute(select(wagers).where(wagers.c.wager_id.in_(ids)).order_by(wagers.c.place)).mappings()
    return [_Stored(row["dev"], row["round"], wager_from(row), row["accepted_at"]) for row in found]


def _own(desk: Desk, dev: str, number: int, holder: Holder, *which: ColumnElement[bool]) -> list[Listed]:
    """The wagers of a token in a round; only those for which `which`, conditions on `wagers`, hold."""
    with desk.database.reading() as connection:
        return list(listed(connection, dev, number, None, _of(connection, holder), *which))


def _of(connection: Connection, holder: Holder) -> ColumnElement[bool]:
    """Whether a wager was placed with this token: its id begins with NAME and a dot, and "/" follows the dot. In the
    order of the characters' codes; that of a language, which PostgreSQL may have, is another one."""
    by_code = "C" if connection.dialect.name == "postgresql" else "BINARY"
    wager_id = wagers.c.wager_id.collate(by_code)
    return and_(wager_id >= f"{holder.name}.", wager_id < f"{holder.name}/")


def _now(own: Listed) -> WagerNow:
    return WagerNow(
        **own.wager._asdict(),
        accepted_at=own.accepted_at,
        outcome=own.outcome,  # pyright: ignore[reportArgumentType]
        returned_cents=own.returned_cents,
        withdrawn_at=own.withdrawn_at,
    )
