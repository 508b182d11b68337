"""Virtual time: what happens when, and the log of it. Nothing here or above it looks at a real clock."""

import heapq
import itertools
from collections.abc import Callable, Generator
from random import Random

Steps = Generator[int, None, None]
"""What somebody does step by step: it yields the ms until its next step."""


class World:
    """Virtual ms, and everything that is to happen."""

    def __init__(self, seed: int) -> None:
        self.seed, self.now_ms = seed, 0
        self.log: list[str] = []
        self._due: list[tuple[int, int, Callable[[], object]]] = []
        self._order = itertools.count()  # of what is due at the same ms

    def chance(self, whose: str) -> Random:
        """A stream of chance of its own, so that what one part draws does not move the others."""
        return Random(f"{self.seed} {whose}")

    def say(self, text: str) -> None:
        """A line of the log."""
        self.log.append(f"{self.now_ms / 1000:10.3f} {text}")

    def after(self, ms: int, do: Callable[[], object]) -> None:
        heapq.heappush(self._due, (self.now_ms + ms, next(self._order), do))

    def start(self, steps: Steps) -> None:
        """Let somebody begin; who ends or dies, ends alone."""

        def go_on() -> None:
            ms = next(steps, None)
            if ms is not None:
                self.after(ms, go_on)

        self.after(0, go_on)

    def advance(self, ms: int, enough: Callable[[], bool] = lambda: False) -> None:
        """Let `ms` pass, or less if it is enough before."""
        end_ms = self.now_ms + ms
        while not enough():
            if not self._due or self._due[0][0] > end_ms:
                self.now_ms = end_ms
                return
            self.now_ms, _, do = heapq.heappop(self._due)
            do()
