"""What a rig's wires end at: pull-ups, and a script that drives the terminal's outputs; and the rig's line."""

import json
from base64 import b64decode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from host_tools.boards import load_board
from host_tools.emu.board import EmuBoard
from host_tools.rig.firmware import rig_files
from host_tools.rig.trace import Trace
from host_tools.rig.wiring import EARS, load_rig, rig_wires

ANSWER_MS = 200
CLOCK_US = 10  # between two changes of the display's wires; a board takes about as long
BOARD, RIG = load_board("pico"), load_rig("pico")
GPIO = {wire.pin.removeprefix("key"): wire.rig_gpio for wire in rig_wires(RIG, BOARD)}
OPEN_DRAIN = [name for name in GPIO if name not in EARS]


class Peer:
    """A rig of its own firmware, and what it is wired to. trace: what the rig has seen. driven: (us, line, low) at each
    change of what the rig does to a line; highs: lines that it drove high."""

    def __init__(self, emulated: Callable[[EmuBoard], EmuBoard], uf2: Path, files: Mapping[str, bytes] | None = None):
        self.board = emulated(EmuBoard(BOARD, uf2=uf2, files=rig_files(RIG, BOARD) | (files or {})))
        self.gpio = self.board.device.mcu.gpio
        self.trace = Trace(relay_on_level=1)
        self.driven: list[tuple[float, str, bool]] = []
        self.highs: list[str] = []
        self.said = b""
        self._count = 0
        self.board.after_step = self._hear
        for name in OPEN_DRAIN:
            self.gpio[GPIO[name]].add_listener(lambda new, _old, name=name: self._note(name, new.name))
            self._pull_up(name)

    def _pull_up(self, name: str) -> None:
        """The terminal's resistor holds a line that nobody pulls low."""
        self.gpio[GPIO[name]].set_input_value(True)

    def _note(self, name: str, state: str) -> None:
        if state == "HIGH":
            self.highs.append(name)
        elif state != "LOW":
            self._pull_up(name)
        self.driven.append((self.board.pio_time.nanos() / 1000, name, state == "LOW"))

    def _hear(self) -> None:
        self.said += self.board.usb.read()

    def low(self, name: str) -> bool:
        """The rig pulls the line."""
        pad = self.gpio[GPIO[name]]
        return pad.output_enable and not pad.output_value

    def pulled(self) -> list[str]:
        return [name for name in OPEN_DRAIN if self.low(name)]

    def line(self, data: bytes) -> dict[str, Any]:
        """Send bytes -> the next answer."""
        self.said = b""
        self.board.usb.send(data)
        end = self.board.clock.nanos + ANSWER_MS * 1e6
        while b"\n" not in self.said:
            self.board.step(1)
            if self.board.clock.nanos > end:
                raise TimeoutError(f"The rig did not answer: {self.said!r}")
        return json.loads(self.said)

    def ask(self, do: str, **args: Any) -> Any:
        self._count += 1
        answer = self.line(json.dumps({"id": self._count, "do": do, **args}).encode() + b"\n")
        assert answer["id"] == self._count
        assert answer["ok"], answer
        return answer["value"]

    def look(self) -> None:
        """Read all that the rig has seen into `trace`."""
        more = True
        while more:
            value = self.ask("read")
            self.trace.feed(value["t_us"], b64decode(value["words"]), value["lost"])
            more = value["more"]

    def drive(self, name: str, edges: list[tuple[float, int]]) -> None:
        """The peer drives a wire to each level at its us from now."""
        for us, level in edges:
            self.board.at(us, lambda level=level: self.board.world.set_outside(GPIO[name], level))

    def show(self, segments: bytes) -> float:
        """The peer clocks four digits into the display's wires, as the terminal does (TM1637 datasheet: write with
        rising addresses, first address, digits, on with brightness 3) -> how many us that takes."""
        frame = bytes((0x40, 0xC0, *segments, 0x8B))
        wires: list[tuple[str, int]] = [("display_clk", 1), ("display_dio", 1)]
        for i, byte in enumerate(frame):
            wires += [("display_dio", 0)] * (i in (0, 1, 6))
            for bit in range(8):
                wires += [("display_clk", 0), ("display_dio", byte >> bit & 1), ("display_clk", 1)]
            wires += [("display_clk", 0), ("display_dio", 1), ("display_clk", 1), ("display_clk", 0)]
            if i in (0, 5, 6):
                wires += [("display_dio", 0), ("display_clk", 1), ("display_dio", 1)]
        for place, (name, level) in enumerate(wires):
            self.drive(name, [(place * CLOCK_US, level)])
        return len(wires) * CLOCK_US
