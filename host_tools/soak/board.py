"""A board around the firmware's own core: power, inputs, relay with its dead-man, drum, flash and the serial pump."""

from collections.abc import Callable
from random import Random

from tumbler.core import events as E
from tumbler.core import ticks
from tumbler.core.terminal import Terminal

from host_tools.keys import TEST_KEY
from host_tools.soak.flash import Flash, PowerOff
from host_tools.soak.safety import Safety
from host_tools.soak.wire import Wire
from host_tools.soak.world import Steps, World

COVER = E.COVER_OPEN | E.COVER2_OPEN
FEED_MS, POLL_MS, IDLE_MS = (8, 45), (2, 6), 250  # between ticks: while the motor runs, near an edge, and else


class Settings:
    """As a board file gives them: 1 pulse a spin, 3 spins, 1 to 50 Hz, two cover contacts."""

    PIN_COVER2 = 20
    PULSES_PER_SPIN, SPINS_REQUIRED, MIN_HZ, MAX_HZ = 1, 3, 1, 50
    FIRST_PULSE_MS, RELAY_MAX_ON_MS, MIN_COAST_MS, MAX_COAST_MS = 1500, 15000, 1500, 8000
    UNCOVER_LIMIT_S = 120


class Identity:
    """As hw/identity.py, kept in what no power cut takes."""

    k, fw, mpy, board, mode = TEST_KEY, "0123456789abcdef", "1.28.0", "pico", "production"

    def __init__(self) -> None:
        self.dev, self.boot, self.born = "sim-0000000050a4-0001", 0, False
        self.replaces: str | None = None

    def mark_born(self) -> None:
        self.born = True

    def new_dev(self) -> None:
        if self.born or not self.replaces:
            self.replaces = self.dev
        self.dev = f"{self.dev[:-4]}{int(self.dev[-4:]) + 1:04d}"
        self.born, self.boot = False, 0


class Relay:
    """The dead-man at its interface: trips on an open cover, 80 ms without a feed and its longest time, and latches."""

    def __init__(self, board: "Board") -> None:
        self._board = board
        self._armed = self._tripped = False
        self._on_ms = self._fed_ms = 0

    def on(self) -> None:
        self._armed, self._tripped = True, False
        self._on_ms = self._fed_ms = self._board.now_ms()
        self._board.motor_starts()

    def off(self) -> None:
        self._armed = False

    def feed(self) -> None:
        self.is_on()
        self._fed_ms = self._board.now_ms()

    def is_on(self) -> bool:
        now_ms = self._board.now_ms()
        unfed = now_ms - self._fed_ms > 80 or now_ms - self._on_ms > Settings.RELAY_MAX_ON_MS
        self._tripped |= unfed or bool(self._board.mask & E.COVER_OPEN)
        return self._armed and not self._tripped


class Panel:
    """Display, lamp and buzzer."""

    text, lit = "", 0

    def show(self, text: str) -> None:
        self.text = text

    def lamp(self, mode: int) -> None:
        self.lit = mode

    def beep(self, kind: int) -> None:
        pass

    def tick(self, now_ms: int) -> None:
        pass


class Rooms:
    """What the terminal acts on, and its uptime."""

    def __init__(self, board: "Board", base_ms: int) -> None:
        self.relay = Relay(board)
        self.display = self.signals = board.panel
        self.clock = self
        self._board, self._zero_ms = board, board.now_ms() - base_ms

    def t(self) -> str:
        return str(self._board.now_ms() - self._zero_ms)

    def collect(self) -> None:
        pass

    def maintenance(self) -> None:
        raise AssertionError("nobody asks for maintenance here")


