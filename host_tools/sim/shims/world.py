"""The world around the simulated board: one clock in whole microseconds, the pins, and what hangs on them.

Time is exact: whatever happens between two looks of the firmware happens at its own microsecond, in order. Everything
that the firmware may call while the motor runs works on small ints alone and takes no heap; only sleeping does.
"""

import gc
import heapq

import utime  # the real clock; the firmware's `time` is the shim beside this file
from contacts import bounce
from drum import Drum
from tm1637 import Tm1637

NEVER = 1 << 60  # us; a time that never comes
PINS = 30
COIL = PINS  # in the file of edges: the pin drives the relay's coil
LOW, HIGH, FLOATING = 0, 1, 2  # what the world does to a pin
NO_PULL, PULL_UP, PULL_DOWN = 0, 1, 2
IN, OUT, OPEN_DRAIN, PIO = 0, 1, 2, 3  # what the board does to a pin
CREEP_MAX_US = 1000  # looks at the clock, each 1 us, after which a busy loop lets the world get on
RELAY_US = 8000  # the relay's armature: time to close and to open
PUMP_US = 2000  # the charge pump of a pulse-driven relay (docs/WIRING.md): its coil lets go so long after the last edge
# Real clock: a computer that is busy elsewhere is no fault of the board. Between two looks of the firmware no more than
# LATE_MAX_US passes; the rest is owed, and made good by shorter sleeps, up to OWED_MAX_US.
LATE_MAX_US = 2000
OWED_MAX_US = 1_000_000
BLINK_US = 400_000  # a lamp that changes oftener than this blinks
KEYS = ("1", "2", "3", "4", "5", "6", "entry", "spin", "no_more_bets")

NOTHING, CLK, DIO, LAMP, BUZZER = range(5)  # what hangs on a pin

the = None  # the one World of this process


