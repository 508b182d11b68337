"""The serial line to the host: single raw bytes over the USB console, never waiting, no memory taken.

print() is used nowhere: it turns LF into CR LF and waits up to half a second for a host that stopped reading.
"""

import select
import sys

import micropython

NO_BYTE = -1
INTERRUPT_OFF = -1


class Serial:
    """Takes the console over: from construction on 0x03 is a byte like any other."""

    def __init__(self):
        micropython.kbd_intr(INTERRUPT_OFF)
        self._byte = bytearray(1)
        # `.buffer` is the raw stream without the conversion of line ends.
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._readable = select.poll()
        # The first answer of a poll takes memory, and the host's first byte may come while the motor runs: so ask for
        # something that is there, once.
        self._readable.register(sys.stdin, select.POLLIN | select.POLLOUT)
        for _ in self._readable.ipoll(0):
            pass
        self._readable.modify(sys.stdin, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(sys.stdout, select.POLLOUT)

    def read(self) -> int:
        """The next byte from the host, 0 to 255, or -1 if none waits."""
        for _, events in self._readable.ipoll(0):
            # A line that was hung up reports itself too, without a byte.
            if events & select.POLLIN and self._in.readinto(self._byte) == 1:
                return self._byte[0]
        return NO_BYTE

    def write(self, byte: int) -> bool:
        """Hand one byte to the line; False if it takes none now. One poll promises room for one byte only."""
        for _, events in self._writable.ipoll(0):
            if events & select.POLLOUT:
                self._byte[0] = byte
                return self._out.write(self._byte) == 1
        return False
