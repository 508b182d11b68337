"""What the bench works on: a simulated, an emulated or a real board, its line and its rig, behind one shape.

Nothing beyond this file knows which one it is. All time is the rig's: it passes in rig.step() and nowhere else.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from host_tools.bench.trace import COIL, Edge, pin_names
from host_tools.boards import Board, load_board
from host_tools.errors import UserError
from host_tools.link.port import LinkLost, Port
from host_tools.rig import CallRig, Rig, Seen
from host_tools.sim.board import COIL_SIGNAL, EDGES, FIRMWARE, SimBoard, new_dev

SLICE_MS = 20  # the line is read so often
AWAY_S = 10.0  # a USB port that left comes back within this, or the bench ends
LOOK_S = 0.2
# A pseudo terminal's bytes go through a worker of the kernel.
SETTLE_S, CATCH_UP_S = 0.002, 0.5


class Line(Protocol):
    """The host's end of a board's serial line."""

    drops: int
    """How often the port went away."""

    def read(self) -> bytes:
        """What has come, without waiting. Raises UserError when the port is gone for good."""
        ...

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


@dataclass
class Target:
    """An open board. edges(): all edges of its pins so far, None where nobody can see them. slow: whether tests that
    take long are played. facts: what a report says of it."""

    kind: str
    board: Board
    rig: PumpedRig
    line: Line
    edges: Callable[[], list[Edge]] | None
    slow: bool
    facts: dict[str, str]
    opened: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        """Give everything back. A second call does nothing."""
        self.opened.close()


class PumpedRig(CallRig):
    """A rig that reads the line while it lets time pass. t_ms: the rig's time at the end of the last step;
    presses: how often each key was pressed. settle_s: real time that the bytes of a board on virtual time may still be
    on their way when its step is over; waited for after steps of several slices, in catch_up() for as long as it takes.
    """

    def __init__(self, rig: Rig, settle_s: float = 0.0):
        super().__init__(self._pass_on, rig.capabilities)
        self._rig, self._settle_s = rig, settle_s
        self.pump: Callable[[], None] = lambda: None
        self.presses: Counter[str] = Counter()
        self.t_ms = 0

    def _pass_on(self, do: str, args: dict[str, Any]) -> Any:
        if do == "step":
            return self._stepped(args["ms"])
        if do == "press":
            self.presses[args["key"]] += 1
        if do == "next_dice":
            return self._rig.next_dice(*args["dice"])
        return getattr(self._rig, do)(*args.values())

    def _stepped(self, ms: int) -> Seen:
        left_ms = ms
        while True:
            part_ms = min(left_ms, SLICE_MS)
            seen = self._rig.step(part_ms)
            self.t_ms = seen["t_ms"]
            self.pump()
            left_ms -= part_ms
            if left_ms <= 0:
                break
        if ms > SLICE_MS:
            self.settle()
        return seen

    def settle(self) -> None:
        """Let what was written on either side arrive."""
        if self._settle_s:
            self.pump()
            time.sleep(self._settle_s)
            self.pump()

    def catch_up(self) -> None:
        """Take what a busy computer has not handed over yet, though the board wrote it in time."""
        if self._settle_s:
            time.sleep(CATCH_UP_S)
            self.pump()


class PortLine:
    """A serial port that may go away, as it does when its board resets, and comes back within AWAY_S."""

    def __init__(self, port: Port, again: Callable[[], Port | None]):
        self.drops = 0
        self._port: Port | None = port
        self._again = again

    def read(self) -> bytes:
        port = self._there()
        try:
            return port.read() if port is not None and port.waiting() else b""
        except LinkLost:
            self._lost()
            return b""

    def write(self, data: bytes) -> None:
        """What is written while the port is away is lost, as on a cable that was pulled."""
        port = self._there()
        try:
            if data and port is not None:
                port.write(data)
        except LinkLost:
            self._lost()

    def close(self) -> None:
        if self._port is not None:
            self._port.close()

    def _lost(self) -> None:
        self.drops += 1
        self.close()
        self._port = None

    def _there(self) -> Port | None:
        """The port. Waits for one that is away. Raises UserError when it does not come back."""
        until_s = time.monotonic() + AWAY_S
        while self._port is None:
            self._port = self._again()
            if self._port is None:
                if time.monotonic() > until_s:
                    raise UserError(f"The board's port did not come back within {AWAY_S:g} s: check cable and board.")
                time.sleep(LOOK_S)
        return self._port


class EmuLine:
    """The line of an emulated board, whose time stands still meanwhile."""

    drops = 0

    def __init__(self, read: Callable[[], bytes], send: Callable[[bytes], None]):
        self._read, self._send = read, send

    def read(self) -> bytes:
        return self._read()

    def write(self, data: bytes) -> None:
        self._send(data)

    def close(self) -> None:
        """Nothing: it is part of its board."""


def open_sim(board_name: str, seed: int, firmware: Path = FIRMWARE, trace: bool = True) -> Target:
    """A simulated board on virtual time with an empty flash. firmware: folder with boot.py and main.py. trace: note
    its edges. Raises UserError."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="tumbler-bench-")))
        dev = new_dev()
        sim = opened.enter_context(
            SimBoard(folder, board_name, seed=seed, clock="virtual", dev=dev, firmware=firmware, trace=trace)
        )
        line = PortLine(Port(sim.serial_path), lambda: None)
        opened.callback(line.close)
        board = load_board(board_name)
        edges = _SimEdges(folder / EDGES, board).edges if trace else None
        facts = {"target": "sim", "seed": str(seed), "rig": "model"}
        rig = PumpedRig(CallRig(sim.call), SETTLE_S)
        return Target("sim", board, rig, line, edges, True, facts, opened.pop_all())


class _SimEdges:
    """Reads the file of edges that a simulated board writes."""

    def __init__(self, path: Path, board: Board):
        self._path = path
        self._names = pin_names(board) | {COIL_SIGNAL: COIL}
        self._edges: list[Edge] = []
        self._high: set[str] = set()
        self._read = 0

    def edges(self) -> list[Edge]:
        with self._path.open("rb") as file:
            file.seek(self._read)
            lines = file.readlines()
        for line in lines:
            self._read += len(line)
            us, signal, *level = line.split()
            if signal == b"reset":  # each of its pins is low until an edge says otherwise
                self._edges += [Edge(int(us), name, 0) for name in sorted(self._high)]
                self._high.clear()
            elif int(signal) in self._names:
                self._take(Edge(int(us), self._names[int(signal)], int(level[0])))
        return self._edges

    def _take(self, edge: Edge) -> None:
        self._edges.append(edge)
        (self._high.add if edge.level else self._high.discard)(edge.what)


def open_emu(board_name: str, seed: int, uf2: str, files: dict[str, bytes] | None = None) -> Target:
    """An emulated board; uf2: path of MicroPython's UF2, "" for that of TUMBLER_UF2 or the cache; files: what its
    flash holds instead of the firmware built for it. Raises UserError."""
    try:
        from host_tools.bench.emulated import EmuEdges
        from host_tools.emu.board import EmuBoard
        from host_tools.emu.micropython import find_uf2
    except ModuleNotFoundError as missing:
        raise UserError(f"The emulator is not installed ({missing}): run make setup.") from None
    emu = EmuBoard(board_name, uf2=find_uf2(uf2), dev=new_dev("emu"), seed=seed, files=files)
    facts = {"target": "emu", "seed": str(seed), "rig": "model"}
    line = EmuLine(emu.usb.read, emu.usb.send)
    return Target("emu", emu.board, PumpedRig(CallRig(emu.call)), line, EmuEdges(emu).edges, False, facts)
