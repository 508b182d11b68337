"""What a person wants to know of a board that is only listened to; it needs no key, so it judges no mac.

The capture does not depend on it: bytes are kept whatever is made of them here.
"""

from collections import deque
from typing import NamedTuple

from tumbler.core import ledger
from tumbler.core.framer import Framer

from host_tools.words import printable

NOISE, BROKEN, EPHEMERAL, AGAIN = "noise", "broken", "ephemeral", "again"
RATE_S = 5.0  # rates are those of so long
MOST_MISSING = 10_000  # a seq further on than that is no gap but another past


class Seen(NamedTuple):
    """A line, or what stood between lines. kind: that of a record when it came first, else one of those above. text:
    what it says, fit for a terminal."""

    kind: str
    text: str


class Watch:
    """Bytes go in, what they are comes out; counts and rates beside."""

    def __init__(self, now: float) -> None:
        """now: steady s."""
        self.bytes = self.records = self.again = self.ephemeral = self.broken = self.noise_bytes = 0
        self.dev: str | None = None
        self.board: str | None = None  # the name of its board file, once it said that
        self.state = ""
        self.round = 0
        self.free_rounds: int | None = None  # that fit into its journal, as its last hello says
        self._missing: set[int] = set()
        self._top: int | None = None
        self._framer = Framer()
        self._began_s = now
        self._lately: deque[tuple[float, int, int]] = deque()  # s, bytes, records

    @property
    def missing(self) -> int:
        """Records that did not come though later ones did."""
        return len(self._missing)

    def feed(self, data: bytes, now: float) -> list[Seen]:
        """What came at `now`, cut into lines."""
        before = self.records
        self.bytes += len(data)
        seen = [self._take(is_line, raw) for is_line, raw in self._framer.feed(data)]
        self._lately.append((now, len(data), self.records - before))
        self._forget(now)
        return seen

    def rates(self, now: float) -> tuple[float, float]:
        """Bytes and new records a second, of the last RATE_S."""
        self._forget(now)
        over_s = min(RATE_S, max(now - self._began_s, 1.0))
        return sum(n for _, n, _ in self._lately) / over_s, sum(n for _, _, n in self._lately) / over_s

    def _forget(self, now: float) -> None:
        while self._lately and self._lately[0][0] <= now - RATE_S:
            self._lately.popleft()

    def _take(self, is_line: bool, raw: bytes) -> Seen:
        text = printable(raw.decode("ascii", "backslashreplace"))
        if not is_line:
            self.noise_bytes += len(raw)
            return Seen(NOISE, text)
        try:
            fields = ledger.decode_device(raw)
        except ledger.LineError:
            self.broken += 1
            return Seen(BROKEN, text)
        if fields["dev"] != self.dev:
            self.dev, self.board, self._top, self.free_rounds = fields["dev"], None, None, None
            self._missing.clear()
        self.board = fields.get("board", self.board)
        self.state, self.round = fields.get("state", self.state), fields.get("round", self.round)
        if "seq" not in fields:
            self.ephemeral += 1
            self.free_rounds = fields.get("free_rounds", self.free_rounds)
            return Seen(EPHEMERAL, text)
        return Seen(fields["kind"] if self._first_time(fields["seq"]) else AGAIN, text)

    def _first_time(self, seq: int) -> bool:
        top = seq - 1 if self._top is None else self._top
        if seq <= top and seq not in self._missing:
            self.again += 1
            return False
        self._missing.discard(seq)
        if seq - top <= MOST_MISSING:
            self._missing.update(range(top + 1, seq))
        self._top = max(top, seq)
        self.records += 1
        return True
