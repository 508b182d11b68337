"""The spin counter as a PIO program: it counts rising edges of the sensor through a filter, whatever Python does.

A level counts once 32 samples in a row showed it, five cycles apart; x counts down with each high that was so found.
"""

# ruff: noqa: F403, F405
from rp2 import asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import *

FILTER_CYCLES = 160  # 32 samples x 5 cycles


@asm_pio()
def spin_counter():  # 8 instructions, jmp pin = sensor
    wrap_target()
    label("low")
    set(y, 31)
    label("low_sample")
    jmp(pin, "rising")
    jmp("low")
    label("rising")
    jmp(y_dec, "low_sample")[3]
    jmp(x_dec, "high")
    label("high")
    set(y, 31)
    label("high_sample")
    jmp(pin, "high")
    jmp(y_dec, "high_sample")[3]
    wrap()
