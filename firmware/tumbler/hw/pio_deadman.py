"""The relay's dead-man as a PIO program: it, not Python, holds the relay on, and only while all is well.

The first word it is given is the longest on-time, each further word a feed; both count passes of its loop. The cover
open, a feed that did not come or the time up end in `dead`, which nothing leaves but a new start of the state machine.
"""

# ruff: noqa: F403, F405
from rp2 import PIO, asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import *

FREQ_HZ = 1_000_000
PASS_US = 6  # each pass takes 6 cycles, whatever the cover's wire does: a spike must not stretch the two times
WORDS = 4  # depth of the FIFO that takes the words
DEAD = 11  # where in the program `dead` stands


def passes(ms: int) -> int:
    """The word that stands for a time."""
    return ms * 1000 // PASS_US


def program(on_level: int, pulse: bool):
    """The dead-man for a relay that is on at `on_level` (1 or 0), or, with `pulse`, for as long as its pin makes a
    square wave of PASS_US: 16 instructions, side-set pin = relay, jmp pin = cover.

    The cover is looked at once in a pass, and the shift counter of OSR counts the looks in a row that found it open:
    PULL and MOV set it to 0, OUT adds to it, JMP !OSRE asks for 32 (RP2040 datasheet 3.4).

    The variants differ in the pin's levels alone. The pad's output inverter would save the active-low one, but
    MicroPython clears the inverter whenever it assigns a pin, and the relay would be on until it is set again.
    """

    # The assembler hides the module's names from the function, so the levels come in as its default values.
    @asm_pio(sideset_init=PIO.OUT_LOW if on_level else PIO.OUT_HIGH)
    def dead_man(off=1 - on_level, first=on_level, second=1 - on_level if pulse else on_level):
        pull(block).side(off)
        mov(y, osr).side(off)
        pull(block).side(off)
        mov(x, osr).side(off)
        jmp(pin, "dead").side(off)
        label("run")
        jmp(pin, "open").side(first)
        pull(noblock).side(first)  # no feed waiting: x comes back as it was
        mov(x, osr).side(first)
        jmp("count").side(second)
        label("open")
        out(null, 11).side(first)[1]  # the third look in a row that finds the cover open has shifted all 32 bits out
        jmp(not_osre, "count").side(second)
        label("dead")
        jmp("dead").side(off)
        label("count")
        jmp(x_dec, "total").side(second)
        jmp("dead").side(second)
        label("total")
        jmp(y_dec, "run").side(second)
        jmp("dead").side(second)

    return dead_man
