"""The board's flash, a NOR model that outlives the power, and the firmware's own journal in it, watched."""

from typing import Any

from tumbler.core.journal_flash import FlashJournal, split

from host_tools.sim.shims.nor import CLEAN_AFTER, CLEAN_BEFORE, SECTOR, TORN, Nor, PowerOff
from host_tools.soak.safety import Safety
from host_tools.soak.world import World

__all__ = ["Flash", "PowerOff"]

SECTORS = (104, 112, 160)


class Flash:
    """journal() is that of the next start; the rest is what befalls the flash."""

    def __init__(self, world: World, safety: Safety) -> None:
        self._world, self._safety, self._chance = world, safety, world.chance("flash")
        self._count = self._chance.choice(SECTORS)
        self._data = bytearray(b"\xff" * (self._count * SECTOR))
        self._stuck: dict[int, tuple[int, int]] = {}
        self._ring = self._chance.randrange(2)  # the one that fails; no journal bears that both do
        self._nor = self._new()

    def _new(self) -> Nor:
        nor = Nor(self._count, self._data, seed=self._chance.randrange(1 << 30))
        nor.stuck = self._stuck
        return nor

    def journal(self) -> "WatchedJournal":
        """After a power cut the model begins anew on the same bytes."""
        self._nor = self._new()
        return WatchedJournal(self._nor, self._safety)

    def cut_at(self, operations: int | None) -> None:
        """The power goes at the n-th program or erase from now, before it, after it or in the middle; None: not."""
        self._nor.cut_how = self._chance.choice((CLEAN_BEFORE, TORN, TORN, CLEAN_AFTER))
        self._nor.cut_at = -1 if operations is None else self._nor.operations + operations - 1

    def rot(self) -> None:
        """A bit of one ring sticks, for good."""
        main, copy = split(self._count)
        first, count = (0, main) if self._ring == 0 else (main, copy)
        address = first * SECTOR + self._chance.randrange(count * SECTOR)
        bit = 1 << self._chance.randrange(8)
        self._stuck[address] = self._chance.choice(((bit, 0), (0, bit)))

    def fail(self, how: str) -> None:
        """Reads or writes of a sector of one ring fail until it is healed by heal()."""
        main, copy = split(self._count)
        first, count = (0, main) if self._ring == 0 else (main, copy)
        sectors = self._nor.bad_reads if how == "read" else self._nor.bad_writes
        sectors.add(first + self._chance.randrange(count))

    def wipe(self) -> None:
        """All records are gone, as after a change of the chip."""
        self._data[:] = b"\xff" * len(self._data)
        self._stuck.clear()

    def heal(self) -> None:
        self._nor.bad_reads.clear()
        self._nor.bad_writes.clear()


class WatchedJournal(FlashJournal):
    """The firmware's journal; what it says goes to the safety's books too."""

    def __init__(self, nor: Nor, safety: Safety) -> None:
        super().__init__(nor)
        self._safety = safety

    def append(self, line: bytes) -> Any:
        self._safety.begun(line)
        super().append(line)
        self._safety.journaled(line)

    def ack(self, seq: int) -> Any:
        super().ack(seq)
        self._safety.acked(seq)
