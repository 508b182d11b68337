"""The rig's hands: each line is pulled to GND or let go, as an open contact; none is ever driven high."""

from machine import Pin


class Hands:
    """pins: line -> GPIO of the rig. All lines are let go by the constructor. lines: their names."""

    def __init__(self, pins: dict):
        self._gpios = pins
        self.lines = set(pins)
        self._low = set()
        self.release()

    def pull(self, line: str, low: bool) -> None:
        """Pull a line low, or let it go; one that is not wired is left alone."""
        gpio = self._gpios.get(line)
        if gpio is None:
            return
        if low:
            Pin(gpio, Pin.OUT, value=0)  # the level before the direction: no glitch
            self._low.add(line)
        else:
            self._open(gpio)
            self._low.discard(line)

    def is_low(self, line: str) -> bool:
        """The rig pulls the line."""
        return line in self._low

    def release(self) -> None:
        """Let all lines go."""
        for gpio in self._gpios.values():
            self._open(gpio)
        self._low = set()

    def _open(self, gpio):
        Pin(gpio, Pin.IN)  # and no pull: that of the reset would fight the terminal's
