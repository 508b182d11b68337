"""The terminal's LED display: a TM1637 module with four digits, clocked out by hand, one byte a tick.

The numbers stand in the right three positions; the left one serves words such as WAIT.
"""

from machine import Pin

# Segments a to g are bits 0 to 6. Seven segments cannot draw a K, M, V, W or X: those follow common use.
GLYPHS = {
    " ": 0x00,
    "-": 0x40,
    "_": 0x08,
    "0": 0x3F,
    "1": 0x06,
    "2": 0x5B,
    "3": 0x4F,
    "4": 0x66,
    "5": 0x6D,
    "6": 0x7D,
    "7": 0x07,
    "8": 0x7F,
    "9": 0x6F,
    "A": 0x77,
    "B": 0x7C,
    "C": 0x39,
    "D": 0x5E,
    "E": 0x79,
    "F": 0x71,
    "G": 0x3D,
    "H": 0x76,
    "I": 0x06,
    "J": 0x1E,
    "K": 0x75,
    "L": 0x38,
    "M": 0x55,
    "N": 0x54,
    "O": 0x5C,
    "P": 0x73,
    "Q": 0x67,
    "R": 0x50,
    "S": 0x6D,
    "T": 0x78,
    "U": 0x3E,
    "V": 0x1C,
    "W": 0x2A,
    "X": 0x64,
    "Y": 0x6E,
    "Z": 0x5B,
}
NO_GLYPH = 0x49  # three bars
WIDTH = 4

# TM1637 datasheet: three transfers make one picture, each between a start and a stop
WRITE_AUTO_INCREMENT = 0x40
FIRST_POSITION = 0xC0
DISPLAY_ON = 0x88 | 3  # brightness 3 of 0 to 7
FRAME = bytes((WRITE_AUTO_INCREMENT, FIRST_POSITION, 0, 0, 0, 0, DISPLAY_ON))
STARTS = (0, 1, 6)  # bytes of the frame that begin a transfer
STOPS = (0, 5, 6)  # bytes that end one


class Display:
    """The display of the module tumbler_board (`board`): blank after construction, from the first ticks on."""

    def __init__(self, board):
        self._clk = Pin(board.PIN_DISPLAY_CLK, Pin.OUT, value=1)
        # The chip answers on DIO, so it is only ever pulled low or let go.
        self._dio = Pin(board.PIN_DISPLAY_DIO, Pin.OPEN_DRAIN, Pin.PULL_UP, value=1)
        self._text = ""
        self._wanted = bytearray(WIDTH)
        self._frame = bytearray(FRAME)
        self._next = 0  # index in the frame; its length when all is sent
        self._changed = False

    def show(self, text: str) -> None:
        """Show up to four characters, flush right; longer texts lose their end. The same text again costs nothing."""
        if text == self._text:
            return
        self._text = text
        pad = max(0, WIDTH - len(text))
        for i in range(WIDTH):
            self._wanted[i] = 0 if i < pad else GLYPHS.get(text[i - pad], NO_GLYPH)
        self._changed = True

    def tick(self, now_ms: int) -> None:
        """Send at most one byte of a changed picture (about 0.3 ms on a board). Takes no memory."""
        if self._next == len(FRAME):
            if not self._changed:
                return
            self._next = 0
        if self._next == 0:
            # A picture goes out whole: what show() changes from here on waits for the next one.
            self._changed = False
            for i in range(WIDTH):
                self._frame[2 + i] = self._wanted[i]
        if self._next in STARTS:
            self._dio(0)  # falling while the clock is high: start
        self._send(self._frame[self._next])
        if self._next in STOPS:
            self._dio(0)
            self._clk(1)
            self._dio(1)  # rising while the clock is high: stop
        self._next += 1

    def _send(self, byte):
        clk = self._clk
        dio = self._dio
        for _ in range(8):  # lowest bit first, taken over as the clock rises
            clk(0)
            dio(byte & 1)
            clk(1)
            byte >>= 1
        clk(0)  # ninth clock: the chip pulls DIO low as its answer; nothing could be done without it
        dio(1)
        clk(1)
        clk(0)
