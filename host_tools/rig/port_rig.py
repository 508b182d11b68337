"""A rig of wires: the second RP2040 at a serial port plays hands and machinery, and is read every half second."""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from base64 import b64decode
from typing import Any

from rig.core.desk import VERSION

from host_tools.bench.trace import Edge
from host_tools.boards import Board
from host_tools.errors import UserError
from host_tools.link.port import LinkLost, Port
from host_tools.rig.rig import CAPABILITIES, CallRig
from host_tools.rig.trace import Trace
from host_tools.rig.wiring import RigTable, table_id

ANSWER_LIMIT_S = 3.0
ALIVE_S = 0.5  # the rig lets go of all lines after 3 s of silence
LOOK_S = 0.005  # between two looks while time passes
RESET_MS = 20  # the terminal's RUN pin is held low so long
CHATTER_LIMIT = 8192  # bytes without an answer among them: this is no rig
FLASH = "put its firmware on with `tumbler rig flash`"


class PortRig(CallRig):
    """The rig at a serial port; close it, or use it as a context manager: then every line is let go.

    rig: its table of wires, board: the terminal that they go to. trace: what was seen, with the relay's record. Raises
    UserError when no rig answers there, when it has another version or table, and later when it is unplugged.
    Its dice are invented: no rig can see dice.
    """

    def __init__(self, port: str, rig: RigTable, board: Board):
        self._name = port
        self._lock = threading.RLock()
        self._count = 0
        self._received = b""
        self._failure: UserError | None = None
        self._cover_open, self._broken, self._turns, self._supervisor_on = True, False, False, False
        self._was_shut = False  # the cover, by this host
        self._turned = True  # since the dice were last seen
        self._dice: tuple[int, int, int] | None = None
        self._next_dice: list[tuple[int, int, int]] = []
        self.trace = Trace(0 if board.relay.active == "low" else 1)
        self._has_cover2 = board.pins.cover2 is not None
        self._has_run = "run" in rig.pins
        lacks = {"stall"} if "power" in rig.pins else {"stall", "power_cut"}
        super().__init__(self._do, CAPABILITIES - lacks)
        self._port = Port(port)
        try:
            self._greet(table_id(rig, board))
        except BaseException:
            self._port.close()
            raise
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._stay_alive, name="rig", daemon=True)
        self._thread.start()

    def __enter__(self) -> PortRig:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Let every line go and give the port back; a rig that is gone does that by itself. A second call does
        nothing."""
        if not self._stopped.is_set():
            with contextlib.suppress(UserError):
                self.ask("let_go")
            self._stopped.set()
            self._thread.join()
            self._port.close()

    # ------------------------------------------------------------ the line

    def _greet(self, table: str) -> None:
        self._write(b"\n")  # ends whatever an earlier host left behind
        self.ask("let_go")  # and lets go what it pulled: it may have been killed a moment ago
        said = self.ask("hello")
        hello = said if isinstance(said, dict) else {}
        if hello.get("version") != VERSION:
            raise UserError(f"The rig at {self._name} has version {hello.get('version')}, not {VERSION}: {FLASH}.")
        if hello.get("table") != table:
            raise UserError(
                f"The rig at {self._name} has another firmware, or the table of other wires or another board: {FLASH}."
            )
        self._look()

    def ask(self, do: str, **args: Any) -> Any:
        """One request of the rig's own protocol -> its value. Raises UserError, also with what the rig refuses."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            self._count += 1
            self._write(json.dumps({"id": self._count, "do": do, **args}).encode() + b"\n")
            answer = self._answer(self._count)
        if not answer.get("ok"):
            raise UserError(f"The rig refuses {do}: {answer.get('error')}.")
        return answer.get("value")

    def _write(self, data: bytes) -> None:
        try:
            self._port.write(data)
        except LinkLost as lost:
            raise self._fail(f"The rig is gone ({lost}): plug it in again and start anew.") from None

    def _answer(self, ident: int) -> dict[str, Any]:
        until = time.monotonic() + ANSWER_LIMIT_S
        while time.monotonic() < until and len(self._received) < CHATTER_LIMIT:
            line, end, rest = self._received.partition(b"\n")
            if end:
                self._received = rest
                with contextlib.suppress(ValueError, RecursionError):
                    message = json.loads(line)
                    if isinstance(message, dict) and message.get("id") == ident:
                        return message
                continue
            try:
                self._received += self._port.read()
            except LinkLost as lost:
                raise self._fail(f"The rig is gone ({lost}): plug it in again and start anew.") from None
        raise self._fail(f"No rig answers at {self._name}: check the port, plug it in again, or {FLASH}.")

    def _fail(self, sentence: str) -> UserError:
        self._failure = UserError(sentence)
        return self._failure

    def _stay_alive(self) -> None:
        while not self._stopped.wait(ALIVE_S):
            try:
                self._look()
            except UserError:
                return  # the next call says so

    def _look(self) -> None:
        """Fetch all that the rig has seen."""
        with self._lock:
            more = True
            while more:
                value = self.ask("read")
                try:
                    self.trace.feed(value["t_us"], b64decode(value["words"]), value["lost"])
                    self._turns, more = value["turns"], value["more"]
                except (KeyError, TypeError, ValueError):
                    raise self._fail(f"What answers at {self._name} is no rig of this version: {FLASH}.") from None
            if self._turns:
                self._turned, self._dice = True, None
            elif self._turned and self._cover_open and self._was_shut:
                self._uncover()

    def _uncover(self) -> None:
        self._turned = False
        drawn = (random.randint(1, 6), random.randint(1, 6), random.randint(1, 6))
        self._dice = self._next_dice.pop(0) if self._next_dice else drawn

    # ------------------------------------------------------------ what the bench calls

    def edges(self) -> list[Edge]:
        """All edges so far of what it watches, those of the display left out, to the microsecond."""
        self._look()
        return self.trace.edges

    def reset_terminal(self) -> None:
        """The terminal's RUN pin is held low for RESET_MS. Raises UserError where it is not wired."""
        if not self._has_run:
            raise UserError("The rig has no wire to the terminal's RUN pin: add run to its file, or reset it by hand.")
        self._hold("run", RESET_MS)

    def pulses(self, count: int, period_us: int, low_us: int) -> None:
        """The sensor is low for low_us in each of `count` periods, exact to the microsecond; the drum must be at rest.
        count up to 500, period_us 8 to 1,000,000."""
        self.ask("pulses", count=count, period_us=period_us, low_us=low_us)

    def _pull(self, line: str, low: bool) -> None:
        self.ask("pull", line=line, low=low)

    def _do(self, do: str, args: dict[str, Any]) -> Any:
        if do in ("press", "release"):
            return self._pull(args["key"], do == "press")
        if do in ("sensor", "motor"):
            return self.ask(do, **args)
        if do == "supervisor":
            self._supervisor_on = args["on"]
            return self._pull("supervisor", args["on"])
        if do == "estop":
            return self._pull("estop", not args["on"])
        act = {
            "cover": self._set_cover,
            "cover_wire": self._set_wire,
            "next_dice": lambda dice: self._next_dice.append(tuple(dice)),
            "dice": self._show_dice,
            "read": self._read,
            "step": self._step,
            "power_cut": lambda off_ms: self._hold("power", off_ms),
        }
        return act[do](*args.values())

    def _set_cover(self, is_open: bool) -> None:
        self._cover_open = is_open
        self._was_shut |= not is_open
        self._pull("cover", not is_open and not self._broken)
        if self._has_cover2:
            self._pull("cover2", is_open)
        self._look()

    def _set_wire(self, broken: bool) -> None:
        self._broken = broken
        self._pull("cover", not self._cover_open and not broken)

    def _show_dice(self) -> list[int]:
        self._look()
        if not self._cover_open or self._dice is None:
            raise UserError(
                "The dice are covered, or the drum still turns: open the cover, and read them when they lie."
            )
        return list(self._dice)

    def _read(self) -> Any:
        with self._lock:
            self._look()
            return self.trace.seen(self._cover_open, self._turns, self._supervisor_on)

    def _step(self, ms: int) -> Any:
        seen = self._read()
        end_us = self.trace.now_us + ms * 1000
        while self.trace.now_us < end_us:
            time.sleep(min(LOOK_S, (end_us - self.trace.now_us) / 1e6))
            seen = self._read()
        return seen

    def _hold(self, line: str, ms: int) -> None:
        self._pull(line, True)
        try:
            self._step(ms)
        finally:
            self._pull(line, False)
