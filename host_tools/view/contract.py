"""What the table view says, as types: the documents of /api/layout and /api/state (docs/VIEW.md says what they mean).

Times are UTC, money is integer cents, odds are pairs of integers.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, WithJsonSchema

Face = Annotated[int, Field(ge=1, le=6)]


def _array(of: dict[str, object], length: int) -> WithJsonSchema:
    """A tuple in the words that every reader of JSON Schema knows."""
    return WithJsonSchema({"type": "array", "items": of, "minItems": length, "maxItems": length})


ThreeDice = Annotated[tuple[Face, Face, Face], _array({"type": "integer", "minimum": 1, "maximum": 6}, 3)]
"""In the order in which they were pressed."""
OddsPair = Annotated[tuple[int, int], _array({"type": "integer"}, 2)]
"""[win, stake]: 8 to 1 is [8, 1]."""
Words = Literal[
    "away",
    "fault",
    "idle",
    "spinning",
    "settling",
    "place_bets",
    "no_more_bets",
    "uncovered",
    "result",
    "void",
]
Side = Literal["small", "big", "triple"]
Mark = Literal["corrected", "adjusted"]


class Limits(BaseModel):
    """What a stake on an area may be; null where there is no such limit."""

    min_cents: int | None
    max_cents: int | None
    increment_cents: int | None


class LayoutArea(BaseModel):
    """One area of the layout. `odds` has one pair, for a face three: for one, two and three dice that show it."""

    id: str
    kind: str
    selection: str
    odds: list[OddsPair]
    limits: Limits


class LayoutPaytable(BaseModel):
    """The paytable of this view; `not_covered` names what it has no odds for, when it is `partial`."""

    name: str
    title: str
    hash: str
    source: str
    status: str
    partial: bool
    not_covered: list[str]


class Layout(BaseModel):
    """What does not change during a round. `simulated`: NOT FOR PLAY. `sim_keys`: /api/sim/keys works the board."""

    table: str | None
    dev: str | None
    simulated: bool
    sim_keys: bool
    paytable: LayoutPaytable
    areas: list[LayoutArea]


class WinningArea(BaseModel):
    """An area that lights up, and what it pays."""

    area: str
    odds: OddsPair


class Result(BaseModel):
    """The result in force. `dice` in the order pressed; `mark` tells that it is not the one that came first."""

    dice: ThreeDice
    total: int
    call: str
    side: Side
    mark: Mark | None
    winning: list[WinningArea]


class PastRound(BaseModel):
    """A round that has ended; no dice for a void one."""

    round: int
    dice: ThreeDice | None
    total: int | None
    side: Side | None
    mark: Mark | Literal["void"] | None


class Cell(BaseModel):
    """How often something came, and how often it would come on the average with even dice."""

    value: str
    hits: int
    expected: float


class Comparison(BaseModel):
    """Hits against expectation. With too few rounds (`enough` false) the numbers of the test are null."""

    cells: list[Cell]
    enough: bool
    rounds_needed: int
    chi_square: float | None
    degrees: int
    p: float | None


class Figures(BaseModel):
    """All results in force of this board: `faces` over all dice, `places` by the place in which they were pressed."""

    rounds: int
    faces: Comparison
    places: list[Comparison]
    sides: Comparison
    totals: Comparison


class OpenAlarm(BaseModel):
    """An alarm that nobody confirmed: no wager is taken and nothing is settled."""

    id: int
    kind: str
    text: str
    raised_at: datetime


class Fault(BaseModel):
    """The fault that waits to be answered."""

    code: str
    state: str
    boot: int
    seq: int


class Board(BaseModel):
    """Health of the board, as the store knows it. `resets`: starts for another cause than power; `unacked`: records
    that the board had written by its last status and this store does not have."""

    says: str | None
    status_at: datetime | None
    boot: int | None
    started_at: datetime | None
    start_cause: str | None
    starts: int
    resets: int
    faults: int
    unacked: int | None
    last_record_at: datetime | None
    run_since: datetime | None


class State(BaseModel):
    """The table now. `result` and `numbers` are empty while the cover hides the dice."""

    table: str | None
    dev: str | None
    simulated: bool
    state: Words
    round: int | None
    in_force: str | None
    wagers_open: bool
    paytable_fits: bool
    numbers: list[Face] = Field(max_length=3)
    result: Result | None
    void_reason: str | None
    fault: Fault | None
    last_rounds: list[PastRound] = Field(max_length=30)
    figures: Figures
    board: Board
    alarms: list[OpenAlarm]


class TokenHolder(BaseModel):
    """Whose token it is, and what it may do."""

    name: str
    role: Literal["wager", "supervisor"]
