"""Resets told truthfully: an intent word in the watchdog's scratch says what a deliberate reset was for.

MicroPython itself knows power-on and watchdog only, and resets through the watchdog (micropython issue 19409).
"""

import machine
from machine import mem32

# RP2040 datasheet 4.7.6 (watchdog) and 2.12.8 (CHIP_RESET); scratch 0 to 3 outlive every reset but power-on and RUN
SCRATCH0 = 0x4005800C
REASON = 0x40058008
REASON_TIMER = 1 << 0
CHIP_RESET = 0x40064008
HAD_POR = 1 << 8
HAD_RUN = 1 << 16

# Words no accident leaves there; below 2**30.
COMMANDED = 0x1C03A4D1
MAINTENANCE = 0x2C03A4D2  # commanded, and the application stays out
PANIC = 0x3C03A4D3

_intent = mem32[SCRATCH0]
mem32[SCRATCH0] = 0  # it speaks for one reset only


def cause() -> str:
    """Why the board started: "power", "run_pin", "watchdog", "commanded", "panic", or "unknown" if nothing tells."""
    if machine.reset_cause() != machine.WDT_RESET:
        chip = mem32[CHIP_RESET]
        if chip & HAD_POR:
            return "power"
        return "run_pin" if chip & HAD_RUN else "unknown"
    if _intent == PANIC:
        return "panic"
    if _intent == COMMANDED or _intent == MAINTENANCE:
        return "commanded"
    return "watchdog" if mem32[REASON] & REASON_TIMER else "unknown"


def maintenance_ordered() -> bool:
    """The last reset was an order to stay in maintenance."""
    return _intent == MAINTENANCE and cause() == "commanded"


def declare(intent: int) -> None:
    """Say what the next reset is for. The first word stands: what goes wrong on the way out is not its cause."""
    if not mem32[SCRATCH0]:
        mem32[SCRATCH0] = intent


def restart(intent: int) -> None:
    """Reset the board at once for COMMANDED, MAINTENANCE or PANIC; does not return. Turn the relay off before."""
    declare(intent)
    machine.reset()