class World:
    """Pins, clock and machinery of one board; `rig` is the pipe to the host (class RigPipe)."""

    def __init__(self, config, settings, rig):
        state = config["world"]
        self.rig = rig
        self.seed = config["seed"]
        self.draws = state.get("draws", 0)  # random numbers drawn so far
        self.start_ms = config["start_ticks"]
        self.scratch = list(state.get("scratch", [0] * 8))
        self.cause = config["cause"]
        self.unique_id = bytes.fromhex(config["unique_id"])
        self.probe = config["probe"]
        self.trace = open(config["trace"], "a") if config["trace"] else None
        self._init_clock(config, state)
        self._init_pins(settings)
        self._init_wiring(settings, state)
        self.display = Tm1637()
        self.state_machines = {}
        self.dead_man = None
        self.counter = None
        self.lamp_us = self.lamp_before_us = -NEVER
        self.beeps = 0
        self.drum = Drum(self, settings, state)
        self.wdt_us = NEVER
        self.wdt_period_us = 0

    def _init_clock(self, config, state):
        self.now_us = state.get("now_us", 0)
        if self.trace is not None:
            self.trace.write("%d reset\n" % self.now_us)
        self.boot_us = self.now_us
        self.allowed_us = self.now_us  # the rig lets time pass up to here (virtual clock)
        self.real = config["clock"] == "real"
        self.speed_milli = int(config["speed"] * 1000)
        self.wall_us = utime.ticks_us()
        self.owed_us = 0
        self.crept_us = 0
        self.stall_us = 0
        self.edges = []  # heap of (time, order, pin, what the world does to it)
        self.edge_count = 0
        self.heap_mark = -1
        self.heap_bytes = 0

    def _init_pins(self, settings):
        self.mode = [IN] * PINS
        self.latch = [0] * PINS  # level of the plain output
        self.pio_level = [0] * PINS
        self.pull = [PULL_DOWN] * PINS  # RP2040 datasheet 2.19.6.3: pads pull down after reset
        self.outside = [FLOATING] * PINS
        self.fitted = [NO_PULL] * PINS  # resistors on the board's wires
        self.role = [NOTHING] * PINS
        self.levels = 0
        self.on_level = settings.RELAY_ON_LEVEL
        self.pulse = settings.RELAY_DRIVE == "pulse"
        self.wave = False  # the dead-man makes edges
        self.relay_was_on = False
        self.relay_pin = settings.PIN_RELAY
        self.dio_pin = settings.PIN_DISPLAY_DIO
        for pin, role in (
            (settings.PIN_DISPLAY_CLK, CLK),
            (settings.PIN_DISPLAY_DIO, DIO),
            (settings.PIN_LAMP, LAMP),
            (settings.PIN_BUZZER, BUZZER),
        ):
            self.role[pin] = role
        for pin in (settings.PIN_COVER, settings.PIN_COVER2, settings.PIN_ESTOP):
            if pin >= 0:
                self.fitted[pin] = PULL_UP
        self.fitted[self.relay_pin] = PULL_DOWN if self.on_level else PULL_UP

    def _init_wiring(self, settings, state):
        s = settings
        numbers = (s.PIN_KEY1, s.PIN_KEY2, s.PIN_KEY3, s.PIN_KEY4, s.PIN_KEY5, s.PIN_KEY6)
        self.pin_of = dict(zip(KEYS, numbers + (s.PIN_ENTRY, s.PIN_SPIN, s.PIN_NO_MORE)))
        self.cover_pin, self.cover2_pin = s.PIN_COVER, s.PIN_COVER2
        self.supervisor_pin, self.estop_pin, self.feedback_pin = s.PIN_SUPERVISOR, s.PIN_ESTOP, s.PIN_RELAY_FB
        self.pressed = set(state.get("pressed", []))
        self.cover_open = state.get("cover_open", False)
        self.cover_wire_broken = state.get("cover_wire_broken", False)
        self.supervisor = state.get("supervisor", False)
        self.estop = state.get("estop", False)
        self.weld = state.get("weld", False)
        self.contact = self.weld and state.get("contact", False)  # the relay's load contact; welded: stays closed
        self.armature_us = NEVER
        for key in self.pressed:
            self.outside[self.pin_of[key]] = LOW
        self.outside[self.cover_pin] = FLOATING if self.cover_open or self.cover_wire_broken else LOW
        if self.cover2_pin >= 0:
            self.outside[self.cover2_pin] = LOW if self.cover_open else FLOATING
        self.outside[self.supervisor_pin] = LOW if self.supervisor else FLOATING
        self.outside[self.estop_pin] = FLOATING if self.estop else LOW
        if self.feedback_pin >= 0:
            self.outside[self.feedback_pin] = FLOATING if self.contact else LOW

    # -------------------------------------------------------------- pins; no heap from here to `advance`

    def settle(self, pin):
        """Work out a pin's level anew and tell what hangs on it."""
        mode = self.mode[pin]
        if mode == OUT:
            level = self.latch[pin]
        elif mode == PIO:
            level = self.pio_level[pin]
        elif mode == OPEN_DRAIN and not self.latch[pin]:
            level = 0
        elif self.outside[pin] != FLOATING:
            level = self.outside[pin]
        elif self.fitted[pin]:
            level = 1 if self.fitted[pin] == PULL_UP else 0
        else:
            level = 1 if self.pull[pin] == PULL_UP else 0
        if (self.levels >> pin) & 1 != level:
            self.levels ^= 1 << pin
            self._changed(pin, level)
        if pin == self.relay_pin and self.relay_on() != self.relay_was_on:
            self.relay_was_on = not self.relay_was_on
            if self.trace is not None:
                self._note(COIL, self.relay_was_on)
            self.armature_us = self.now_us + RELAY_US + (PUMP_US if self.pulse and not self.relay_was_on else 0)

    def level(self, pin):
        return (self.levels >> pin) & 1

    def set_outside(self, pin, what):
        self.outside[pin] = what
        self.settle(pin)

    def set_wave(self, on):
        """A pulse-driven relay's pin makes edges, or stands still at the level that it has."""
        self.wave = self.pulse and on
        self.settle(self.relay_pin)

    def relay_on(self):
        """The pin drives the relay's coil: with its on level or, through a charge pump, with edges."""
        if self.pulse:
            return self.wave and self.mode[self.relay_pin] == PIO
        return self.level(self.relay_pin) == self.on_level

    def _note(self, signal, level):
        """For a bench: an edge of a pin, or of COIL, goes to the file of edges. This alone takes heap."""
        self.trace.write("%d %d %d\n" % (self.now_us, signal, level))

    def _changed(self, pin, level):
        if self.trace is not None:
            self._note(pin, level)
        role = self.role[pin]
        if role == CLK:
            self.display.clk(level)
            # the display answers on the data wire: low while it acknowledges
            self.set_outside(self.dio_pin, LOW if self.display.ack else FLOATING)
        elif role == DIO:
            self.display.dio(level)
        elif role == LAMP:
            self.lamp_before_us = self.lamp_us
            self.lamp_us = self.now_us
        elif role == BUZZER and level:
            self.beeps += 1
        if self.dead_man is not None and pin == self.dead_man.jmp_pin:
            self.dead_man.edge(level)
        if self.counter is not None and pin == self.counter.jmp_pin:
            self.counter.edge(level)

    def look(self):
        """The firmware looked at clock or pins: in real time the world catches up first; a busy loop moves time."""
        if self.real:
            self.catch_up()
        else:
            self.crept_us += 1
            if self.crept_us >= CREEP_MAX_US:
                self.sleep_us(0)

    # -------------------------------------------------------------- time

    def sleep_us(self, us):
        """Let `us` pass for the firmware; the only place where time moves. A board that resets here never returns."""
        if self.probe:
            self._probe_enter()
        if self.real:
            self._sleep_real(us + self.stall_us)
            self.stall_us = 0
        else:
            target = self.now_us + self.crept_us + us + self.stall_us
            self.crept_us = 0
            self.stall_us = 0
            while self.now_us < target:
                if self.now_us >= self.allowed_us:
                    self.rig.serve_until_allowed(self)
                    target += self.stall_us
                    self.stall_us = 0
                self.advance(min(target, self.allowed_us))
        if self.probe:
            self._probe_leave()

    def _sleep_real(self, us):
        wake_us = self.now_us + us
        self.rig.serve_waiting(self, 0)
        while self.now_us < wake_us:
            wait_us = (wake_us - self.now_us - self.owed_us) * 1000 // self.speed_milli
            if wait_us >= 1000:
                self.rig.serve_waiting(self, wait_us // 1000)
            elif wait_us > 0:
                utime.sleep_us(wait_us)
            self._owe()
            step_us = min(self.owed_us, wake_us - self.now_us)
            self.owed_us = min(self.owed_us - step_us, OWED_MAX_US)
            self.advance(self.now_us + step_us)

    def catch_up(self):
        """Real clock only: what happened up to now happens."""
        owed_us = self.owed_us
        self._owe()
        step_us = min(self.owed_us - owed_us, LATE_MAX_US)
        self.owed_us -= step_us
        self.advance(self.now_us + step_us)

    def _owe(self):
        wall_us = utime.ticks_us()
        self.owed_us += (wall_us - self.wall_us) * self.speed_milli // 1000
        self.wall_us = wall_us

    def _probe_enter(self):
        if self.heap_mark >= 0 and self.relay_on():
            self.heap_bytes += gc.mem_alloc() - self.heap_mark

    def _probe_leave(self):
        self.heap_mark = -1
        if self.relay_on():
            gc.disable()  # a collection by the firmware's own code would hide what it took
            gc.collect()
            self.heap_mark = gc.mem_alloc()
        else:
            gc.enable()

    def advance(self, to_us):
        """Everything up to `to_us` happens, each at its time; what falls on one microsecond, in this order."""
        while True:
            due = self.edges[0][0] if self.edges else NEVER
            due = min(due, self.drum.due_us, self.armature_us, self.wdt_us)
            if self.dead_man is not None:
                due = min(due, self.dead_man.due_us)
            if due > to_us:
                break
            self.now_us = max(due, self.now_us)
            if self.edges and self.edges[0][0] <= due:
                _, _, pin, what = heapq.heappop(self.edges)
                self.set_outside(pin, what)
            elif self.dead_man is not None and self.dead_man.due_us <= due:
                self.dead_man.expire()
            elif self.armature_us <= due:
                self._armature()
            elif self.drum.due_us <= due:
                self.drum.step()
            else:
                self.reset("watchdog")
        self.now_us = max(to_us, self.now_us)

    def _armature(self):
        self.armature_us = NEVER
        # by wire, in the coil circuit: the cover switch's second pole and the E-stop
        coil = self.relay_on() and not self.cover_open and not self.estop
        self.contact = coil or (self.weld and self.contact)
        if self.feedback_pin >= 0:
            self.set_outside(self.feedback_pin, FLOATING if self.contact else LOW)
        self.drum.power(self.contact)

    def reset(self, cause):
        """The chip resets: every pin is an input again, nothing of the firmware runs any more. Never returns."""
        self.rig.say_reset(cause, self.state())

    # -------------------------------------------------------------- random numbers

    def draw(self, n):
        """A number below n (n < 2**24), the next one of this seed."""
        from hashlib import sha256

        while True:
            self.draws += 1
            h = sha256(b"%d %d" % (self.seed, self.draws)).digest()
            value = h[0] | h[1] << 8 | h[2] << 16 | h[3] << 24
            if value < (1 << 32) // n * n:
                return value % n

    # -------------------------------------------------------------- what the rig does

    def move(self, pin, what):
        """A contact moves now and comes to rest at `what` after it has bounced; an older movement ends here."""
        self.edges = [edge for edge in self.edges if edge[2] != pin]
        heapq.heapify(self.edges)
        for after_us, bounced in bounce(self, self.outside[pin], what):
            self.edge_count += 1
            heapq.heappush(self.edges, (self.now_us + after_us, self.edge_count, pin, bounced))

    def press(self, key, down):
        pin = self.pin_of[key]
        if pin < 0:
            raise ValueError("this board has no key %s" % key)
        if down == (key in self.pressed):
            return
        self.pressed.add(key) if down else self.pressed.discard(key)
        self.move(pin, LOW if down else FLOATING)

    def set_cover(self, is_open):
        if is_open == self.cover_open:
            return
        self.cover_open = is_open
        if not self.cover_wire_broken:
            self.move(self.cover_pin, FLOATING if is_open else LOW)
        if self.cover2_pin >= 0:
            self.move(self.cover2_pin, LOW if is_open else FLOATING)
        self.armature_us = self.now_us + RELAY_US
        if is_open:
            self.drum.uncover()

    def set_cover_wire(self, broken):
        if broken != self.cover_wire_broken:
            self.cover_wire_broken = broken
            self.move(self.cover_pin, FLOATING if broken or self.cover_open else LOW)

    def set_supervisor(self, on):
        if on != self.supervisor:
            self.supervisor = on
            self.move(self.supervisor_pin, LOW if on else FLOATING)

    def set_estop(self, on):
        if on != self.estop:
            self.estop = on
            self.armature_us = self.now_us + RELAY_US
            self.move(self.estop_pin, FLOATING if on else LOW)

    def set_motor(self, fault):
        self.weld = fault == "weld"
        self.drum.set_motor(fault)
        self.armature_us = self.now_us + RELAY_US

    def read(self):
        """What a person beside the table sees and hears."""
        lamp = "on" if self.level_of(LAMP) else "off"
        if self.now_us - self.lamp_us < BLINK_US and self.lamp_us - self.lamp_before_us < BLINK_US:
            lamp = "blink"
        return {
            "relay": self.relay_on(),
            "display": self.display.text(),
            "lamp": lamp,
            "buzzer": bool(self.level_of(BUZZER)),
            "beeps": self.beeps,
            "cover_open": self.cover_open,
            "supervisor_on": self.supervisor,
            "drum_turns": self.drum.turns(),
            "t_ms": self.now_us // 1000,
        }

    def level_of(self, role):
        return self.level(self.role.index(role)) if role in self.role else 0

    def state(self):
        """What goes on when the board loses power or resets."""
        out = self.drum.state()
        out.update(
            {
                "now_us": self.now_us,
                "draws": self.draws,
                "scratch": self.scratch,
                "pressed": sorted(self.pressed),
                "cover_open": self.cover_open,
                "cover_wire_broken": self.cover_wire_broken,
                "supervisor": self.supervisor,
                "estop": self.estop,
                "weld": self.weld,
                "contact": self.contact,
            }
        )
        return out
