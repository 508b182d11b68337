"""Maps `t`, a board's ms since boot, to the host's clock, with a bound on the error."""

from typing import NamedTuple

# A line takes time to arrive, never less than none: the line with the least delay of late tells best.
WINDOW_S = 10.0
# An RP2040 board's crystal is within 30 ppm, a PC's clock within 50: together below this.
DRIFT = 100e-6


class Moment(NamedTuple):
    """A moment on the host's clock in s: the truth is not after `at_s` + drift, and within `bound_s` of it.

    `bound_s` is None while no question was answered by this boot, so that the least delay is unknown.
    """

    at_s: float
    bound_s: float | None


class TimeMap:
    """The clock of one boot of one board.

    seen() takes every line that tells time. The board cannot have written a line after it arrived, so arrival - t is
    an upper limit of (host clock at boot); the lowest of the last WINDOW_S is used. answered() takes a line that was
    written after a question was sent, which gives a lower limit: the distance of the two is the bound.
    """

    def __init__(self) -> None:
        self._upper: list[tuple[float, float]] = []  # (arrived_s, arrived_s - t_s), offsets rising: a monotonic queue
        self._lower: tuple[float, float] | None = None  # (answered_s, asked_s - t_s)

    def seen(self, t_ms: int, arrived_s: float) -> None:
        """A line with this t arrived."""
        offset_s = arrived_s - t_ms / 1000
        while self._upper and self._upper[-1][1] >= offset_s:
            self._upper.pop()
        self._upper.append((arrived_s, offset_s))
        while self._upper[0][0] < arrived_s - WINDOW_S:
            self._upper.pop(0)

    def answered(self, t_ms: int, asked_s: float, arrived_s: float) -> None:
        """A line with this t was written after the question that was sent at asked_s."""
        self._lower = (arrived_s, asked_s - t_ms / 1000)

    def moment(self, t_ms: int) -> Moment | None:
        """When t was on the host's clock; None before any line was seen."""
        if not self._upper:
            return None
        arrived_s, offset_s = self._upper[0]
        at_s = offset_s + t_ms / 1000
        if self._lower is None:
            return Moment(at_s, None)
        answered_s, lower_s = self._lower
        drift_s = DRIFT * (abs(arrived_s - answered_s) + abs(at_s - arrived_s))
        return Moment(at_s, max(0.0, offset_s - lower_s) + drift_s)
