"""The chip's watchdog: resets the board when the loop hangs. Started by the application before the relay may close."""

from machine import WDT

# Rule: at most 2 s. On sound flash a tick erases three sectors at most, 400 ms each; only a new dev erases seven, which
# the slowest flash does not end in time: the start after the reset goes on with it.
TIMEOUT_MS = 2000


class Watchdog:
    """Runs from construction on; nothing but a reset stops it."""

    def __init__(self):
        self._wdt = WDT(timeout=TIMEOUT_MS)

    def feed(self) -> None:
        """Grant another TIMEOUT_MS. Takes no memory."""
        self._wdt.feed()
