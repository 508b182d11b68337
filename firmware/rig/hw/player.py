"""Plays the spin sensor: an open-drain output whose changes a state machine times, to the microsecond."""

# ruff: noqa: F403, F405
from array import array

import rp2
from machine import Pin
from rp2 import PIO, asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import *

STATE_MACHINE = 1  # of block 0
DREQ_TX = 1  # RP2040 datasheet 2.5.3.1: of that state machine
FREQ_HZ = 1_000_000
OVERHEAD_US = 3  # OUT, OUT and the last JMP; so also the shortest time that can be played


@asm_pio(out_init=PIO.IN_LOW, out_shiftdir=PIO.SHIFT_RIGHT, autopull=True, pull_thresh=32)
def play():  # 3 instructions, out pin = sensor
    wrap_target()
    out(pindirs, 1)  # 1: pull low. It stays so while nothing comes
    out(x, 31)
    label("wait")
    jmp(x_dec, "wait")
    wrap()


class Player:
    """Words go to the state machine by DMA, so that Python's pauses do not touch their times."""

    def __init__(self, gpio: int):
        self._pin = gpio
        self._dma = rp2.DMA()
        self._sm = None
        self._words = array("I")  # what DMA reads must stay

    def start(self) -> None:
        """Take the pin over; it is let go until something is played."""
        self._sm = rp2.StateMachine(STATE_MACHINE, play, freq=FREQ_HZ, out_base=Pin(self._pin, Pin.IN))
        self._sm.active(1)

    def stop(self) -> None:
        """End at once and let the pin go."""
        self._dma.active(0)
        if self._sm is not None:
            self._sm.active(0)
            self._sm = None
        Pin(self._pin, Pin.IN)

    def has_room(self) -> bool:
        """The last words are being played, or none."""
        return self._sm is not None and not self._dma.active() and not self._sm.tx_fifo()

    idle = has_room

    def play(self, pieces) -> None:
        """pieces: (pull low, us) each, at least OVERHEAD_US; only while has_room()."""
        self._send(array("I", [_word(low, us) for low, us in pieces]))

    def pulses(self, count: int, period_us: int, low_us: int) -> None:
        """`count` pulses, each low for low_us and then let go for the rest of period_us."""
        self._send(array("I", [_word(True, low_us), _word(False, period_us - low_us)] * count))

    def _send(self, words):
        self._words = words
        ctrl = self._dma.pack_ctrl(size=2, inc_write=False, treq_sel=DREQ_TX)
        self._dma.config(read=words, write=self._sm, count=len(words), ctrl=ctrl, trigger=True)


def _word(low, us):
    return max(0, us - OVERHEAD_US) << 1 | (1 if low else 0)
