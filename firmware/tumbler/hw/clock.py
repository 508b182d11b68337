"""The loop's clock: ticks, its pace, and the uptime that goes onto the ledger lines."""

import time

from tumbler.core import ticks
from tumbler.core.ledger import time_text

TICK_MS = 2


class Clock:
    """Counts uptime from its construction on, in two small ints that never wrap (ticks wrap after 12.4 days)."""

    def __init__(self):
        self._last_ms = self.ms()
        self._due_ms = self._last_ms
        self._up_s = 0
        self._up_ms = 0

    def ms(self) -> int:
        """Now, in ticks: ms that wrap at 2**30. Only core.ticks compares them."""
        return time.ticks_ms()  # pyright: ignore[reportReturnType]  # an int; the stubs have a type of their own for it

    def advance(self, now_ms: int) -> None:
        """Add the time since the last call to the uptime; calls may lie up to 6 days apart. Takes no memory."""
        self._up_ms += ticks.diff(now_ms, self._last_ms)
        self._last_ms = now_ms
        if self._up_ms >= 1000:
            self._up_s += self._up_ms // 1000
            self._up_ms %= 1000

    def t(self) -> str:
        """Uptime in ms at the last advance(), as it stands on a ledger line."""
        return time_text(self._up_s, self._up_ms)

    def sleep_until_tick(self) -> None:
        """Sleep until the next tick of TICK_MS. Ticks missed are not made up: after a late one the pace begins anew."""
        now_ms = self.ms()
        self._due_ms = ticks.add(self._due_ms, TICK_MS)
        left_ms = ticks.diff(self._due_ms, now_ms)
        if left_ms > 0:
            time.sleep_ms(left_ms)
        else:
            self._due_ms = now_ms
