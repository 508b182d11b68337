"""The relay's pin from power-on on, each change of it, with the application: on in a spin and at no other moment."""

import dataclasses

import pytest

from host_tools.boards import load_board
from host_tools.emu.board import EmuBoard
from host_tools.emu.program import Program
from tests.emu.test_relay import relay_board

START_MS = 3000  # the application speaks by then
# The application, and in it a line that leaves it when the test wishes; nothing turns the relay off on the way.
MAIN = """
import machine
from machine import mem32
from tumbler import app

WISH = 0x40058014

class Pump(app.Pump):
    def tick(self, now_ms):
        super().tick(now_ms)
        if mem32[WISH]:
            mem32[WISH] = 0
            machine.soft_reset()

app.Pump = Pump
app.main()
"""
SOFT_RESET_MS = 80  # the application's heap is swept and its files are mounted before boot.py runs
WISH = 0x40058014  # a scratch register of the watchdog that the firmware does not use


def slow_sensor(board):
    """The board with a reed switch: its counter runs at a hundredth of the speed and costs the emulator as little."""
    return dataclasses.replace(board, sensor=dataclasses.replace(board.sensor, t_f_us=2000))


class Traced:
    """A board with that main.py, and what its relay did."""

    def __init__(self, program):
        self.program, self.world = program, program.board.world

    def starts(self):
        """A start, until the application speaks: not a single edge on the pin."""
        edges, self.program.text = self.world.relay_pin_edges, ""
        self.program.until("hello", START_MS)
        assert self.world.relay_pin_edges == edges

    def spins(self):
        """SPIN, again and again until a round may begin -> the relay is on, and stays on."""
        rig = self.program.rig
        for _ in range(20):
            rig.press("spin")
            rig.step(40)
            rig.release("spin")
            rig.step(40)
            if self.world.relay_on():
                break
        assert self.ons_and_offs() == [True]

    def soft_resets(self):
        """machine.soft_reset() -> ms until the relay is off, a tick's 2 ms included."""
        since_us = self.program.now_us()
        self.program.board.device.mcu.write_uint32(WISH, 1)
        self.program.board.step(SOFT_RESET_MS + 1)
        assert self.ons_and_offs() == [True, False]
        return (self.program.relay_edges()[-1][0] - since_us) / 1000

    def ons_and_offs(self):
        return [on for _, on in self.world.relay_edges]


@pytest.mark.emu_full
@pytest.mark.parametrize(("drive", "active"), [("level", "high"), ("pulse", "high"), ("level", "low")])
def test_the_relay_is_on_in_a_spin_and_not_for_a_moment_at_any_start(run_program, figure, drive, active):
    traced = Traced(run_program(MAIN, board=slow_sensor(relay_board(drive, active))))
    board = traced.program.board
    traced.starts()
    traced.spins()
    off_ms = traced.soft_resets()
    figure(f"soft reset in a spin, {drive} drive, active {active}: off after", off_ms, "ms", f"{SOFT_RESET_MS} ms")
    assert off_ms <= SOFT_RESET_MS
    traced.starts()
    board.stall(2100)
    assert board.resets == ["watchdog"]
    traced.starts()
    board.reset("run_pin", off_ms=1)
    traced.starts()
    assert traced.ons_and_offs() == [True, False]


@pytest.mark.emu_full
def test_a_square_wave_at_the_sensor_with_the_relay_off_is_a_fault(uf2, emulated):
    pico = slow_sensor(load_board("pico"))
    soon = dataclasses.replace(pico, spin=dataclasses.replace(pico.spin, min_coast_ms=100, max_coast_ms=600))
    board = emulated(EmuBoard(soon, uf2=uf2))
    Program(board).until("hello", START_MS)
    board.step(700)
    assert "F" not in board.world.read()["display"]
    for i in range(20):
        board.at(10_000 * i, lambda level=i % 2: board.world.set_outside(soon.pins.sensor, level))
    board.step(300)
    assert board.world.read()["display"].strip() == "F4"  # motion, docs/ROUND.md
    assert board.world.relay_edges == []
