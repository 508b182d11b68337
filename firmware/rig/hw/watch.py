"""Watches eight neighbouring pins: each change with its microsecond, by a state machine and DMA, whatever Python does.

A word has the eight levels in its top bits and below them the microsecond, counted down from 0 at the start.
"""

# ruff: noqa: F403, F405
import time
from array import array
from binascii import b2a_base64

import rp2
import uctypes
from machine import Pin
from rp2 import PIO, asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import *

STATE_MACHINE = 0  # of block 0
DREQ_RX = 4  # RP2040 datasheet 2.5.3.1: of that state machine
PINS = 8
FREQ_HZ = 8_000_000  # eight cycles a look
RING_BITS = 14  # bytes of the ring, as a power of two
RING_WORDS = (1 << RING_BITS) // 4
READ_WORDS = 256  # at most in one answer
TRANSFERS = 0x3FFFFFFF  # more than come in years


@asm_pio(fifo_join=PIO.JOIN_RX, in_shiftdir=PIO.SHIFT_LEFT)
def watch():  # 14 instructions, in base = the first pin; a look takes 1 us, one that finds a change 2
    label("again")
    mov(x, osr)
    jmp(x_dec, "look")
    label("look")
    mov(osr, x)
    mov(isr, null)
    in_(pins, 8)
    mov(x, isr)
    jmp(x_not_y, "changed")
    jmp("again")
    label("changed")
    mov(y, x)
    in_(osr, 24)
    push(noblock)
    mov(x, osr)
    jmp(x_dec, "count")
    label("count")
    mov(osr, x)[3]


class Watch:
    """Starts with the constructor. first_gpio: the lowest of PINS neighbours, all inputs or played by the rig."""

    def __init__(self, first_gpio: int):
        for gpio in range(first_gpio, first_gpio + PINS):
            Pin(gpio, Pin.IN)
        self._ring = self._aligned()
        self._read = 0  # words given out so far
        self._sm = rp2.StateMachine(STATE_MACHINE, watch, freq=FREQ_HZ, in_base=Pin(first_gpio))
        self._dma = rp2.DMA()
        ctrl = self._dma.pack_ctrl(
            size=2, inc_read=False, inc_write=True, ring_size=RING_BITS, ring_sel=True, treq_sel=DREQ_RX
        )
        self._dma.config(read=self._sm, write=self._ring, count=TRANSFERS, ctrl=ctrl, trigger=True)
        self._sm.exec("mov(osr, null)")
        self._sm.exec("set(y, 0)")
        self._sm.active(1)
        self._start_us = time.ticks_us()

    def _aligned(self):
        """A ring of RING_WORDS within an array twice as large: DMA wraps at multiples of its size."""
        self._room = array("I", bytes(2 << RING_BITS))
        at = uctypes.addressof(self._room)
        skip = -at & ((1 << RING_BITS) - 1)
        return memoryview(self._room)[skip // 4 : skip // 4 + RING_WORDS]

    def read(self) -> dict:
        """t_us: now, since the start (wraps at 2**30). words: the next changes, as base64; more: there are more; lost:
        so many were overwritten before anybody asked."""
        written = TRANSFERS - self._dma.count  # pyright: ignore[reportAttributeAccessIssue]
        lost = max(0, written - self._read - RING_WORDS)
        self._read += lost
        at = self._read % RING_WORDS
        count = min(READ_WORDS, written - self._read, RING_WORDS - at)
        words = b2a_base64(bytes(self._ring[at : at + count])).decode().strip()
        self._read += count
        t_us = time.ticks_diff(time.ticks_us(), self._start_us) & 0x3FFFFFFF
        return {"t_us": t_us, "words": words, "more": written > self._read, "lost": lost}
