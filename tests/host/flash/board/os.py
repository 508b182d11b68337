"""MicroPython's os, but that of the board which the stand-in plays."""

from uos import *  # noqa: F403

played = ("rp2", "rp2", "1.25.0", "v1.25.0", "Raspberry Pi Pico with RP2040")


def uname():
    return played
