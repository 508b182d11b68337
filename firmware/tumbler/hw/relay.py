"""The motor relay behind its PIO dead-man. Only this room and one line of boot.py name the relay's pin.

The dead-man turns the relay off by itself on a missed feed, an open cover or the longest on-time, and stays off until
on() starts it anew.
"""

from machine import Pin

from tumbler.hw import pio_block, pio_deadman

FEED_MS = 80  # a gap between feeds longer than this ends the spin


def force_off(board) -> None:
    """Take the pin from the PIO as a plain output at the off level. Needs nothing but the module tumbler_board."""
    # value= is set before the direction and the pin's function change: no pulse.
    Pin(board.PIN_RELAY, Pin.OUT, value=1 - board.RELAY_ON_LEVEL)


class Relay:
    """The relay of the module tumbler_board (`board`), off after construction."""

    def __init__(self, board):
        force_off(board)
        self._board = board
        self._pin = Pin(board.PIN_RELAY)
        self._cover = Pin(board.PIN_COVER)
        self._on_level = board.RELAY_ON_LEVEL
        self._pulse = board.RELAY_DRIVE == "pulse"
        self._longest = pio_deadman.passes(board.RELAY_MAX_ON_MS)
        self._feed = pio_deadman.passes(FEED_MS)
        self._program = pio_deadman.program(board.RELAY_ON_LEVEL, self._pulse)
        self._sm = pio_block.state_machine(pio_block.DEAD_MAN)
        self._dead = -1  # where the program's end stands in the block

    def on(self) -> None:
        """Start the dead-man anew with the longest on-time and a first feed. It stays off if the cover is open."""
        # init() also empties the FIFO: feeds given after a trip must not pass for the longest on-time.
        self._sm.init(self._program, freq=pio_deadman.FREQ_HZ, sideset_base=self._pin, jmp_pin=self._cover)
        self._dead = pio_block.address(pio_block.DEAD_MAN) + pio_deadman.DEAD
        self._sm.put(self._longest)
        self._sm.put(self._feed)
        self._sm.active(1)

    def feed(self) -> None:
        """Keep the relay on for another FEED_MS. Never waits, takes no memory, and cannot turn the relay on."""
        # put() waits for ever on a full FIFO, which a tripped dead-man leaves full.
        if self._sm.tx_fifo() < pio_deadman.WORDS:
            self._sm.put(self._feed)

    def off(self) -> None:
        """Relay off at once, then the dead-man stopped."""
        force_off(self._board)
        self._sm.active(0)

    def is_on(self) -> bool:
        """The level at the pin itself says on; with pulse drive, where no level does: the dead-man runs and has not
        tripped. Takes no memory."""
        if self._pulse:
            return self._sm.active() and pio_block.address(pio_block.DEAD_MAN) != self._dead
        return self._pin.value() == self._on_level
