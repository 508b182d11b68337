"""The display of the simulated table: decodes the two wires of a TM1637 into the text that a person reads."""

POSITIONS = 4
GLYPHS = {}  # segments -> character, filled below
AS_LETTERS = {"1": "I", "5": "S", "2": "Z"}  # drawn alike


def _glyphs(text, codes):
    for i in range(len(text)):
        GLYPHS[codes[i]] = text[i]


_glyphs("0123456789", (0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F))
_glyphs(" -_", (0x00, 0x40, 0x08))
_glyphs("ABCDEFGHJ", (0x77, 0x7C, 0x39, 0x5E, 0x79, 0x71, 0x3D, 0x76, 0x1E))
_glyphs("KLMNOPQRTUVWXY", (0x75, 0x38, 0x55, 0x54, 0x5C, 0x73, 0x67, 0x50, 0x78, 0x3E, 0x1C, 0x2A, 0x64, 0x6E))


class Tm1637:
    """Titan Micro TM1637 datasheet: start = data falls while the clock is high, stop = data rises while it is high.

    Bits come least first, at the rising clock; after 8 of them the chip pulls data low until the ninth clock falls.
    No heap is taken but in text().
    """

    def __init__(self):
        self.ack = False
        self.segments = bytearray(POSITIONS)
        self.lit = False
        self._clk = 0
        self._dio = 0
        self._listening = False
        self._bits = 0
        self._byte = 0
        self._first = True  # the next byte is a command
        self._address = 0
        self._step = 1  # data bytes go to rising addresses, or all to the same

    def clk(self, level):
        self._clk = level
        if not self._listening:
            return
        if level:
            if self._bits < 8:
                self._byte |= self._dio << self._bits
            self._bits += 1
        elif self._bits == 8:
            self.ack = True
            self._take(self._byte)
        elif self._bits == 9:
            self.ack = False
            self._bits = 0
            self._byte = 0

    def dio(self, level):
        self._dio = level
        if not self._clk:
            return
        if level:
            self._listening = False
            self.ack = False
        else:
            self._listening = True
            self._first = True
            self._bits = 0
            self._byte = 0

    def _take(self, byte):
        if not self._first:
            if self._address < POSITIONS:
                self.segments[self._address] = byte
            self._address += self._step
            return
        self._first = False
        kind = byte & 0xC0
        if kind == 0x40:
            self._step = 0 if byte & 0x04 else 1
        elif kind == 0xC0:
            self._address = byte & 0x0F
        elif kind == 0x80:
            self.lit = bool(byte & 0x08)

    def text(self):
        """The four positions as a person reads them, "" when dark; "?" for what is no letter or digit.

        1, 5 and 2 are I, S and Z within a word, which is what has a letter other than F (F and digits name a fault).
        """
        if not self.lit:
            return ""
        seen = [GLYPHS.get(s & 0x7F, "?") for s in self.segments]
        if [c for c in seen if "A" <= c <= "Z" and c != "F"]:
            seen = [AS_LETTERS.get(c, c) for c in seen]
        return "".join(seen)
