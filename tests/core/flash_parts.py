"""A small flash in memory, as rp2.Flash gives it, that knows what was touched and whose power goes."""

BLOCK, PAGE = 4096, 256
EIO = -5


class PowerOff(Exception):
    """The power went in the middle of this operation."""


class Flash:
    """`data`: its bytes, kept over power cuts. After `left` erases and programs the power goes: the next one is torn in
    the middle or, with torn=False, not begun, and all after it fail without taking memory, as files that are collected
    are closed. touched: the blocks that were erased or programmed."""

    def __init__(self, data, left=1 << 29, torn=True):
        self.data, self.left, self.torn = data, left, torn
        self.touched = set()
        self.operations = 0

    def readblocks(self, block, buf, offset=0):
        if self.left < 0:
            return EIO
        at = block * BLOCK + offset
        memoryview(buf)[:] = self.data[at : at + len(buf)]
        return 0

    def writeblocks(self, block, buf, offset=None):
        if self.left < 0:
            return EIO
        if offset is None:
            self.ioctl(6, block)
            offset = 0
        assert offset % PAGE == 0 and len(buf) % PAGE == 0 and offset + len(buf) <= BLOCK
        for at in range(0, len(buf), PAGE):
            start = block * BLOCK + offset + at
            page = bytes(memoryview(buf)[at : at + PAGE])
            now = bytes([a & b for a, b in zip(self.data[start : start + PAGE], page)])
            self._change(block, start, now)
        return 0

    def ioctl(self, op, arg):
        if self.left < 0:
            return EIO
        if op == 4:
            return len(self.data) // BLOCK
        if op == 5:
            return BLOCK
        if op == 6:
            self._change(arg, arg * BLOCK, b"\xff" * BLOCK)
        return 0

    def _change(self, block, start, after):
        self.touched.add(block)
        self.operations += 1
        self.left -= 1
        if self.left < 0:
            if self.torn:
                half = len(after) // 2
                self.data[start : start + half] = after[:half]
            raise PowerOff()
        self.data[start : start + len(after)] = after

    def block(self, number):
        return bytes(self.data[number * BLOCK : (number + 1) * BLOCK])


def blank(blocks):
    """The bytes of an erased flash."""
    return bytearray(b"\xff" * (blocks * BLOCK))
