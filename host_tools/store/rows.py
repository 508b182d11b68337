"""What the store takes and gives: its rows as typed tuples, and the exceptions of taking a record or a wager."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from tumbler.core import fields

from host_tools.errors import UserError
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import Settlement, Tally
from host_tools.settler.taisai import Dice

SETTLE, REVERSE = "settle", "reverse"
TOLD = 100
QUEUED, SENT, DONE, REFUSED = "queued", "sent", "done", "refused"
WITHDRAWN, LOST = "withdrawn", "lost"


def check_reason(reason: str) -> None:
    """Raises UserError unless it is one of the six that a dealer has (docs/PROTOCOL.md)."""
    if reason not in fields.DEALER_REASONS:
        raise UserError(f"{reason[:24]!r} is no reason: give one of {', '.join(fields.DEALER_REASONS)}.")


class Refused(UserError):
    """Wagers are not taken; the message is one sentence that says why. None of them is stored."""


class Conflict(Exception):
    """A record that can never fit: other bytes under an identity that is stored, or an identity that was passed by."""


class Gap(Exception):
    """A record came before the one that is next: nothing is stored, the board will send again."""

    def __init__(self, expected: int, got: int) -> None:
        super().__init__(f"Record {expected} is next, {got} came.")
        self.expected = expected
        self.got = got


class Occurred(NamedTuple):
    """When a record was written, in UTC: not after `at`, and at most `bound_ms` before it; None: no bound is known."""

    at: datetime
    bound_ms: int | None

    @property
    def earliest(self) -> datetime:
        """`at` itself when no bound is known."""
        return self.at - timedelta(milliseconds=self.bound_ms or 0)


class Arrived(NamedTuple):
    """A record that came: its line without LF, its fields from ledger.decode_device(), when it was written if known."""

    raw: bytes
    fields: dict[str, Any]
    occurred: Occurred | None


class Settler(NamedTuple):
    """How rounds are settled: by the paytable of this run."""

    paytable: Paytable


class Enrolment(NamedTuple):
    """A board's time at a table; `enrolled_to` is None while it lasts."""

    dev: str
    table_name: str
    enrolled_from: datetime
    enrolled_to: datetime | None


class Entry(NamedTuple):
    """One row of the settlements, never changed once written.

    `entry` is settle or reverse; a reversing entry carries the amounts of the entry `reverses` with the other sign.
    (boot, seq) is the record that caused it, or on which the `adjustment` rests that did; `reason` says why a wager
    is void, else None.
    """

    id: int
    round: int
    settlement: Settlement
    entry: str
    boot: int
    seq: int
    adjustment: int | None
    reason: str | None
    reverses: int | None
    entered_at: datetime


@dataclass(frozen=True)
class Made:
    """Entries that were made: what all of them come to, those that settle and those that reverse, and of each round the
    first TOLD of both. There may be 200,000, and to read these back takes longer than to make them."""

    entries: list[Entry] = field(default_factory=list)
    settled: Tally = field(default_factory=Tally)
    reversed: Tally = field(default_factory=Tally)

    def __add__(self, other: "Made") -> "Made":
        return Made([*self.entries, *other.entries], self.settled + other.settled, self.reversed + other.reversed)

    @property
    def count(self) -> int:
        return self.settled.count + self.reversed.count

    def first_settled(self) -> list[Settlement]:
        return [entry.settlement for entry in self.entries if entry.entry == SETTLE]


class Ingested(NamedTuple):
    """What taking a record did: `new` is False for one that was stored before, and then nothing changed.

    `round` is None for a record outside rounds; `made` are the entries made now; `note` is a sentence for the operator,
    or empty.
    """

    new: bool
    kind: str
    round: int | None
    made: Made
    note: str


class InForce(NamedTuple):
    """What is in force for a round: (boot, seq) of a record with no adjustment above it, or an adjustment's number."""

    record: tuple[int, int] | None
    adjustment: int | None

    def __str__(self) -> str:
        """As people write it: `12:3481`, `a7`."""
        return f"a{self.adjustment}" if self.record is None else f"{self.record[0]}:{self.record[1]}"


