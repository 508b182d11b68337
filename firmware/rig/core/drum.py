"""The drum that the rig plays: what its sensor says, planned in slices that the state machine then plays by itself."""

from rig.core import motion

SLICE_MS = 20
SLICE_US = SLICE_MS * 1000
SHORTEST_US = 4  # of a bounce or spike; the player has a microsecond less as its limit
LONGEST_US = 62  # so that the bounces of one edge are over before the next, whatever the filter time
NOISE_ONE_IN = 2  # slices with a spike on a noisy sensor wire
MOTOR_FAULTS = ("stall", "slip", "weld", "push")
SENSOR_FAULTS = ("high", "low", "noise", "bounce")


class Drum:
    """Moves only in plan(). motor_fault, sensor_fault: one of those above, or None; set at any time."""

    def __init__(self, pulses_per_spin: int, min_hz: int, max_hz: int, t_f_us: int, draw):
        """t_f_us: the terminal's filter time; bounces and spikes last less than half of it, so they must not count.
        draw(n) gives a number below n."""
        self._top = motion.rated(pulses_per_spin, min_hz, max_hz)
        self._widths = max(1, min(t_f_us // 2, LONGEST_US) - SHORTEST_US)
        self._draw = draw
        self.rest()

    def rest(self) -> None:
        """At rest at once, the magnet away from the sensor, without a fault."""
        self._speed = 0
        self._phase = motion.PULSE // 2  # the magnet is at the sensor in the first half
        self._near = False  # what the last slice ended with
        self.motor_fault = None
        self.sensor_fault = None

    def turns(self) -> bool:
        return self._speed > 0

    def driven(self, contact: bool) -> bool:
        """Something turns the drum; contact: the relay's contact is closed."""
        return self.motor_fault == "push" or (contact and self.motor_fault != "stall")

    def plan(self, contact: bool) -> list:
        """The next SLICE_MS of the sensor -> (the magnet is near, us), together SLICE_US."""
        before = self._speed
        driven = self.driven(contact)
        slips = self.motor_fault == "slip"
        for _ in range(SLICE_MS):
            self._speed = motion.after_1_ms(self._speed, self._top, driven, slips)
        return self._as_sensed(self._turn((before + self._speed) // 2))

    def _turn(self, speed):
        """Turn for a slice at this mean speed."""
        half = motion.PULSE // 2
        out = []
        left_us = SLICE_US
        while True:
            near = self._phase < half
            to_go = half - self._phase % half
            us = to_go * 1000 // speed + 1 if speed else SLICE_US
            if us >= left_us:
                self._phase = (self._phase + speed * left_us // 1000) % motion.PULSE
                out.append((near, left_us))
                return out
            self._phase = (self._phase + to_go) % motion.PULSE
            out.append((near, us))
            left_us -= us

    def _as_sensed(self, pieces):
        fault = self.sensor_fault
        if fault == "high" or fault == "low":
            pieces = [(fault == "low", SLICE_US)]
        out = []
        for near, us in pieces:
            if fault == "bounce" and near != self._near:
                us = self._chatter(out, near, us)
            elif fault == "noise" and us > SLICE_US // 4 and not self._draw(NOISE_ONE_IN):
                out.append((near, us // 2))
                us -= us // 2 + self._width(out, not near)
            out.append((near, us))
            self._near = near
        return out

    def _chatter(self, out, near, us):
        """Bounces at an edge to `near`, as long as they fit -> what is left of its us."""
        for _ in range(1 + self._draw(6)):
            if us > 3 * LONGEST_US:
                us -= self._width(out, near) + self._width(out, not near)
        return us

    def _width(self, out, near):
        us = SHORTEST_US + self._draw(self._widths)
        out.append((near, us))
        return us
