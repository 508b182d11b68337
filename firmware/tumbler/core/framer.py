"""Cuts a byte stream into lines, bounded in memory; what stands between the lines is noise, kept and counted."""

from tumbler.core.fields import MAX_LINE

LINE_START = b'{"sb":1,'


class Framer:
    """Byte stream in, chunks out.

    feed(data) -> list of (is_line, bytes): is_line is True for a chunk that begins like a ledger line and ended with an
    LF (neither LF nor the CR that a console puts before it are in the chunk), False for noise. Nothing is dropped in
    silence: every byte but the line ends stands in some chunk or is still held. A line that follows noise without
    a line end between them (a cut line, a prompt, an echo) is still found. At most MAX_LINE + 1 bytes are held.
    """

    def __init__(self):
        self.held = bytearray()

    def feed(self, data) -> list:
        out = []
        for b in data:
            if b == 0x0A:
                if self.held:
                    self._end(out)
            else:
                self.held.append(b)
                if len(self.held) > MAX_LINE:
                    self._overflow(out)
        return out

    def _end(self, out):
        chunk = bytes(self.held)
        self.held = bytearray()
        if chunk[-1:] == b"\r":
            chunk = chunk[:-1]
        start = chunk.rfind(LINE_START)
        if start > 0:
            out.append((False, chunk[:start]))
            chunk = chunk[start:]
        if chunk:
            out.append((start >= 0, chunk))

    def _overflow(self, out):
        """Too long for a line: all before the last place where one could begin is noise."""
        held = bytes(self.held)
        start = held.rfind(LINE_START)
        if start <= 0:
            start = len(held) - len(LINE_START) + 1
        out.append((False, held[:start]))
        self.held = bytearray(held[start:])
