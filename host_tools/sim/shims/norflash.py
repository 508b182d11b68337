"""MicroPython's rp2.Flash for the simulated board: the model of NOR flash over a file in the board's folder."""

from nor import PAGE, SECTOR, Nor

BLOCKS, BLOCK_BYTES, ERASE = 4, 5, 6  # MicroPython's block device interface


class _Bytes:
    """The bytes of a file as far as Nor asks for them; the interpreter's heap is far smaller than the flash."""

    def __init__(self, path):
        self._file = open(path, "r+b")
        self.size = self._file.seek(0, 2)

    def __getitem__(self, part):
        self._file.seek(part.start)
        return self._file.read(part.stop - part.start)

    def __setitem__(self, part, data):
        self._file.seek(part.start)
        self._file.write(data)
        self._file.flush()  # to the operating system: it outlives this process


class Flash:
    """The area of the flash that the filesystem and the guarded sectors share. path: the file, set at every start."""

    path = ""

    def __init__(self):
        data = _Bytes(self.path)
        self._nor = Nor(data.size // SECTOR, data)

    def readblocks(self, block, buf, offset=0):
        self._nor.read(block, offset, memoryview(buf))

    def writeblocks(self, block, buf, offset=None):
        """Whole pages; without an offset the block is erased first."""
        if offset is None:
            self._nor.erase(block)
        for at in range(0, len(buf), PAGE):
            self._nor.program(block, (offset or 0) + at, memoryview(buf)[at : at + PAGE])

    def ioctl(self, op, arg):
        if op == BLOCKS:
            return self._nor.count
        if op == BLOCK_BYTES:
            return SECTOR
        if op == ERASE:
            self._nor.erase(arg)
        return 0
