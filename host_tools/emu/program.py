"""A program for measuring on an emulated board: what it prints, and relay and wires at their exact times."""

import re
from collections.abc import Sequence

from host_tools.emu.board import EmuBoard
from host_tools.rig import CallRig
from host_tools.sim.shims.drum import FLOATING, LOW

LOOK_MS = 2


class Program:
    """A board whose console is read. text: all that it said."""

    def __init__(self, board: EmuBoard):
        self.board, self.rig = board, CallRig(board.call)
        self.text = ""
        board.after_step = self.hear

    def hear(self) -> None:
        self.text += self.board.usb.read().decode(errors="replace")

    def until(self, word: str, limit_ms: float, times: int = 1) -> str:
        """Let time pass until `word` was said so often -> the line with it. Raises TimeoutError after limit_ms."""
        end = self.board.clock.nanos + limit_ms * 1e6
        while True:
            lines = re.findall(rf"\b{word}\b[^\r\n]*(?=\r?\n)", self.text)
            if len(lines) >= times:
                return lines[times - 1]
            if self.board.clock.nanos >= end:
                raise TimeoutError(f"{word!r} did not come {times} times within {limit_ms} ms: {self.text}")
            self.board.step(LOOK_MS)

    def relay_edges(self) -> list[tuple[float, bool]]:
        """(us, on) at each change of what the relay's pin does to the coil."""
        return [(nanos / 1000, on) for nanos, on in self.board.world.relay_edges]

    def now_us(self) -> float:
        return self.board.clock.nanos / 1000

    def open_cover_in(self, us: float) -> float:
        """The cover's contact opens in `us`, without bounce -> when, in us."""
        self.board.at(us, lambda: self.board.world.set_outside(self.board.board.pins.cover, FLOATING))
        return self.now_us() + us

    def spikes_on_cover(self, first_us: float, high_us: float, low_us: float, end_us: float) -> None:
        """The cover's wire is high for high_us and low for low_us, again and again, from first_us to end_us on."""
        end = self.now_us() + end_us
        pin = self.board.board.pins.cover

        def spike() -> None:
            if self.now_us() < end:
                self.board.world.set_outside(pin, FLOATING)
                self.board.at(high_us, self.shut_cover)
                self.board.at(high_us + low_us, spike)

        self.board.at(first_us, spike)

    def shut_cover(self) -> None:
        self.board.world.set_outside(self.board.board.pins.cover, LOW)

    def play(self, pin: int, edges: Sequence[tuple[float, int]]) -> None:
        """The world drives a pin LOW or HIGH (0, 1) at each (us from now, level), in the order of time."""
        start_us = self.now_us()
        left = iter(edges)
        due = next(left, None)

        def change() -> None:
            nonlocal due
            while due is not None and start_us + due[0] <= self.now_us():
                self.board.world.set_outside(pin, due[1])
                due = next(left, None)
            if due is not None:
                self.board.at(start_us + due[0] - self.now_us(), change)

        self.board.at(0, change)

    def pulse(self, count: int, first_us: float, half_us: float) -> None:
        """`count` pulses at the sensor, low for half_us and high for as long, from first_us on."""
        pin = self.board.board.pins.sensor
        for i in range(count):
            at_us = first_us + 2 * half_us * i
            self.board.at(at_us, lambda: self.board.world.set_outside(pin, LOW))
            self.board.at(at_us + half_us, lambda: self.board.world.set_outside(pin, 1))
