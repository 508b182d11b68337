"""The PIO block that the relay's dead-man and the spin counter share: which state machine is whose, and a clean start.

A soft reset may leave state machines running and programs loaded. Both are cleared once, before the first one is used.
"""

import rp2
from machine import mem32

BLOCK = 0  # a Pico W's wireless driver prefers block 1
DEAD_MAN = 0
SPIN_COUNTER = 1

# RP2040 datasheet 3.7: SMn_ADDR of PIO0, where state machine n is in the block's 32 instructions. Both stand here, as
# computing a number above 2**30 takes memory.
ADDR = (0x502000D4, 0x502000EC)

_clean = False  # false again after a soft reset, as the module is then imported anew


def state_machine(number: int):
    """State machine DEAD_MAN or SPIN_COUNTER of the block, for init(). Nothing of an earlier start is left in it."""
    global _clean
    if not _clean:
        _clean = True
        for used in (DEAD_MAN, SPIN_COUNTER):
            rp2.StateMachine(4 * BLOCK + used).active(0)
        rp2.PIO(BLOCK).remove_program()
    return rp2.StateMachine(4 * BLOCK + number)


def address(number: int) -> int:
    """The instruction of the block, 0 to 31, that state machine `number` is at. Takes no memory."""
    return mem32[ADDR[number]]
