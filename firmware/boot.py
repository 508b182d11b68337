"""Runs first at every start, before USB is up, and leaves at once: the motor relay off, whatever came before.

A soft reset (Ctrl-D, a tool's upload) leaves pins as they were, so the relay could still be on here. Every ms counts:
only what is built in is loaded, and the board's settings are filled in when the file is put onto a board.
"""

from machine import Pin

PIN_RELAY = -1  # filled in from boards/NAME.toml
RELAY_ON_LEVEL = -1  # filled in from boards/NAME.toml

Pin(PIN_RELAY, Pin.OUT, value=1 - RELAY_ON_LEVEL)