class Board:
    """The terminal with its inputs. set() and spike() move inputs; power_off(), power_on(), stall() and the drum's
    faults are what befalls it."""

    def __init__(self, world: World, safety: Safety, base_ms: int = 0) -> None:
        """base_ms: the tick counter at the first start."""
        self._world, self._safety, self._base_ms = world, safety, base_ms
        self._chance: Random = world.chance("board")
        self.flash = Flash(world, safety)
        self.identity = Identity()
        self.wire = Wire(world, self._hear)
        self.panel = Panel()
        self.mask = 0
        self.terminal: Terminal | None = None
        self.boots = 0
        self.drum_stuck = self.drum_wild = False
        self._count = 0
        self._turning = 0  # number of the drum's run
        self._started_ms = self._offset_ms = 0
        self._busy_ms = 0  # no tick before
        self._close_ms = 0  # ticks lie close together until then
        self._tick_ms = -1  # of the next tick
        self._spiked = 0

    def now_ms(self) -> int:
        return self._world.now_ms

    @property
    def state(self) -> int | None:
        """Index in fields.STATES; None without power."""
        return None if self.terminal is None else self.terminal.round.state

    # ------------------------------------------------------------ power

    def power_on(self, cause: str = "power") -> None:
        if self.terminal is not None:
            return
        self.boots += 1
        self.identity.boot = 0
        self._safety.started()
        self._offset_ms = (self._base_ms if self.boots == 1 else 0) - self._world.now_ms
        self._busy_ms = 0
        rooms = Rooms(self, self._base_ms if self.boots == 1 else 0)
        self.terminal = Terminal(Settings, self.identity, self.flash.journal(), rooms)
        self._relay = rooms.relay
        self._alive(lambda terminal: terminal.power_on(self._ticks(), cause))
        self.attend(80)

    def power_off(self) -> None:
        if self.terminal is not None:
            self.terminal = None
            self.wire.board_died()

    def restart(self, cause: str, off_ms: int) -> None:
        """Off, and on again."""
        self._world.say(f"board off for {off_ms} ms: {cause}")
        self.power_off()
        self._world.after(off_ms, lambda: self.power_on(cause))

    def _alive(self, do: Callable[[Terminal], object]) -> None:
        """Let the firmware run; a power cut may end it anywhere."""
        assert self.terminal is not None
        try:
            do(self.terminal)
        except PowerOff:
            self.restart("power", self._chance.randint(100, 3000))

    # ------------------------------------------------------------ inputs

    def set(self, bits: int, on: bool) -> None:
        self.mask = self.mask | bits if on else self.mask & ~bits
        if self.terminal is not None:
            self._relay.is_on()  # the dead-man sees the cover at once
        self.attend(40)

    def spike(self, bits: int) -> None:
        """Inputs turned round for one snapshot."""
        self._spiked = bits
        # The dead-man takes some of what no snapshot shows for an open cover: the contact was open long enough for it.
        if bits & E.COVER_OPEN and self.terminal is not None and self._chance.random() < 0.2:
            self.mask ^= E.COVER_OPEN
            self._relay.is_on()
            self.mask ^= E.COVER_OPEN
        self.attend(6)

    # ------------------------------------------------------------ ticks

    def attend(self, ms: int) -> None:
        """Ticks lie close together for so long, from now on."""
        self._close_ms = max(self._close_ms, self._world.now_ms + ms)
        self._next_tick(1)

    def stall(self, ms: int) -> None:
        """No tick comes for so long."""
        self._busy_ms = max(self._busy_ms, self._world.now_ms + ms)

    def _ticks(self) -> int:
        return (self._world.now_ms + self._offset_ms) & ticks.MASK

    def _next_tick(self, in_ms: int) -> None:
        if self.terminal is None:
            return
        at_ms = max(self._world.now_ms + in_ms, self._busy_ms)
        if self._world.now_ms < self._tick_ms <= at_ms and self._tick_ms >= self._busy_ms:
            return
        self._tick_ms = at_ms
        self._world.after(at_ms - self._world.now_ms, self._tick)

    def _tick(self) -> None:
        now_ms = self._world.now_ms
        if self.terminal is None or self._tick_ms != now_ms:
            return
        if now_ms < self._busy_ms:
            self._tick_ms = -1
            self._next_tick(1)
            return
        self._alive(self._work)
        if self.terminal is not None:
            self._safety.ticked(self)
            self._next_tick(self._pause_ms())

    def _pause_ms(self) -> int:
        terminal = self.terminal
        assert terminal is not None
        if self._world.now_ms < self._close_ms or terminal.motor_due:
            return self._chance.randint(*POLL_MS)
        if terminal.motor:
            return self._chance.randint(*FEED_MS)
        return min(IDLE_MS, self.wire.wait_ms() or IDLE_MS)

    def _work(self, terminal: Terminal) -> None:
        mask, self._spiked = self.mask ^ self._spiked, 0
        now = self._ticks()
        terminal.tick(now, mask, self._count)
        if self.wire.free():
            line = terminal.next_line(now)
            if line is not None:
                self._safety.said(self, line)
                self.wire.send(line)

    def _hear(self, data: bytes) -> None:
        terminal = self.terminal
        if terminal is not None:
            for byte in data:
                terminal.link.receive(byte)
            self.attend(3 * data.count(b"\n"))

    # ------------------------------------------------------------ the drum

    def motor_starts(self) -> None:
        self._turning += 1
        self._world.start(self._turn(self._turning))

    def relay_on(self) -> bool:
        return self.terminal is not None and self._relay.is_on()

    def nudge(self) -> None:
        """The drum moves by itself."""
        self._count += 1

    def _turn(self, run: int) -> Steps:
        """Pulses while the relay is on, and fewer and fewer afterwards."""
        if self.drum_stuck:
            return
        yield self._chance.randint(100, 500)
        gap_ms = self._chance.randint(120, 300)
        while self._turning == run and gap_ms < 480:
            self._count += 60 if self.drum_wild else 1
            if not self.relay_on():
                gap_ms += self._chance.randint(60, 200)
            yield gap_ms
