"""Key presses by the hundred thousand: bounce, spikes and late ticks, and whether each was told once and nothing else.

Time is in us; the clock jumps over what nothing happens in, which the firmware sees as one more late tick.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from tumbler.core import events as E
from tumbler.core import ticks
from tumbler.core.keys import Keys

KEY_BITS = [1 << n for n in range(9)]
EVENTS = [E.DIGIT + E.ARG * n for n in range(1, 7)] + [E.ENTRY, E.SPIN, E.NO_MORE]
INPUTS = 14
CLOSE_US = 45_000  # after an edge the ticks come every 2 ms for so long
REST_US = (80_000, 200_000)  # a contact stays so long, once it has come to rest
LATE_US = (50_000, 600_000)
USUAL_US, OUTLIER_US = 6200, 157_000  # Ganssle's switches bounce up to 6.2 ms; outliers are far longer
WRAP_US = 1000 * (ticks.MASK + 1)


class Counted(NamedTuple):
    presses: int
    lost: int
    ghosts: int
    spikes: int
    late: int

    def plus(self, other: "Counted") -> "Counted":
        return Counted(*(a + b for a, b in zip(self, other, strict=True)))


NONE = Counted(0, 0, 0, 0, 0)


def at_most(seen: int, of: int) -> float:
    """The 95 % upper bound of a rate of which `seen` were seen in `of` (Clopper-Pearson; 3 / of for none seen)."""
    if seen >= of:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        term = total = (1 - middle) ** of
        for k in range(1, seen + 1):
            term *= (of - k + 1) / k * middle / (1 - middle)
            total += term
        low, high = (middle, high) if total > 0.05 else (low, middle)
    return high


def play(seed: int, presses: int, bounce_us: int = USUAL_US) -> Counted:
    """So many presses of single keys, one after the other; none bounces longer than bounce_us."""
    chance = Random(f"{seed} presses")
    # Every other run goes over the wrap of the tick counter.
    base_us = WRAP_US - chance.randrange(5_000_000) if seed % 2 else chance.randrange(WRAP_US // 2)
    hand = _Hand(chance, Keys(False), base_us, bounce_us)
    hand.pass_us(60_000)
    hand.told.clear()
    lost = ghosts = 0
    for _ in range(presses):
        n = chance.randrange(len(KEY_BITS))
        hand.press(KEY_BITS[n])
        wrong = [event for event in hand.told if event != EVENTS[n]]
        right = len(hand.told) - len(wrong)
        lost += right == 0
        ghosts += len(wrong) + max(0, right - 1)
        hand.told.clear()
    return Counted(presses, lost, ghosts, hand.spikes, hand.late)


class _Hand:
    """One finger, and what its contact and the wires make of it."""

    def __init__(self, chance: Random, keys: Keys, base_us: int, bounce_us: int) -> None:
        self.told: list[int] = []
        self.spikes = self.late = 0
        self._chance, self._keys, self._bounce_us = chance, keys, bounce_us
        self._now_us = base_us
        self._tick_us = base_us  # of the next tick
        self._mask = 0
        self._close_us = base_us + CLOSE_US

    def press(self, bit: int) -> None:
        """Down and up again."""
        for on in (True, False):
            for length_us in self._bounce():
                self._set(bit, not bool(self._mask & bit))
                self.pass_us(length_us)
            self._set(bit, on)
            rest_us = self._chance.randint(*REST_US)
            if self._chance.random() < 0.2:
                late_us = self._chance.randint(*LATE_US)
                self.late += 1
                self._tick_us += late_us
                self._close_us += late_us
                rest_us += late_us
            self._rest(rest_us)

    def _bounce(self) -> Iterator[int]:
        """Pieces of a bounce, none longer than 6 ms."""
        left_us = self._chance.randrange(self._chance.choice((1, USUAL_US, self._bounce_us)))
        while left_us > 0:
            piece_us = self._chance.randint(50, self._chance.choice((300, 3000, 6000)))
            yield piece_us
            left_us -= piece_us

    def _rest(self, rest_us: int) -> None:
        """At rest, but for spikes of 1 to 500 us on any inputs, close together."""
        at_us = self._chance.randrange(rest_us - 10_000)
        self.pass_us(at_us)
        for _ in range(self._chance.randrange(4)):
            bits = self._chance.randrange(1, 1 << INPUTS)
            for after_us in (self._chance.randint(1, 500), self._chance.randint(1, 300)):
                self._set(bits, None)
                self.pass_us(after_us)
                at_us += after_us
            self.spikes += 1
        self.pass_us(rest_us - at_us)

    def _set(self, bits: int, on: bool | None) -> None:
        if on is None:
            self._mask ^= bits
        else:
            self._mask = self._mask | bits if on else self._mask & ~bits
        self._close_us = max(self._now_us, self._tick_us) + CLOSE_US

    def pass_us(self, us: int) -> None:
        """Ticks until then: every 2 ms with some jitter, or one big step where nothing happens."""
        end_us = self._now_us + us
        while self._tick_us <= end_us:
            now_us = self._tick_us
            self._keys.update(now_us // 1000 & ticks.MASK, self._mask)
            event = self._keys.pop()
            while event:
                self.told.append(event)
                event = self._keys.pop()
            step_us = self._chance.choice((1000, 2000, 2000, 2000, 3000)) + self._chance.randrange(1000)
            quiet = now_us > self._close_us and now_us + step_us < end_us
            self._tick_us = end_us - self._chance.randrange(2000) if quiet else now_us + step_us
            self._tick_us = max(self._tick_us, now_us + 1000)
        self._now_us = end_us
