"""All switches of the terminal in one snapshot, with polarity settled: 1 = pressed, open, on or tripped."""

from machine import Pin, mem32

from tumbler.core import events

GPIO_IN = 0xD0000004  # RP2040 datasheet 2.3.1.7: the levels of all 30 pins at one instant, a small int


class Inputs:
    """The switches of the module tumbler_board (`board`); those not wired (-1) read as 0, COVER2_OPEN as COVER_OPEN."""

    def __init__(self, board):
        # Every switch goes to GND with a pull-up, so open and broken wires are high.
        self._maint = self._input(board.PIN_MAINT)
        low = (  # seen when the pin is low
            (board.PIN_KEY1, events.KEY1),
            (board.PIN_KEY2, events.KEY1 << 1),
            (board.PIN_KEY3, events.KEY1 << 2),
            (board.PIN_KEY4, events.KEY1 << 3),
            (board.PIN_KEY5, events.KEY1 << 4),
            (board.PIN_KEY6, events.KEY1 << 5),
            (board.PIN_ENTRY, events.ENTRY_KEY),
            (board.PIN_SPIN, events.SPIN_KEY),
            (board.PIN_NO_MORE, events.NO_MORE_KEY),
            (board.PIN_SUPERVISOR, events.SUPERVISOR),
            (board.PIN_COVER2, events.COVER2_OPEN),  # the opposite contact: it opens as the cover shuts
        )
        high = (  # seen when the pin is high
            (board.PIN_COVER, events.COVER_OPEN),
            (board.PIN_ESTOP, events.ESTOP),
            (board.PIN_RELAY_FB, events.RELAY_FEEDBACK),  # mirror contact: it opens as the relay picks up
        )
        self._low = tuple([(self._input(pin), bit) for pin, bit in low if pin >= 0])
        self._high = tuple([(self._input(pin), bit) for pin, bit in high if pin >= 0])
        self._has_cover2 = board.PIN_COVER2 >= 0
        self._wired = 0
        for pin, _ in self._low + self._high:
            self._wired |= pin
        self._levels, self._mask = -1, 0  # of the last snapshot

    def _input(self, pin):
        Pin(pin, Pin.IN, Pin.PULL_UP)
        return 1 << pin

    def read(self) -> int:
        """Mask of events.py bits from one snapshot of all pins. Takes no memory."""
        levels = mem32[GPIO_IN] & self._wired
        if levels == self._levels:  # nearly always: a third of a millisecond saved in each tick
            return self._mask
        mask = 0
        for pin, bit in self._low:
            if not levels & pin:
                mask |= bit
        for pin, bit in self._high:
            if levels & pin:
                mask |= bit
        if not self._has_cover2 and mask & events.COVER_OPEN:
            mask |= events.COVER2_OPEN
        self._levels, self._mask = levels, mask
        return mask

    def maintenance(self) -> bool:
        """The maintenance jumper is fitted now; main.py asks at power-up only."""
        return not mem32[GPIO_IN] & self._maint