class Round(NamedTuple):
    """A round; `state` is the kind of its record in force, which (boot, seq) names. Times may be None: not yet.

    `adjustment` is the number of the host's adjustment that stands above that record, None if there is none.
    """

    dev: str
    round: int
    state: str
    dice: Dice | None
    boot: int
    seq: int
    adjustment: int | None
    paytable: str | None
    paytable_hash: str | None
    began_at: datetime
    opened_at: datetime | None
    betting_seen_at: datetime | None
    closed_at: datetime | None
    ended_at: datetime | None
    settled: bool

    @property
    def in_force(self) -> InForce:
        """The record in force, or the adjustment above it."""
        return InForce((self.boot, self.seq), None) if self.adjustment is None else InForce(None, self.adjustment)


class Balance(NamedTuple):
    """Sums over a round in cents: staked + paid = returned + kept + unsettled.

    `paid` is the pay of the winners without their stakes, `kept` the stakes of the losers, `unsettled` the stakes of
    wagers that have no standing settlement.
    """

    staked_cents: int
    paid_cents: int
    returned_cents: int
    kept_cents: int
    unsettled_cents: int


class Adjustment(NamedTuple):
    """The host's own decision on a round, above the record that (boot, seq) names: other dice, or void (dice None).

    It stands while that record is in force and no other adjustment `replaces` it.
    """

    id: int
    dev: str
    round: int
    boot: int
    seq: int
    replaces: int | None
    dice: Dice | None
    reason: str
    by: str
    adjusted_at: datetime


class Overpaid(NamedTuple):
    """A player who got `overpaid_cents` more than was due since a correction, a void or an adjustment.

    (boot, seq) is that record, or the one on which the `adjustment` rests; `due_cents` is what the wager gives now.
    """

    dev: str
    round: int
    player: str
    wager_id: str
    boot: int
    seq: int
    adjustment: int | None
    overpaid_cents: int
    due_cents: int

    @property
    def cause(self) -> InForce:
        """The record or adjustment since which it is overpaid."""
        return InForce((self.boot, self.seq), None) if self.adjustment is None else InForce(None, self.adjustment)


class Fault(NamedTuple):
    """A fault that was not answered: its record, the round and the state in which it came up, and its code."""

    dev: str
    boot: int
    seq: int
    round: int
    state: str
    code: str


class Live(NamedTuple):
    """What a board last said of itself; `window` holds the last numbers pressed, oldest first, `next_seq` is the seq
    that its next record will take, None when it was not said."""

    dev: str
    boot: int
    state: str
    round: int
    window: tuple[int, ...]
    status_at: datetime
    next_seq: int | None


class Owner(NamedTuple):
    """The run that owns a board: `token` is drawn by it, the rest tells a person which one it is."""

    dev: str
    token: str
    host: str
    pid: int
    since: datetime
    renewed_at: datetime
    expires_at: datetime


class Command(NamedTuple):
    """An order for a board. `state` is queued or sent, and in the end done, refused, withdrawn or lost.

    One that is queued is not sent after `expires_at`. `answer` is the board's `why`, "by_record" where a record stands
    for an answer that was lost, else None.
    """

    id: int
    dev: str
    verb: str
    round: int | None
    ref_boot: int | None
    ref_seq: int | None
    dice: Dice | None
    reason: str | None
    by: str
    state: str
    nonce: str | None
    n: int | None
    answer: str | None
    queued_at: datetime
    expires_at: datetime
    answered_at: datetime | None

    @property
    def values(self) -> tuple[object, ...]:
        """The verb's own fields in the order of the line, as ledger.encode_command() takes them."""
        return tuple(getattr(self, name) for name, _ in fields.COMMANDS[self.verb])


class Alarm(NamedTuple):
    """Something that an operator must look at; open, and settling stopped, until confirmed."""

    id: int
    dev: str
    kind: str
    text: str
    raised_at: datetime


def digits(faces: Sequence[int]) -> str:
    """Dice or numbers pressed as the store keeps them: (6, 1, 3) as "613"."""
    return "".join(str(face) for face in faces)


def faces(text: str) -> tuple[int, ...]:
    """The reverse of digits()."""
    return tuple(int(digit) for digit in text)


def dice(text: str | None) -> Dice | None:
    """Three dice from their digits; None stays None."""
    if text is None:
        return None
    first, second, third = faces(text)
    return first, second, third
