"""The one clock of a run: UTC as it was at an anchor, and steady time since, so that no setting of it moves a round."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

# A wall clock that is further off than this was set; less is how time services correct it.
STEP_S = 1.0
# The wall clock is compared with that of the run so often.
WALL_EVERY_S = 1.0


class RunClock:
    """Steady seconds, and the UTC that belongs to them."""

    def __init__(
        self,
        steady: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        """steady() gives s and never goes back; wall() gives UTC and may be set at any time."""
        self._steady, self._wall = steady, wall
        self.anchor()

    def anchor(self) -> None:
        """Take the wall clock as it is now. What was told before is not on this clock any more."""
        self._anchor_s, self._anchor_at = self._steady(), self._wall()

    def now_s(self) -> float:
        """Steady seconds."""
        return self._steady()

    def utc(self, at_s: float) -> datetime:
        """The UTC of a moment in steady seconds."""
        return self._anchor_at + timedelta(seconds=at_s - self._anchor_s)

    def utc_now(self) -> datetime:
        return self.utc(self._steady())

    def stepped_s(self) -> float:
        """How far the wall clock is ahead of this one."""
        return (self._wall() - self.utc_now()).total_seconds()


class WallWatch:
    """A wall clock that was set is told; a round keeps the time with which it began."""

    def __init__(self, clock: RunClock, say: Callable[[str, str], object]) -> None:
        """say(text, style) tells the operator."""
        self._clock, self._say = clock, say
        self._checked_s = clock.now_s()
        self._told_s = 0.0  # how far it was off when that was said

    def check(self, now: float, round_open: Callable[[], bool]) -> None:
        """Look whether the wall clock was set, once in WALL_EVERY_S of `now`."""
        if now - self._checked_s < WALL_EVERY_S:
            return
        self._checked_s = now
        off_s = self._clock.stepped_s()
        if abs(off_s) <= STEP_S:
            self._told_s = 0.0
            return
        waits = round_open()
        if abs(off_s - self._told_s) > STEP_S:
            self._told_s = off_s
            when = "the open round keeps the time from before" if waits else "the run takes the new time"
            way = "forward" if off_s > 0 else "back"
            self._say(f"The clock of this computer was set {way} by {abs(off_s):.1f} s: {when}", "yellow")
        if not waits:
            self._clock.anchor()
            self._told_s = 0.0
