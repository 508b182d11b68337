"""The relay's dead-man as a PIO program: it, not Python, holds the relay on, and only while all is well.

The first word it is given is the longest on-time, each further word a feed; both count passes of its loop. The cover
open, a feed that did not come or the time up end in `dead`, which nothing leaves but a new start of the state machine.
"""

# ruff: noqa: F403, F405
from rp2 import PIO, asm_pio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import *

FREQ_HZ = 2_000_000
PASSES_PER_MS = 400  # a pass with the cover shut takes 5 cycles, 2.5 us
WORDS = 4  # depth of the FIFO that takes the words


def program(on_level: int):
    """The dead-man for a relay that is on at `on_level` (1 or 0): 18 instructions, set pin = relay, jmp pin = cover.

    An active-low relay gets its own program with the two levels exchanged. The pad's output inverter would save it,
    but MicroPython clears the inverter whenever it assigns a pin, and the relay would be on until it is set again.
    """

    # The assembler hides the module's names from the function, so the levels come in as its default values.
    @asm_pio(set_init=PIO.OUT_LOW if on_level else PIO.OUT_HIGH)
    def dead_man(on=on_level, off=1 - on_level):
        set(pins, off)
        pull(block)
        mov(y, osr)
        pull(block)
        mov(x, osr)
        jmp(pin, "trip")
        set(pins, on)
        label("run")
        jmp(pin, "open")
        label("ok")
        pull(noblock)  # no feed waiting: x comes back as it was
        mov(x, osr)
        jmp(x_dec, "total")
        jmp("trip")
        label("total")
        jmp(y_dec, "run")
        label("trip")
        set(pins, off)
        label("dead")
        jmp("dead")
        label("open")
        nop()[31]  # 16 us: a shorter high is a spike, not the cover
        jmp(pin, "trip")
        jmp("ok")

    return dead_man
