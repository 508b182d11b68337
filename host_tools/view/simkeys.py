"""The dealer's hands at a board that is played here, over HTTP. NOT FOR PLAY; a real board has no such path."""

import contextlib
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from host_tools.errors import UserError
from host_tools.rig.server import RemoteRig
from host_tools.view.contract import ThreeDice
from host_tools.view.desk import Desk
from host_tools.view.hands import Hands
from host_tools.view.problems import Refusal, documented

SWITCHES = ("cover", "supervisor")


class Hand(BaseModel):
    """A key that is tapped, or a switch that is set: `on` with `cover` (open) and `supervisor` alone."""

    model_config = ConfigDict(strict=True, extra="forbid")

    key: Literal["1", "2", "3", "4", "5", "6", "entry", "spin", "no_more_bets", "cover", "supervisor"]
    on: bool | None = None


class Seen(BaseModel):
    """What can be seen at the table: the terminal's display, its lamp (`off`, `on`, `blink`), how the cover and the
    supervisor's key stand, and the dice once the cover is open and the drum at rest."""

    display: Annotated[str, Field(max_length=4)]
    lamp: Literal["off", "on", "blink"]
    beeps: int
    cover_open: bool
    supervisor_on: bool
    drum_turns: bool
    dice: ThreeDice | None


def router(desk: Desk, hands: Hands) -> APIRouter:
    """The paths below /api/sim."""
    may_deal = Depends(desk.dealer())
    api = APIRouter(prefix="/api/sim", dependencies=[may_deal], responses=documented(400, 401, 403, 413, 422, 429, 503))

    @api.post("/keys")
    async def work_key(hand: Hand) -> Seen:
        """Tap a key, open or shut the cover, turn the supervisor key -> what can be seen then."""
        if (hand.key in SWITCHES) != (hand.on is not None):
            raise Refusal(
                HTTPStatus.UNPROCESSABLE_ENTITY, f"`on` is given with {' and '.join(SWITCHES)}, and only then."
            )
        return await hands.do(lambda rig: work(rig, hand))

    @api.get("/table")
    async def see_table() -> Seen:
        """What can be seen now."""
        return await hands.do(see)

    return api


def work(rig: RemoteRig, hand: Hand) -> Seen:
    """Tap the key, or set the switch -> what can be seen then. Raises UserError when the board is gone."""
    if hand.key == "cover":
        rig.cover(bool(hand.on))
    elif hand.key == "supervisor":
        rig.supervisor(bool(hand.on))
    else:
        rig.tap(hand.key)
    return see(rig)


def see(rig: RemoteRig) -> Seen:
    """What can be seen now. Raises UserError when the board is gone."""
    seen = rig.read()
    dice = None
    if seen["cover_open"] and not seen["drum_turns"]:
        with contextlib.suppress(UserError):  # the cover was shut meanwhile
            dice = rig.dice()
    return Seen(
        display=seen["display"],
        lamp=seen["lamp"],  # pyright: ignore[reportArgumentType]
        beeps=seen["beeps"],
        cover_open=seen["cover_open"],
        supervisor_on=seen["supervisor_on"],
        drum_turns=seen["drum_turns"],
        dice=dice,
    )
