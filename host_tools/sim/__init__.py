"""Target `sim`: the firmware, unchanged, on MicroPython's unix port, in a model of the world. NOT FOR PLAY.

Modelled, each event at its microsecond: pins and pulls, bouncing contacts, motor, drum and sensor and their faults, the
relay and what is wired into its coil circuit, the two PIO programs at their interface, display, lamp, buzzer, watchdog,
resets and power cuts. Not modelled: the time that code and flash take (the firmware computes in no time), USB (the line
is a pty, which keeps some 20 kB while nobody reads), PIO instructions, a power cut within a flash operation, and the
watchdog's bite on code that loops without looking at the clock; those belong to the emulator and the board.
"""

from host_tools.sim.board import SimBoard, SimError
from host_tools.sim.dealer import Dealer

__all__ = ["Dealer", "SimBoard", "SimError"]
