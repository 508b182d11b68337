"""Runs first at every start, before USB is up, and leaves at once: the motor relay off, whatever came before.

A soft reset (Ctrl-D, a tool's upload) leaves pins as they were, so the relay could still be on here.
"""

import tumbler_board  # pyright: ignore[reportMissingImports]  # made from boards/NAME.toml
from machine import Pin

Pin(tumbler_board.PIN_RELAY, Pin.OUT, value=1 - tumbler_board.RELAY_ON_LEVEL)
