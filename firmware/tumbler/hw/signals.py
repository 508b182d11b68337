"""Buzzer and lamp. Beeps are patterns that run by themselves, tick by tick."""

from machine import Pin

from tumbler.core import ticks
from tumbler.core.panel import LAMP_BLINK, LAMP_OFF, LAMP_ON
from tumbler.core.round import BETS_TONE, FAULT_TONE, OK_TONE, REFUSED_TONE

PATTERNS_MS = {  # on, off, on, ...
    OK_TONE: (60,),
    REFUSED_TONE: (60, 60, 60, 60, 60),
    BETS_TONE: (300,),
    FAULT_TONE: (500, 250, 500, 250, 500),
}
BLINK_MS = 250


class Signals:
    """Buzzer and lamp of the module tumbler_board (`board`), both off after construction, both on at a high level."""

    def __init__(self, board):
        self._buzzer = Pin(board.PIN_BUZZER, Pin.OUT, value=0)
        self._lamp = Pin(board.PIN_LAMP, Pin.OUT, value=0)
        self._pattern = ()
        self._step = 0  # index in the pattern
        self._started = False
        self._step_ms = 0  # when the step began
        self._mode = LAMP_OFF
        self._lit = 0
        self._lit_ms = 0  # when a blinking lamp last changed

    def beep(self, tone: int) -> None:
        """Play a tone of core.round from the next tick on, in place of one still playing."""
        self._pattern = PATTERNS_MS[tone]
        self._step = 0
        self._started = False

    def lamp(self, mode: int) -> None:
        """LAMP_OFF, LAMP_ON or LAMP_BLINK of core.panel, from the next tick on."""
        self._mode = mode

    def tick(self, now_ms: int) -> None:
        """Bring both outputs up to `now_ms` (ticks). Takes no memory."""
        if self._step < len(self._pattern):
            self._play(now_ms)
        level = self._lit
        if self._mode != LAMP_BLINK:
            level = 1 if self._mode == LAMP_ON else 0
        elif ticks.diff(now_ms, self._lit_ms) >= BLINK_MS:
            level = 1 - level
        if level != self._lit:
            self._lit = level
            self._lit_ms = now_ms
            self._lamp(level)

    def _play(self, now_ms):
        if not self._started:
            self._started = True
            self._step_ms = now_ms
            self._buzzer(1)
        elif ticks.diff(now_ms, self._step_ms) >= self._pattern[self._step]:
            self._step += 1
            self._step_ms = now_ms
            sounds = self._step < len(self._pattern) and not self._step & 1
            self._buzzer(1 if sounds else 0)
