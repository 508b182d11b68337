"""What a session reports: the lines of a board, and what is wrong on the line."""

from typing import Any, NamedTuple

from tumbler.core import mac

from host_tools.link.timemap import Moment

Fields = dict[str, Any]
"""The fields of one decoded line, as ledger.decode_device() gives them."""


class Identity(NamedTuple):
    """Which record of a dev: `mac` is its 32 hex digits. Records are ordered by `seq`, never by time."""

    boot: int
    seq: int
    mac: str


NOTHING = Identity(0, 0, mac.ZERO_MAC.hex())
"""The identity before a dev's first record. The same mac under another seq is that of a record which is missing."""


class Hello(NamedTuple):
    """A board says who it is. The session goes on with it once accept() was called."""

    fields: Fields


class Status(NamedTuple):
    """Once a second: state and round. `moment` is when it was written; None while the motor runs (it tells no time)."""

    fields: Fields
    moment: Moment | None


class Key(NamedTuple):
    """A key that counted or was refused, and the numbers on the display."""

    fields: Fields


class Answer(NamedTuple):
    """The board's answer to an order: `nonce` and `n` are those that order() gave."""

    fields: Fields


class Record(NamedTuple):
    """A durable record whose crc, order and mac are right; `new` is False for one that was committed before.

    `raw` is the line without its LF. `moment` is when it was written, on the clock of `now`; None when no
    line of its boot told the time. The caller commits it and calls committed().
    """

    raw: bytes
    fields: Fields
    new: bool
    moment: Moment | None

    @property
    def identity(self) -> Identity:
        return Identity(self.fields["boot"], self.fields["seq"], self.fields["mac"])


class Noise(NamedTuple):
    """Bytes that are no ledger line: a banner, a traceback, an echo."""

    raw: bytes


class Bad(NamedTuple):
    """A line that begins like a ledger line and is not whole, or is another board's."""

    raw: bytes
    why: str


class Alarm(NamedTuple):
    """What resending cannot mend; nothing beyond it is taken.

    `code` is one word; `why` tells the operator what is wrong and how to go on; `missing` is (first, last) seq of the
    records that will never come, where that is known.
    """

    code: str
    why: str
    missing: tuple[int, int] | None = None


Event = Hello | Status | Key | Answer | Record | Noise | Bad | Alarm
