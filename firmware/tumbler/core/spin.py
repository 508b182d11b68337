"""Supervision of the drum: counts the spins of a run and says when the sensor shows what a sound machine never does.

Pulses are counted in hardware, so a tick that comes late brings the right number at a time not known exactly: it lay
between the last tick and this one. Faults take the end that favours the machine, rest takes the other.
No call allocates; all numbers stay below 2**30.
"""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import ticks

QUIET_MS = 500  # no pulse for so long: the drum is at rest
READ_MS = 4  # time and count of a tick are read so far apart at most, and time is cut to whole ms
MOST_PULSES = 100_000  # per tick; more is nonsense and would leave the numbers a board keeps without heap
MOST_MS = 10_000

STALL = E.FAULT + E.ARG * F.FAULTS.index("stall")  # no first pulse in time
RUN_TOO_LONG = E.FAULT + E.ARG * F.FAULTS.index("run_too_long")
RATE = E.FAULT + E.ARG * F.FAULTS.index("rate")  # pulses closer than max_hz, or with the motor on farther than min_hz
MOTION = E.FAULT + E.ARG * F.FAULTS.index("motion")  # pulses with the relay off, outside the coast time
COAST_TOO_LONG = E.FAULT + E.ARG * F.FAULTS.index("coast_too_long")

NEW, RUN, COAST, REST = 0, 1, 2, 3


class SpinWatch:
    """pulses_per_spin, required (spins), min_hz and max_hz (pulses per second), the rest in ms: of the board file.

    Power-on is taken as the moment the relay opened: a drum that a power cut left turning may coast to its rest.
    """

    def __init__(
        self,
        pulses_per_spin: int,
        required: int,
        min_hz: int,
        max_hz: int,
        first_pulse_ms: int,
        max_on_ms: int,
        min_coast_ms: int,
        max_coast_ms: int,
    ):
        self._pulses_per_spin = pulses_per_spin
        self._enough = pulses_per_spin * required + 1  # the first pulse only begins the first spin
        self._max_hz = max_hz
        self._excess_limit = 1000 + READ_MS * max_hz
        self._gap_ms = -(-1000 // min_hz)
        self._first_pulse_ms = first_pulse_ms
        self._max_on_ms = max_on_ms
        self._min_coast_ms = min_coast_ms
        self._max_coast_ms = max_coast_ms
        self._phase = NEW
        self._since_ms = 0  # when the relay closed (RUN) or opened (COAST, REST)
        self._tick_ms = 0  # of the last tick
        self._count = 0  # the hardware's, then
        self._pulses = 0  # of this run and its coasting
        self._pulse_ms = 0  # the last pulse came not after this tick
        self._before_ms = 0  # and after this one
        self._excess = 0  # 1/1000 pulses more than max_hz allows
        self._moved = False  # the drum moved right before the relay closed
        self._enough_told = self._settled = self._fault_told = False

    def start(self, now_ms: int, count: int):
        """The relay closes now; count is the hardware's pulse count."""
        self._moved = self._phase != NEW and count != self._count
        self._phase = RUN
        self._since_ms = self._tick_ms = now_ms
        self._count = count
        self._pulses = self._excess = 0
        self._enough_told = self._settled = self._fault_told = False

    def stop(self, now_ms: int):
        """The relay is off now; the drum coasts. Without effect if it was off before."""
        if self._phase == RUN:
            self._phase = COAST
            self._since_ms = now_ms

    def spins(self) -> int:
        """Whole spins since start(), those while coasting included: N pulses prove N - 1 intervals between them."""
        return max(0, self._pulses - 1) // self._pulses_per_spin

    def quiet(self, now_ms: int) -> bool:
        """No pulse in the last 500 ms; False in the first 500 ms after power-on."""
        return self._phase != NEW and ticks.diff(now_ms, self._pulse_ms) >= QUIET_MS

    def update(self, now_ms: int, count: int) -> int:
        """One tick: time and the hardware's count (wraps at 2**30) -> SPINS_DONE, SETTLED, a FAULT or 0."""
        if self._phase == NEW:
            self._begin(now_ms, count)
            return E.NONE
        pulses = (count - self._count) & ticks.MASK
        if pulses > MOST_PULSES:
            pulses = MOST_PULSES
        before_ms = self._tick_ms
        if pulses:
            self._before_ms = before_ms
            self._pulse_ms = now_ms
        self._tick_ms = now_ms
        self._count = count
        if self._phase == REST:
            return self._resting(now_ms, pulses)
        if pulses:
            self._pulses = min(self._pulses + pulses, ticks.HALF)  # nonsense in every tick adds up, too
        elapsed_ms = ticks.diff(now_ms, before_ms)
        if self._too_fast(pulses, elapsed_ms) and not self._fault_told:
            self._fault_told = True
            return RATE
        return self._running(now_ms) if self._phase == RUN else self._coasting(now_ms)

    def _begin(self, now_ms, count):
        self._phase = COAST
        self._since_ms = self._tick_ms = self._pulse_ms = self._before_ms = now_ms
        self._count = count
        self._settled = True  # there was no run whose rest could be told

    def _too_fast(self, pulses, elapsed_ms):
        """Leaky bucket: max_hz runs out of it all the time. At max_hz it holds one pulse at most, however late the
        ticks come, so two pulses that lie too close are seen at once and a late tick is no alarm."""
        if not 0 <= elapsed_ms <= MOST_MS:
            elapsed_ms = MOST_MS
        excess = self._excess + pulses * 1000 - elapsed_ms * self._max_hz
        self._excess = excess if 0 < excess <= self._excess_limit else 0
        return excess > self._excess_limit

    def _running(self, now_ms):
        if self._fault_told:  # the round has it; the relay is about to open
            return E.NONE
        fault = self._run_fault(now_ms, ticks.diff(now_ms, self._since_ms))
        if fault:
            self._fault_told = True
            return fault
        if self._pulses >= self._enough and not self._enough_told:
            self._enough_told = True
            return E.SPINS_DONE
        return E.NONE

    def _run_fault(self, now_ms, on_ms):
        if self._moved:
            return MOTION
        if on_ms >= self._max_on_ms:
            return RUN_TOO_LONG
        if self._pulses == 0:
            return STALL if on_ms > self._first_pulse_ms else E.NONE
        return RATE if ticks.diff(now_ms, self._pulse_ms) > self._gap_ms else E.NONE

    def _coasting(self, now_ms):
        off_ms = ticks.diff(now_ms, self._since_ms)
        if off_ms >= self._max_coast_ms:
            self._phase = REST
            self._fault_told = ticks.diff(now_ms, self._before_ms) < QUIET_MS
            if self._fault_told:
                self._settled = True  # never told for this run
                return COAST_TOO_LONG
        return self._settle(now_ms) if off_ms >= self._min_coast_ms else E.NONE

    def _settle(self, now_ms):
        """SETTLED once per run."""
        if self._settled or not self.quiet(now_ms):
            return E.NONE
        self._settled = True
        self._phase = REST  # bets open on it: from here on any movement is a fault, however soon it comes
        return E.SETTLED

    def _resting(self, now_ms, pulses):
        """MOTION once for every time the drum begins to move."""
        if pulses:
            if self._fault_told:
                return E.NONE
            self._fault_told = self._settled = True
            return MOTION
        if self.quiet(now_ms):
            self._fault_told = False
            self._pulse_ms = self._before_ms = (now_ms - QUIET_MS) & ticks.MASK  # pulled along: a wrap is not a pulse
            # SETTLED is left to here when the last pulse came so late that only this tick sees the quiet.
        return E.NONE if self._settled else self._settle(now_ms)
