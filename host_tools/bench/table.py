"""Hands at the table: they play a round as fast as the terminal takes it, and say what the terminal did not do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from host_tools.bench.targets import PumpedRig
from host_tools.bench.terminal import Terminal
from host_tools.link.events import Fields

# A contact bounces for up to 25 ms; a press counts 12 ms after that, a release 25 ms (firmware/tumbler/core/keys.py).
HOLD_MS, GAP_MS = 45, 55
SWITCH_MS = 100  # cover, supervisor key and E-stop: bounce, debounce and a few ticks
LOOK_MS = 10
ANSWER_MS = 600  # a record of something that was done, with the board's flash and the line
HELLO_MS = 5000  # power-on, boot, and the first hello that is proved
STATUS_MS = 1300  # a status comes once a second
SPIN_MS = 4000  # until SPIN is taken: the sensor must be quiet, the journal ready
REST_MS = 60_000  # from SPIN to open bets
OFF_MS = 300  # relay off after whatever must turn it off


class DeviceFailed(AssertionError):
    """The board did not do what it must; one sentence."""


class Table:
    """A board's table. rig and terminal are those of one target."""

    def __init__(self, rig: PumpedRig, terminal: Terminal):
        self.rig, self.terminal = rig, terminal

    def wait(self, what: str, ready: Callable[[], bool], limit_ms: int, look_ms: int = LOOK_MS) -> None:
        """Let time pass until ready(). Raises DeviceFailed, with `what` and the display, after limit_ms."""
        end_ms = self.rig.read()["t_ms"] + limit_ms
        while not ready():
            if self.rig.step(look_ms)["t_ms"] < end_ms or ready():
                continue
            self.rig.catch_up()
            if not ready():
                shown = self.rig.read()["display"].strip()
                raise DeviceFailed(f"{what} did not come within {limit_ms} ms; the display shows {shown!r}.")

    def makes(self, kind: str, act: Callable[[], object], limit_ms: int = ANSWER_MS) -> Fields:
        """Do something, and let time pass until the record of that kind that it makes has come -> its fields."""
        before = self.terminal.kinds().count(kind)
        act()
        self.wait(f"A record {kind}", lambda: self.terminal.kinds().count(kind) > before, limit_ms)
        return [record for record in self.terminal.records if record["kind"] == kind][before]

    def tap(self, *keys: str) -> None:
        """Press and release each."""
        for key in keys:
            self.rig.press(key)
            self.rig.step(HOLD_MS)
            self.rig.release(key)
            self.rig.step(GAP_MS)

    def cover(self, is_open: bool) -> None:
        self.rig.cover(is_open)
        self.rig.step(SWITCH_MS)

    def supervisor(self, on: bool) -> None:
        self.rig.supervisor(on)
        self.rig.step(SWITCH_MS)

    def as_supervisor(self, *keys: str) -> None:
        """Turn the key, press these and ENTRY, turn it back."""
        self.supervisor(True)
        self.tap(*keys, "entry")
        self.supervisor(False)

    # ------------------------------------------------------------ a round

    def spin(self) -> None:
        """SPIN, from IDLE, until the relay is on; the record comes once it is off.

        SPIN is refused while the sensor was not quiet for long enough or the journal erases ahead: then again.
        """
        end_ms = self.rig.read()["t_ms"] + SPIN_MS
        while not self._press_spin():
            if self.rig.read()["t_ms"] >= end_ms:
                raise DeviceFailed(f"SPIN was not taken within {SPIN_MS} ms.")
            self.rig.step(GAP_MS)

    def _press_spin(self) -> bool:
        """-> is the relay on?"""
        self.rig.press("spin")
        for _ in range(HOLD_MS // LOOK_MS + 1):
            if self.rig.step(LOOK_MS)["relay"]:
                break
        self.rig.release("spin")
        return self.rig.read()["relay"]

    def open_bets(self) -> Fields:
        """SPIN, until the bets are open -> that record."""
        return self.makes("bets_open", self.spin, REST_MS)

    def close_bets(self) -> Fields:
        """NO MORE BETS -> its record. On a board without that key the host says so."""
        if self.terminal.board.pins.no_more_bets is not None:
            return self.makes("bets_closed", lambda: self.tap("no_more_bets"))
        bets = self.terminal.of("bets_open")[-1]
        order = ("no_more_bets", bets["round"], bets["boot"], bets["seq"], "host:bench")
        return self.makes("bets_closed", lambda: self.terminal.order(*order))

    def uncover(self) -> Fields:
        return self.makes("uncovered", lambda: self.cover(True))

    def enter(self, *dice: int) -> Fields:
        """Three numbers and ENTRY -> the result."""
        return self.makes("result", lambda: self.tap(*map(str, dice), "entry"))

    def finish(self) -> Fields:
        """The cover goes back on -> the meter record that ends the round."""
        return self.makes("meter", lambda: self.cover(False))

    def play(self, dice: Sequence[int]) -> Fields:
        """A whole round -> its result."""
        self.open_bets()
        self.close_bets()
        self.uncover()
        result = self.enter(*dice)
        self.finish()
        return result

    # ------------------------------------------------------------ back to the start

    def home(self) -> None:
        """Bring the table to IDLE with the cover shut, whatever state it is in. Raises DeviceFailed."""
        self.rig.ready()
        self.rig.step(SWITCH_MS)
        for _ in range(6):  # the longest way: a fault in an open round, a wait for rest, and its clearing
            if not self.terminal.state:
                self.wait("A status line", lambda: bool(self.terminal.state), STATUS_MS)
            if self.terminal.state == "IDLE":
                return
            self._step_home(self.terminal.state)
        raise DeviceFailed(f"The terminal does not come back to IDLE: it is in {self.terminal.state}.")

    def _step_home(self, state: str) -> None:
        """One step on the way from `state` to IDLE."""
        if state in ("SPINNING", "COASTING", "BETTING"):
            self.cover(True)
            self.cover(False)
            self.wait("The end of the round", lambda: self.terminal.state != state, ANSWER_MS)
        elif state == "CLOSED":
            self.cover(True)
        elif state == "UNCOVERED":
            self.as_supervisor("6")
        elif state == "RESULT":
            self.cover(False)
            self.wait("The end of the round", lambda: self.terminal.state != state, ANSWER_MS)
        elif state == "FAULT":
            self._clear()
        self.cover(False)

    def _clear(self) -> None:
        """Clear a fault, which is refused until the drum has been at rest for a while."""
        end_ms = self.rig.read()["t_ms"] + REST_MS // 4
        while self.terminal.state == "FAULT":
            if self.rig.read()["t_ms"] > end_ms:
                raise DeviceFailed("The fault does not clear: the supervisor's 1 and ENTRY are refused.")
            self.as_supervisor("1")
            if self.terminal.state == "FAULT":
                self.rig.step(SWITCH_MS * 10)

    def last(self, kind: str) -> Fields:
        """The last of Terminal.of(kind). Raises DeviceFailed if none came."""
        came = self.terminal.of(kind)
        if not came:
            raise DeviceFailed(f"No {kind} came; these records did: {', '.join(self.terminal.kinds()) or 'none'}.")
        return came[-1]

    def must_have_relay_off(self) -> None:
        """Raises DeviceFailed if the relay is on."""
        seen = self.rig.read()
        if seen["relay"]:
            raise DeviceFailed(f"The relay is on where it must be off; the display shows {seen['display']!r}.")

    def relay_off(self) -> bool:
        """Turn the motor off by the cover, and by the E-stop where that did nothing -> is it off?"""
        for stop in (lambda: None, lambda: self.rig.cover(True), lambda: self.rig.estop(True)):
            stop()
            if not self.rig.read()["relay"]:
                return True
            self.rig.step(OFF_MS)
        return not self.rig.read()["relay"]
