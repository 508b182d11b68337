"""Damaged lines by the million through the board's link, the host's session and the store; no terminal, no drum.

A scribe writes rounds into a journal in memory as fast as the host acks them, and most lines of both directions are
damaged, some several times over.
"""

from datetime import datetime, timedelta, timezone
from random import Random
from typing import NamedTuple

from tumbler.core import ledger, mac
from tumbler.core.journal import RESERVE
from tumbler.core.link import Link

from host_tools.keys import TEST_KEY
from host_tools.link.events import NOTHING, Alarm, Hello, Record
from host_tools.link.session import Session
from host_tools.soak.board import Identity
from host_tools.soak.host import PAYTABLE, ScratchStore
from host_tools.soak.safety import Broken
from host_tools.soak.wire import damaged
from host_tools.store import Settler
from host_tools.store.rows import Occurred

STEP_MS = 50
DAMAGE = ("drop", "double", "cut", "garble", "garble", "stuff")
RATE = 0.7  # of the lines of both directions
BAD_LINE = ("no_proof", "not_believed", "gap")  # alarms of a line that lets so little through
WAITING = 24  # unacked records; the scribe writes no more
NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)


class Counted(NamedTuple):
    """Lines that were sent, lines that were damaged on the way, records that were stored."""

    lines: int
    damaged: int
    records: int

    def plus(self, other: "Counted") -> "Counted":
        return Counted(*(a + b for a, b in zip(self, other, strict=True)))


NONE = Counted(0, 0, 0)


class _Scribe:
    """A journal in memory (core/journal.py) and what writes into it: rounds, one record after the other."""

    def __init__(self, chance: Random, identity: Identity) -> None:
        self.lines: list[bytes] = []
        self.acked, self.keep = 0, 1
        self._chance, self._identity, self._mac, self._round = chance, identity, mac.ZERO_MAC, 0
        self._key = mac.record_key(TEST_KEY)

    @property
    def next_seq(self) -> int:
        return len(self.lines) + 1

    def unacked(self) -> int:
        return len(self.lines) - self.acked

    def free(self) -> int:
        return RESERVE

    def recall(self, seq: int) -> bytes | None:
        return self.lines[seq - 1] if 0 < seq <= len(self.lines) else None

    def ack(self, seq: int) -> None:
        self.acked = max(self.acked, seq)

    def write(self, kind: str, *values: object) -> None:
        i, t = self._identity, str(7 * self.next_seq)
        line, self._mac = ledger.encode_record(kind, i.dev, i.boot, self.next_seq, t, values, self._key, self._mac)
        self.lines.append(line)

    def play(self) -> None:
        """One round more."""
        self._round += 1
        n, dice = self._round, tuple(self._chance.randint(1, 6) for _ in range(3))
        self.write("spin", n, 3)
        self.write("bets_open", n, 3)
        self.write("bets_closed", n, "dealer")
        self.write("uncovered", n)
        self.write("result", n, dice, 4)


class _Lines:
    def __init__(self, seed: int) -> None:
        self.chance = Random(f"{seed} lines")
        self.identity = Identity()
        self.identity.boot = 1
        self.scribe = _Scribe(self.chance, self.identity)
        self.link = Link(self.identity, self.scribe, self)
        self.session = Session(lambda: f"{self.chance.getrandbits(64):016x}")
        self.scratch = ScratchStore()
        self.store = self.scratch.open()
        self.now_ms = 0
        self.sent = self.hurt = self.known = 0
        self.rate = 0.0

    def t(self) -> str:
        return str(self.now_ms)

    def wire(self, data: bytes) -> bytes:
        out = b""
        for line in data.splitlines(keepends=True):
            self.sent += 1
            if self.chance.random() < self.rate:
                self.hurt += 1
                line = damaged(self.chance, self.chance.choice(DAMAGE), line)
                while line and self.chance.random() < 0.3:
                    line = damaged(self.chance, self.chance.choice(DAMAGE), line)
            out += line
        return out

    def step(self) -> None:
        self.now_ms += STEP_MS
        for _ in range(4):
            self.link.poll(self.now_ms)
        if self.now_ms % 1000 == 0:
            i, values = self.identity, (self.scribe.next_seq, "IDLE", 0)
            self.link.say(ledger.encode_ephemeral("status", i.dev, i.boot, self.t(), values))
        out = []
        line = self.link.take(self.now_ms)
        while line is not None:
            out.append(line)
            line = self.link.take(self.now_ms)
        self.host(self.wire(b"".join(out)))
        for byte in self.wire(self.session.output()):
            self.link.receive(byte)
        if self.scribe.acked > self.known:
            self.known = self.scratch.rows("select coalesce(max(seq), 0) from records")[0][0]
            if self.scribe.acked > self.known:
                raise Broken(f"record {self.scribe.acked} is acked and not stored")

    def host(self, data: bytes) -> None:
        at = NOON + timedelta(milliseconds=self.now_ms)
        events = self.session.feed(data, self.now_ms / 1000)
        for event in events:
            if isinstance(event, Hello) and self.session.dev is None:
                events += self.session.accept(event, TEST_KEY, NOTHING)
            elif isinstance(event, Record):
                if event.raw + b"\n" != self.scribe.recall(event.fields["seq"]):
                    raise Broken(f"a record was taken that was never sent: {event.raw!r}")
                if event.new:
                    dev = self.identity.dev
                    self.store.ingest(dev, event.raw, event.fields, at, Occurred(at, 5), Settler(PAYTABLE))
                self.session.committed(event)
            elif isinstance(event, Alarm) and event.code not in BAD_LINE:
                raise Broken(f"a false alarm: {event.why}")
        self.session.tick(self.now_ms / 1000)

    def run(self, count: int) -> Counted:
        i = self.identity
        self.scribe.write("boot", i.fw, i.mpy, i.board, "power", i.mode, None)
        for _ in range(100):  # they meet before the damage begins
            self.step()
        self.rate = RATE
        while self.hurt < count:
            if self.scribe.unacked() < WAITING:
                self.scribe.play()
            self.step()
        self.rate = 0.0
        for _ in range(30_000 // STEP_MS):
            self.step()
        kept = [line[:-1].decode() for line in self.scribe.lines]
        if [line for (line,) in self.scratch.rows("select line from records order by seq")] != kept:
            raise Broken("the store does not hold what was sent")
        if self.scribe.unacked():
            raise Broken(f"{self.scribe.unacked()} records are not acked 30 s after the damage ended")
        return Counted(self.sent, self.hurt, len(kept))


def play(seed: int, count: int) -> Counted:
    """Until `count` lines were damaged. Raises Broken."""
    lines = _Lines(seed)
    try:
        return lines.run(count)
    finally:
        lines.store.close()
        lines.scratch.close()
