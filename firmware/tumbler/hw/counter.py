"""Spin counter: pulses of the spin sensor, counted and filtered by PIO, read without memory being taken."""

import time

import rp2
from machine import Pin

from tumbler.core import ticks
from tumbler.hw import pio_block, pio_counter

PULLS = {"up": Pin.PULL_UP, "down": Pin.PULL_DOWN, "none": None}

# RP2040 datasheet 3.4: injected between two instructions of the program; text would be assembled at each use
MOV_ISR_NOT_X = 0xA0C9  # x counts down, its complement up
IN_NULL_2 = 0x4062  # shift the two top bits out: a number from 2**30 on would take memory on a board
PUSH_NOBLOCK = 0x8000


class Counter:
    """Counts pulses from its construction on, each at the sensor's rising edge: at its end where SENSOR_ACTIVE is 0."""

    def __init__(self, board):
        """board: the module tumbler_board. Blocks for two filter times (at most 21 ms), until the level is known."""
        sensor = Pin(board.PIN_SENSOR, Pin.IN, PULLS[board.SENSOR_PULL])
        freq_hz = pio_counter.FILTER_CYCLES * 1_000_000 // board.SENSOR_T_F_US
        self._sm = pio_block.state_machine(pio_block.SPIN_COUNTER)
        self._sm.init(pio_counter.spin_counter, freq=freq_hz, jmp_pin=sensor, in_shiftdir=rp2.PIO.SHIFT_LEFT)
        self._sm.active(1)
        # The program begins as if the level had been low, and x as it was left: begin to count after the first edge.
        time.sleep_ms(1 + 2 * board.SENSOR_T_F_US // 1000)
        self._zero = 0
        self._count = 0
        self._zero = self.read()

    def read(self) -> int:
        """Pulses since construction, wrapping at 2**30. Takes no memory and never waits."""
        sm = self._sm
        sm.exec(MOV_ISR_NOT_X)
        sm.exec(IN_NULL_2)
        sm.exec(PUSH_NOBLOCK)
        # get() waits for ever on an empty FIFO; a counter that stands still is a stall to the spin's supervision.
        if sm.rx_fifo():
            self._count = (sm.get(None, 2) - self._zero) & ticks.MASK
        return self._count
