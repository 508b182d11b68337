"""Maps `t`, a board's ms since boot, to the host's clock, with a bound on the error."""

from typing import NamedTuple

# An RP2040 board's crystal is within 30 ppm, a PC's clock within 50: together below this.
DRIFT = 100e-6
# `t` is in whole ms and that of the beginning of the board's pass, in which it read the question a little later.
EARLY_S = 0.010


class Moment(NamedTuple):
    """A moment on the host's clock in s: the truth is not after `at_s` and at most `bound_s` before it.

    `bound_s` is None while no question was answered by this boot, so that the least delay is unknown.
    """

    at_s: float
    bound_s: float | None

    @property
    def earliest_s(self) -> float | None:
        """The earliest that it can have been; None when that is not known."""
        return None if self.bound_s is None else self.at_s - self.bound_s


class _Limit(NamedTuple):
    """(host clock at boot) is limited by `offset_s`, as known at `since_s`; drift widens it from there both ways."""

    since_s: float
    offset_s: float

    def drift_s(self, at_s: float) -> float:
        return DRIFT * abs(at_s - self.since_s)


class TimeMap:
    """The clock of one boot of one board.

    seen() takes every line that tells time. The board cannot have written a line after it arrived, so arrival - t is
    an upper limit of (host clock at boot). answered() takes a line that was written after a question was sent, which
    gives a lower limit. The best limits of the whole boot are kept, each widened by DRIFT of the time since: a delay
    that begins later, however long it lasts, makes no line look younger than it is.
    """

    def __init__(self, races: bool = False) -> None:
        """races: the board's clock may be faster than time, as a simulated one's."""
        self._races = races
        self._upper: _Limit | None = None
        self._lower: _Limit | None = None

    def seen(self, t_ms: int, arrived_s: float) -> None:
        """A line with this t arrived. One before the lower limit takes that away: the clocks do not run alike."""
        line = _Limit(arrived_s, arrived_s - t_ms / 1000)
        upper, lower = self._upper, self._lower
        if upper is None or line.offset_s <= upper.offset_s + upper.drift_s(arrived_s):
            self._upper = line
        if lower is not None and line.offset_s < lower.offset_s - lower.drift_s(arrived_s):
            self._lower = line if self._races else None

    def answered(self, t_ms: int, asked_s: float, arrived_s: float) -> None:
        """A line with this t, which arrived_s tells of, was written after the question that was sent at asked_s.

        When that is above the upper limit, the board's clock stood still, and the line that answers is the new limit.
        """
        answer = _Limit(arrived_s, asked_s - EARLY_S - t_ms / 1000)
        upper, lower = self._upper, self._lower
        if lower is None or answer.offset_s >= lower.offset_s - lower.drift_s(arrived_s):
            self._lower = answer
        if upper is not None and answer.offset_s > upper.offset_s + upper.drift_s(arrived_s):
            self._upper = _Limit(arrived_s, arrived_s - t_ms / 1000)

    def bound_s(self, now_s: float) -> float | None:
        """How well the board's time is known at now_s; None when it is not."""
        if self._upper is None or self._lower is None:
            return None
        width_s = self._upper.offset_s - self._lower.offset_s
        return max(0.0, width_s + self._upper.drift_s(now_s) + self._lower.drift_s(now_s))

    def moment(self, t_ms: int) -> Moment | None:
        """When t was on the host's clock; None before any line was seen."""
        if self._upper is None:
            return None
        at_s = self._upper.offset_s + t_ms / 1000
        return Moment(at_s + self._upper.drift_s(at_s), self.bound_s(at_s))
