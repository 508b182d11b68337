"""What hangs on the emulated board's pins: the tumbler of the simulator, its contacts, relay and display.

Everything happens at its own ns of emulated time. NOT FOR PLAY: the dice are drawn by a seeded generator.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from rp2040py.clock.clock import IAlarm
from rp2040py.device.base_device import BaseDevice
from rp2040py.gpio_pin import GPIOPinState

from host_tools.boards import Board
from host_tools.emu.workarounds import PioTime, tell_of_resets
from host_tools.rig import KEYS, Seen
from host_tools.sim.shims.contacts import bounce
from host_tools.sim.shims.drum import FLOATING, LOW, NEVER, Drum
from host_tools.sim.shims.tm1637 import Tm1637

RELAY_US = 8000  # the relay's armature: time to close and to open
SILENT_US = 30  # with pulse drive: edges further apart than this are not the dead-man's wave, whose period is 6 us
FIRST_EDGES = 4  # fewer edges do not charge the pump
PUMP_US = 2000  # the pump (docs/WIRING.md): its coil lets go so long after the last edge
BLINK_US = 400_000  # a lamp that changes oftener than this blinks


class _Settings:
    """A board's settings under the names that the simulator's drum asks for."""

    def __init__(self, board: Board):
        sensor = board.sensor
        self.PIN_SENSOR = board.pins.sensor
        self.SENSOR_ACTIVE = 1 if sensor.active == "high" else 0
        self.SENSOR_T_F_US = sensor.t_f_us
        self.PULSES_PER_SPIN = sensor.pulses_per_spin
        self.MIN_HZ, self.MAX_HZ = sensor.min_hz, sensor.max_hz


class _Pump:
    """The charge pump of a pulse-driven relay: on while edges come, off with the last one.

    changed(ns, on) is called for on once a wave proved to be one, with the time of its first edge, and for off
    SILENT_US after its last edge, with the time of that.
    """

    def __init__(self, device: BaseDevice, now: Callable[[], float], changed: Callable[[float, bool], None]):
        self._now, self._changed = now, changed
        self._first = self._last = 0.0
        self._edges = 0  # of this wave
        self._silence = device.mcu.clock.create_alarm(self._look)

    def edge(self, _level: bool) -> None:
        """The pin changed."""
        self._last = self._now()
        self._edges += 1
        if self._edges == 1:
            self._first = self._last
            self._silence.schedule(SILENT_US * 1000)
        elif self._edges == FIRST_EDGES:
            self._changed(self._first, True)

    def _look(self) -> None:
        left = self._last + SILENT_US * 1000 - self._now()
        if left > 0:
            self._silence.schedule(left)
            return
        if self._edges >= FIRST_EDGES:
            self._changed(self._last, False)
        self._edges = 0


class World:
    """Wires, machinery and dice of one board; goes on while the board is dark.

    relay_edges: (time in ns, the pin drives the relay's coil) at each change of that, the time exact to the PIO
    instruction. With level drive the pin does so by its level; with pulse drive from the first to the last edge of a
    wave. relay_pin_edges: how often the pin's own level changed. wire_edges: (us, pin, LOW, HIGH or FLOATING) at each
    change of what the world does to a wire.
    """

    def __init__(self, device: BaseDevice, board: Board, time: PioTime, seed: int):
        self._device, self._board, self._time = device, board, time
        self._random = random.Random(seed)
        self._moving: dict[int, list[IAlarm]] = {}  # pin -> edges of its contact that are still to come
        self._wire: dict[int, int] = {}  # pin -> LOW, HIGH or FLOATING
        pins = board.pins
        self._pin_of = {key: getattr(pins, key if key.islower() else f"key{key}") for key in KEYS}
        self._pulled_up = {pins.cover, pins.cover2, pins.estop}  # by a resistor on the wire
        self.cover_open = self.wire_broken = self.supervisor = self.estop = False
        self.welded = self.contact = False
        self.pressed: set[str] = set()
        self.display = Tm1637()
        self.beeps = 0
        self.relay_edges: list[tuple[float, bool]] = []
        self.wire_edges: list[tuple[int, int, int]] = []
        self.relay_pin_edges = 0
        self._driven = False
        self._pump = _Pump(device, time.nanos, self._relay_changed)
        self._levels = {"relay": False, "lamp": False, "buzzer": False}
        self._lamp_us, self._lamp_before_us = -NEVER, -NEVER
        self._armature = self._alarm(self._armature_rests)
        self._drum_alarm = self._alarm(self._drum_due)
        self.drum = Drum(self, _Settings(board), {})
        self._listen()
        for pin, closed in ((pins.cover, True), (pins.cover2, False), (pins.estop, True), (pins.relay_feedback, True)):
            if pin is not None:
                self.set_outside(pin, LOW if closed else FLOATING)

    # ------------------------------------------------------------ what the drum asks for

    @property
    def now_us(self) -> int:
        """Emulated time since the board was made."""
        return round(self._device.mcu.clock.nanos / 1000)

    def draw(self, n: int) -> int:
        """A number below n, the next one of the seed."""
        return self._random.randrange(n)

    def set_outside(self, pin: int, what: int) -> None:
        """The world drives a wire LOW or HIGH, or lets it go (FLOATING): then a resistor, else the pad's pull rules."""
        if self._wire.get(pin) == what:
            return
        self._wire[pin] = what
        self.wire_edges.append((self.now_us, pin, what))
        self._time.catch_up()
        pad = self._device.mcu.gpio[pin]
        if what == FLOATING and pin not in self._pulled_up:
            pad.release_input()
        else:
            pad.set_input_value(what != LOW)

    # ------------------------------------------------------------ the board's outputs

    def _listen(self) -> None:
        pins, gpio = self._board.pins, self._device.mcu.gpio
        for pin, changed in (
            (pins.relay, self._output("relay", self._relay)),
            (pins.lamp, self._output("lamp", self._lamp)),
            (pins.buzzer, self._output("buzzer", self._buzzer)),
            (pins.display_clk, lambda: self.display.clk(self._high(pins.display_clk))),
            (pins.display_dio, lambda: self.display.dio(self._high(pins.display_dio))),
        ):
            gpio[pin].add_listener(lambda _new, _old, changed=changed: changed())
            tell_of_resets(self._device, changed)

    def _output(self, name: str, act: Callable[[bool], None]) -> Callable[[], None]:
        """Listener of a pin that switches something: act(on) at each change."""
        pin = getattr(self._board.pins, name)

        def changed() -> None:
            level = self._relay_level(pin) if name == "relay" else self._device.mcu.gpio[pin].value == GPIOPinState.HIGH
            if level != self._levels[name]:
                self._levels[name] = level
                act(level)

        return changed

    def _relay_level(self, pin: int) -> bool:
        """The relay's wire is at its on level: driven by the pin, else held by its resistor, else by the pad's pull."""
        state = self._device.mcu.gpio[pin].value
        if state not in (GPIOPinState.LOW, GPIOPinState.HIGH):
            pull = self._board.relay.external_pull
            high = pull == "up" or (pull == "none" and state == GPIOPinState.INPUT_PULL_UP)
        else:
            high = state == GPIOPinState.HIGH
        return high == (self._board.relay.active == "high")

    def _high(self, pin: int) -> int:
        """Level of a display wire; the module has pull-ups."""
        return 0 if self._device.mcu.gpio[pin].value == GPIOPinState.LOW else 1

    def _relay(self, on: bool) -> None:
        self.relay_pin_edges += 1
        if self._board.relay.drive == "pulse":
            self._pump.edge(on)
        else:
            self._relay_changed(self._time.nanos(), on)

    def _relay_changed(self, nanos: float, on: bool) -> None:
        self._driven = on
        self.relay_edges.append((nanos, on))
        pump_us = PUMP_US if self._board.relay.drive == "pulse" and not on else 0
        self._armature.schedule((RELAY_US + pump_us) * 1000)

    def _lamp(self, _on: bool) -> None:
        self._lamp_before_us, self._lamp_us = self._lamp_us, self.now_us

    def _buzzer(self, on: bool) -> None:
        self.beeps += on

    def relay_on(self) -> bool:
        """The pin drives the relay's coil."""
        return self._driven

    # ------------------------------------------------------------ machinery

    def _alarm(self, callback: Callable[[], None]) -> IAlarm:
        return self._device.mcu.clock.create_alarm(callback)

    def _armature_rests(self) -> None:
        # by wire, in the coil circuit: the cover switch's second pole and the E-stop
        coil = self.relay_on() and not self.cover_open and not self.estop
        self.contact = coil or (self.welded and self.contact)
        if self._board.pins.relay_feedback is not None:
            self.set_outside(self._board.pins.relay_feedback, FLOATING if self.contact else LOW)
        self.drum.power(self.contact)
        self._drum_goes_on()

    def _drum_due(self) -> None:
        self.drum.step()
        self._drum_goes_on()

    def _drum_goes_on(self) -> None:
        if self.drum.due_us == NEVER:
            self._drum_alarm.cancel()
        else:
            self._drum_alarm.schedule(max(0, self.drum.due_us - self.now_us) * 1000)

    def _move(self, pin: int | None, what: int) -> None:
        """A contact moves now and comes to rest at `what` after it has bounced; an older movement ends here."""
        if pin is None:
            return
        for alarm in self._moving.pop(pin, []):
            alarm.cancel()
        edges: list[IAlarm] = []
        for after_us, state in bounce(self, self._wire.get(pin, FLOATING), what):
            edges.append(self._alarm(lambda state=state: self.set_outside(pin, state)))
            edges[-1].schedule(after_us * 1000)
        self._moving[pin] = edges

    # ------------------------------------------------------------ what the rig does

    def pin_of(self, key: str) -> int | None:
        """A key's pin; None for one that this board does not have."""
        return self._pin_of[key]

    def press(self, key: str, down: bool) -> None:
        if down != (key in self.pressed):
            self.pressed ^= {key}
            self._move(self._pin_of[key], LOW if down else FLOATING)

    def set_cover(self, is_open: bool) -> None:
        if is_open == self.cover_open:
            return
        self.cover_open = is_open
        if not self.wire_broken:
            self._move(self._board.pins.cover, FLOATING if is_open else LOW)
        self._move(self._board.pins.cover2, LOW if is_open else FLOATING)
        self._armature.schedule(RELAY_US * 1000)
        if is_open:
            self.drum.uncover()

    def set_cover_wire(self, broken: bool) -> None:
        if broken != self.wire_broken:
            self.wire_broken = broken
            self._move(self._board.pins.cover, FLOATING if broken or self.cover_open else LOW)

    def set_supervisor(self, on: bool) -> None:
        if on != self.supervisor:
            self.supervisor = on
            self._move(self._board.pins.supervisor, LOW if on else FLOATING)

    def set_estop(self, on: bool) -> None:
        if on != self.estop:
            self.estop = on
            self._armature.schedule(RELAY_US * 1000)
            self._move(self._board.pins.estop, FLOATING if on else LOW)

    def set_motor(self, fault: str | None) -> None:
        self.welded = fault == "weld"
        self.drum.set_motor(fault)
        self._armature.schedule(RELAY_US * 1000)
        self._drum_goes_on()

    def set_sensor(self, fault: str | None) -> None:
        self.drum.set_sensor(fault)
        self._drum_goes_on()

    def read(self) -> Seen:
        """What a person beside the table sees and hears."""
        lamp = "on" if self._levels["lamp"] else "off"
        if self.now_us - self._lamp_us < BLINK_US and self._lamp_us - self._lamp_before_us < BLINK_US:
            lamp = "blink"
        return {
            "relay": self.relay_on(),
            "display": self.display.text(),
            "lamp": lamp,
            "buzzer": self._levels["buzzer"],
            "beeps": self.beeps,
            "cover_open": self.cover_open,
            "supervisor_on": self.supervisor,
            "drum_turns": self.drum.turns(),
            "t_ms": self.now_us // 1000,
        }
