"""The tumbler: a motor behind the relay, a drum with a magnet and a sensor, and three dice under the cover.

The dice are drawn when they can be seen and not before, so that nothing on the board or the wire can know them: when
the cover opens, or when the drum comes to rest under an open cover.
NOT FOR PLAY.
"""

from rig.core import motion
from rig.core.motion import PULSE

NEVER = 1 << 60
STEP_US = 1000
NOISE_ONE_IN = 20  # steps with a spike on a noisy sensor wire
LOW, HIGH, FLOATING = 0, 1, 2


class Drum:
    """Moves in steps of 1 ms while anything moves; sensor edges fall on their exact microsecond within the step."""

    def __init__(self, world, settings, state):
        self.world = world
        self.sensor_pin = settings.PIN_SENSOR
        self.active = settings.SENSOR_ACTIVE
        self.t_f_us = settings.SENSOR_T_F_US
        self.rated = motion.rated(settings.PULSES_PER_SPIN, settings.MIN_HZ, settings.MAX_HZ)
        self.top = self.rated  # of this run: no two are alike
        self.powered = False
        self.speed = state.get("speed", 0)
        self.phase = state.get("phase", 0)  # 0 to PULSE; the magnet is at the sensor in the first half
        self.turned = state.get("turned", True)  # since the dice were last seen
        self.on_table = state.get("dice")  # as they lie; None while covered and unknown
        self.next_dice = state.get("next_dice", [])
        self.motor_fault = state.get(
            "motor_fault"
        )  # "stall", "slip", "push" or None; "weld" is the relay's, see world.py
        self.sensor_fault = state.get("sensor_fault")  # "high", "low", "noise", "bounce" or None
        self.due_us = world.now_us + STEP_US if self.speed else NEVER
        self._rest = False  # what the sensor says after this edge and its bounces
        self._chatter = 0  # edges still to come of a bounce or spike
        self._next_us = NEVER  # sensor edge within this step
        self._step_us = self.due_us
        self._drive()

    def state(self):
        return {
            "speed": self.speed,
            "phase": self.phase,
            "turned": self.turned,
            "dice": self.on_table,
            "next_dice": self.next_dice,
            "motor_fault": self.motor_fault,
            "sensor_fault": self.sensor_fault,
        }

    def power(self, on):
        """The relay's contact closed or opened."""
        if on and not self.powered:
            self.top = self.rated * (95 + self.world.draw(11)) // 100
        self.powered = on
        self._wake()

    def set_motor(self, fault):
        self.motor_fault = fault
        self._wake()

    def set_sensor(self, fault):
        self.sensor_fault = fault
        self._chatter = 0
        self._drive()
        self._wake()

    def turns(self):
        return self.speed > 0

    def uncover(self):
        """The dice lie and can be seen: only now they get their faces, if the drum turned since they were last seen."""
        if self.turned and not self.speed:
            if self.next_dice:
                self.on_table = self.next_dice.pop(0)
            else:
                self.on_table = [self.world.draw(6) + 1 for _ in range(3)]
            self.turned = False

    def _wake(self):
        if self.due_us == NEVER:
            self._step_us = self.world.now_us + STEP_US
            self.due_us = self._step_us

    def step(self):
        """Due: a sensor edge, or the end of a step."""
        if self._next_us < self._step_us:
            self._edge()
            return
        self._move()
        if not self.speed and not self._driven() and self.sensor_fault != "noise":
            self.due_us = NEVER
            return
        self._step_us = self.world.now_us + STEP_US
        self._plan_edge()

    def _move(self):
        self.phase = (self.phase + self.speed) % PULSE
        self.speed = motion.after_1_ms(self.speed, self.top, self._driven(), self.motor_fault == "slip")
        if self.speed:
            self.turned = True
            self.on_table = None
        elif self.world.cover_open:
            self.uncover()

    def _driven(self):
        return self.motor_fault == "push" or (self.powered and self.motor_fault != "stall")

    def _plan_edge(self):
        """Find when the magnet comes to or leaves the sensor within the step that begins, or a spike of noise."""
        self._next_us = NEVER
        half = PULSE // 2
        to_go = half - self.phase % half
        if self.speed and to_go <= self.speed:
            self._next_us = self.world.now_us + to_go * STEP_US // (self.speed + 1)
            self._chatter = 2 * (1 + self.world.draw(6)) if self.sensor_fault == "bounce" else 0
            self._rest = (self.phase + to_go) % PULSE < half
        elif self.sensor_fault == "noise" and self.world.draw(NOISE_ONE_IN) == 0:
            self._next_us = self.world.now_us + 1 + self.world.draw(STEP_US // 2)
            self._chatter = 1
            self._rest = self.phase < half
        self.due_us = min(self._next_us, self._step_us)

    def _edge(self):
        """One edge of the sensor; those of a bounce or spike are each too short to count (under t_f / 2)."""
        self._signal(self._rest if self._chatter % 2 == 0 else not self._rest)
        self._next_us = NEVER
        if self._chatter:
            self._chatter -= 1
            self._next_us = self.world.now_us + 1 + self.world.draw(max(1, min(self.t_f_us // 2, STEP_US // 16) - 1))
            if self._next_us >= self._step_us:
                self._signal(self._rest)
        self.due_us = min(self._next_us, self._step_us)

    def _drive(self):
        self._signal(self.phase < PULSE // 2)

    def _signal(self, near):
        """What the sensor puts on its wire; `near`: the magnet is there."""
        level = self.active if near else 1 - self.active
        if self.sensor_fault == "high":
            level = HIGH
        elif self.sensor_fault == "low":
            level = LOW
        self.world.set_outside(self.sensor_pin, level)
