"""A model of NOR flash: an erase sets 4096 bytes to FF, a program clears bits, and either may be cut, torn or fail.

For the simulated boards and for the tests, on CPython and on MicroPython's unix port. What a torn operation leaves is
drawn from a seed.
"""

SECTOR = 4096
PAGE = 256
ERASED = b"\xff" * SECTOR
CLEAN_BEFORE, TORN, CLEAN_AFTER = 0, 1, 2


class PowerOff(BaseException):
    """The power went. No handler in the firmware may see it."""


def _opened(path, count):
    """The file at path, filled up with FF if it is too short for so many sectors."""
    try:
        f = open(path, "r+b")
    except OSError:
        f = open(path, "w+b")
    size = f.seek(0, 2)
    f.write(ERASED[size % SECTOR :] if size % SECTOR else b"")
    for _ in range((size + SECTOR - 1) // SECTOR, count):
        f.write(ERASED)
    f.flush()
    return f


class Nor:
    """`count` sectors of flash at the interface that the journal asks for (core/journal_flash.py).

    data: a bytearray that outlives this object as the flash outlives a power cut, None for a new one; file: a path to
    keep it in instead, made if it is not there.

    Counters: operations (erases and programs begun), reads, erases (a list, one count a sector). Set at any time:
    cut_at (the operation, counted from 0, at which the power goes) with cut_how (CLEAN_BEFORE, TORN, CLEAN_AFTER);
    stuck, a dict {byte address: (bits that read 0, bits that read 1)}; bad_reads, bad_writes, sets of sectors whose
    reads, or whose programs and erases, raise OSError.
    """

    def __init__(self, count: int, data=None, file=None, seed: int = 1):
        self.count = count
        self._file = _opened(file, count) if file else None
        self.data = None if file else data or bytearray(ERASED * count)
        self.operations = self.reads = 0
        self.erases = [0] * count
        self.cut_at, self.cut_how = -1, TORN
        self.stuck: dict = {}
        self.bad_reads: set = set()
        self.bad_writes: set = set()
        self._off = False
        self._x = (seed * 2654435761 + 1) & 0xFFFFFFFF or 1

    def close(self):
        if self._file:
            self._file.close()

    def read(self, sector: int, offset: int, buf):
        self._check(sector, offset, len(buf), self.bad_reads)
        self.reads += 1
        at = sector * SECTOR + offset
        buf[:] = self._get(at, len(buf))
        for address in self.stuck:
            if at <= address < at + len(buf):
                low, high = self.stuck[address]
                buf[address - at] = buf[address - at] & ~low & 0xFF | high

    def program(self, sector: int, offset: int, page):
        if offset % PAGE or len(page) != PAGE:
            raise ValueError("not a whole page")
        self._check(sector, offset, PAGE, self.bad_writes)
        at = sector * SECTOR + offset
        self._change(at, bytes([a & b for a, b in zip(self._get(at, PAGE), page)]))

    def erase(self, sector: int):
        self._check(sector, 0, SECTOR, self.bad_writes)
        self.erases[sector] += 1
        self._change(sector * SECTOR, ERASED)

    def _check(self, sector, offset, length, bad):
        if self._off:
            raise PowerOff()
        if not 0 <= sector < self.count or not 0 <= offset <= SECTOR - length:
            raise ValueError("outside the flash")
        if sector in bad:
            raise OSError(5)  # EIO

    def _change(self, at, after):
        n, self.operations = self.operations, self.operations + 1
        if n != self.cut_at:
            return self._put(at, after)
        self._off = True
        if self.cut_how == TORN:
            after = self._torn(self._get(at, len(after)), after)
        if self.cut_how != CLEAN_BEFORE:
            self._put(at, after)
        raise PowerOff()

    def _get(self, at, length):
        if self._file is None:
            return self.data[at : at + length]
        self._file.seek(at)
        return self._file.read(length)

    def _put(self, at, data):
        if self._file is None:
            self.data[at : at + len(data)] = data
        else:
            self._file.seek(at)
            self._file.write(data)
            self._file.flush()

    def _torn(self, before, after):
        """Each bit from before or after, with odds that are drawn once."""
        out = bytearray(len(after))
        odds = self._draw() & 7
        for n in range(len(after)):
            mask = self._draw() & 0xFF
            if odds < 3:
                mask &= self._draw()
            elif odds > 4:
                mask |= self._draw()
            out[n] = before[n] & ~mask & 0xFF | after[n] & mask & 0xFF
        return bytes(out)

    def _draw(self):
        x = self._x
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self._x = x
        return x >> 5
