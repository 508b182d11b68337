"""The board's flash: what is kept in it when the power goes, at any of its operations."""

from collections.abc import Iterator

from tumbler.core.journal import JournalError, JournalLost

from host_tools.soak.safety import Safety
from host_tools.soak.world import World

CAPACITY = 400


class PowerCut(BaseException):
    """The power went in the middle of a flash operation; no handler of the firmware sees it."""


class Flash:
    """Outlives the power. cut_at(n): the power goes at the n-th operation from now."""

    def __init__(self, world: World, safety: Safety) -> None:
        self.chance, self.safety = world.chance("flash"), safety
        self.lines: list[bytes] = []
        self.acked = 0
        self._left: int | None = None

    def cut_at(self, operations: int | None) -> None:
        self._left = operations

    def operation(self, name: str) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self._left = None
                raise PowerCut(name)

    def journal(self) -> "Journal":
        return Journal(self)


class Journal:
    """A journal in a list."""

    def __init__(self, flash: Flash) -> None:
        self._flash, self._safety = flash, flash.safety
        self.keep = 1
        self.acked = 0
        self._lines: list[bytes] = []

    @property
    def next_seq(self) -> int:
        return len(self._lines) + 1

    def open(self) -> None:
        self._lines, self.acked = self._flash.lines, self._flash.acked
        if self.acked >= self.next_seq:
            raise JournalLost("lost")

    def append(self, line: bytes) -> None:
        if not self.free():
            raise JournalError("full")
        self._safety.begun(line)
        try:
            self._flash.operation(f"before record {self.next_seq}")
        except PowerCut:
            if self._flash.chance.random() < 0.5:
                self._lines.append(line)
            raise
        self._lines.append(line)
        self._safety.journaled(line)
        self._flash.operation(f"after record {self.next_seq - 1}")

    def ack(self, seq: int) -> None:
        if seq > self.acked:
            self._flash.operation(f"ack of {seq}")
            self._flash.acked = self.acked = seq
            self._safety.acked(seq)

    def retire(self, dev: str) -> None:
        self._flash.lines = self._lines = []
        self._flash.acked = self.acked = 0

    def unacked(self) -> int:
        return len(self._lines) - self.acked

    def free(self) -> int:
        return CAPACITY - self.unacked()

    def recall(self, seq: int) -> bytes | None:
        return self._lines[seq - 1] if 0 < seq <= len(self._lines) else None

    def scan(self, seq: int = 1) -> Iterator[bytes]:
        return iter(self._lines[seq - 1 :])
