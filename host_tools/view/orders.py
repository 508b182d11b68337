"""Orders for the board over HTTP: void, correction and clear, queued for `tumbler run` and followed to their end."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, ConfigDict, Field
from tumbler.core import fields as F

from host_tools.errors import UserError
from host_tools.orders.waiting import ending
from host_tools.store.rows import Command
from host_tools.store_option import LARGEST_ID
from host_tools.view.contract import Face
from host_tools.view.desk import Desk
from host_tools.view.problems import Refusal, documented
from host_tools.view.tokens import Holder
from host_tools.view.wagers import Dev, RoundNumber

Reason = Literal["not_flat", "opened_early", "equipment", "wrong_entry", "dispute", "other"]


class NewOrder(BaseModel):
    """An order, as its verb wants it: `boot` and `seq` name the record that must be in force for the board to obey, for
    `clear` that of the fault; `round` is 0 before the first one; `dice` with `correct` alone, `reason` with
    `void` and `correct`."""

    model_config = ConfigDict(strict=True, extra="forbid")

    verb: Literal["void", "correct", "clear"]
    dev: Dev
    round: RoundNumber
    boot: Annotated[int, Field(ge=0, le=F.BOOT_MAX)]
    seq: Annotated[int, Field(ge=0, le=F.UINT_MAX)]
    dice: Annotated[list[Face], Field(min_length=3, max_length=3)] | None = None
    reason: Reason | None = None


class OrderNow(BaseModel):
    """An order and where it is: `state` as docs/STORE.md says; `says` is the same for people."""

    id: int
    verb: str
    dev: str
    round: int | None
    boot: int | None
    seq: int | None
    dice: list[Face] | None
    reason: str | None
    by: str
    state: Literal["queued", "sent", "done", "refused", "withdrawn", "lost"]
    answer: str | None
    says: str
    queued_at: datetime
    expires_at: datetime
    answered_at: datetime | None


def router(desk: Desk) -> APIRouter:
    """The paths below /api/orders."""
    api = APIRouter(prefix="/api/orders", responses=documented(400, 401, 403, 413, 422, 429, 503))
    asker = Depends(desk.asker("supervisor"))

    @api.post("", status_code=HTTPStatus.ACCEPTED, responses=documented(409))
    def give_order(new: NewOrder, holder: Annotated[Holder, asker]) -> OrderNow:
        """Queue an order; it is sent within 60 s or never. The board obeys only while the record that it names is in
        force, so the same order given twice is carried out once."""
        desk.check_dev(new.dev)
        try:
            number = desk.store.queue_command(
                new.dev,
                new.verb,
                f"host:{holder.name}",
                desk.clock(),
                round=new.round,
                ref_boot=new.boot,
                ref_seq=new.seq,
                dice=new.dice,
                reason=new.reason,
            )
        except UserError as error:
            raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
        return _order(desk, number)

    @api.get("/{number}", responses=documented(404))
    def get_order(number: Annotated[int, Path(ge=1, le=LARGEST_ID)], _: Annotated[Holder, asker]) -> OrderNow:
        """Where an order is, or how it ended."""
        return _order(desk, number)

    return api


def _order(desk: Desk, number: int) -> OrderNow:
    command = desk.store.command(number)
    if command is None or command.dev != desk.hub.state.dev:
        raise Refusal(HTTPStatus.NOT_FOUND, f"There is no order {number} for the board of this table.")
    return _now(command, desk.clock())


def _now(command: Command, at: datetime) -> OrderNow:
    return OrderNow(
        id=command.id,
        verb=command.verb,
        dev=command.dev,
        round=command.round,
        boot=command.ref_boot,
        seq=command.ref_seq,
        dice=None if command.dice is None else list(command.dice),
        reason=command.reason,
        by=command.by,
        state=command.state,  # pyright: ignore[reportArgumentType]
        answer=command.answer,
        says=ending(command, at),
        queued_at=command.queued_at,
        expires_at=command.expires_at,
        answered_at=command.answered_at,
    )
