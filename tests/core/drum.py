"""A scripted drum for the tests of its supervision: pulses at given ms, ticks over them, and what was told."""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core.spin import SpinWatch

MASK = (1 << 30) - 1
STALL = E.FAULT + 32 * F.FAULTS.index("stall")
RUN_TOO_LONG = E.FAULT + 32 * F.FAULTS.index("run_too_long")
RATE = E.FAULT + 32 * F.FAULTS.index("rate")
MOTION = E.FAULT + 32 * F.FAULTS.index("motion")
COAST_TOO_LONG = E.FAULT + 32 * F.FAULTS.index("coast_too_long")

# The board of these tests: 1 pulse a spin, 3 spins, 1 to 50 Hz, first pulse in 1.5 s, at most 15 s, coast 1.5 to 8 s.
SETTINGS = (1, 3, 1, 50, 1500, 15_000, 1500, 8000)


def settings(**changed):
    names = ("pulses_per_spin", "required", "min_hz", "max_hz", "first_pulse_ms")
    names += ("max_on_ms", "min_coast_ms", "max_coast_ms")
    return [changed.get(name, value) for name, value in zip(names, SETTINGS)]


class Drum:
    """A watch over a scripted drum. Times are ms on the drum's own clock, which begins at 0 with power-on.

    told: [(ms, event), ...]. lateness(ms) -> ms to the next tick.
    """

    def __init__(self, base_ms=0, base_count=0, lateness=None, number=int, **changed):
        self.watch = SpinWatch(*[number(value) for value in settings(**changed)])
        self.base_ms, self.base_count, self.number = base_ms, base_count, number
        self.lateness = lateness or (lambda now_ms: 2)
        self.pulses = []  # ms, rising
        self.seen = 0
        self.now_ms = -2
        self.told = []

    def turn(self, first_ms, last_ms, every_ms):
        """Add pulses from first_ms to last_ms."""
        while first_ms <= last_ms:
            self.pulses.append(first_ms)
            first_ms += every_ms
        return self

    def time(self):
        return self.number((self.base_ms + self.now_ms) & MASK)

    def count(self):
        while self.seen < len(self.pulses) and self.pulses[self.seen] <= self.now_ms:
            self.seen += 1
        return self.number((self.base_count + self.seen) & MASK)

    def run_to(self, end_ms):
        """Ticks up to end_ms, the last at or after it."""
        while self.now_ms < end_ms:
            self.now_ms += self.lateness(self.now_ms)
            event = self.watch.update(self.time(), self.count())
            if event:
                self.told.append((self.now_ms, event))
        return self

    def start(self, at_ms=1000):
        self.run_to(at_ms)
        self.watch.start(self.time(), self.count())
        return self

    def stop(self, at_ms):
        self.run_to(at_ms)
        self.watch.stop(self.time())
        return self

    def events(self):
        return [event for _, event in self.told]


def good_run(base_ms=0, base_count=0, number=int):
    """Relay on at 1000, pulses from 1200 to 2400 every 300 ms, off with the fourth at 2100. The fifth is coasting."""
    drum = Drum(base_ms, base_count, number=number).turn(1200, 2400, 300).start()
    return drum.stop(2100).run_to(20_000)
