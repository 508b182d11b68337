"""The chip's watchdog: resets the board when the loop hangs. Started by the application before the relay may close."""

from machine import WDT

TIMEOUT_MS = 2000  # above a flash erase (400 ms) and the journal's longest work; rule: at most 2 s


class Watchdog:
    """Runs from construction on; nothing but a reset stops it."""

    def __init__(self):
        self._wdt = WDT(timeout=TIMEOUT_MS)

    def feed(self) -> None:
        """Grant another TIMEOUT_MS. Takes no memory."""
        self._wdt.feed()
