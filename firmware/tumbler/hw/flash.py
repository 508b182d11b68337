"""Raw sectors of the chip's flash, by a list of blocks that are ours; any other block is out of reach.

The flash is MicroPython's rp2.Flash, or whatever has its readblocks, writeblocks and ioctl: the area in which the
filesystem lives too. It checks no bounds, so that is done here (MicroPython 1.25, ports/rp2/rp2_flash.c). It tells of
no failure either: whoever programs or erases reads back what came of it.
"""

SECTOR_BYTES, PAGE_BYTES = 4096, 256  # W25Q16JV datasheet: erased at once, programmed at once
EINVAL = 22
IOCTL_BLOCKS, IOCTL_BLOCK_BYTES, IOCTL_ERASE = 4, 5, 6  # MicroPython's block device interface


def area():
    """The chip's flash from the filesystem's first block on."""
    import rp2  # here, so that whoever brings a flash of his own needs no chip

    return rp2.Flash()


def count(flash) -> int:
    """How many blocks the area has."""
    return flash.ioctl(IOCTL_BLOCKS, 0)


class Sectors:
    """flash: see above; blocks: numbers of the blocks in it that are ours, all different.

    A sector is its index in `blocks`. Raises OSError (EINVAL), as each method does, for what lies outside.
    """

    def __init__(self, flash, blocks):
        self._flash, self.blocks = flash, list(blocks)
        self.count = len(self.blocks)
        last = count(flash)
        if flash.ioctl(IOCTL_BLOCK_BYTES, 0) != SECTOR_BYTES or len(set(self.blocks)) != self.count:
            raise OSError(EINVAL)
        for block in self.blocks:
            if not 0 <= block < last:
                raise OSError(EINVAL)

    def _block(self, sector, offset, size):
        if not 0 <= sector < self.count or offset < 0 or offset + size > SECTOR_BYTES:
            raise OSError(EINVAL)
        return self.blocks[sector]

    def read(self, sector: int, offset: int, buf):
        """Fill `buf` with what stands in the sector from byte `offset` on."""
        self._flash.readblocks(self._block(sector, offset, len(buf)), buf, offset)

    def program(self, sector: int, offset: int, page):
        """Program one page or more, aligned and whole: bits only clear."""
        block = self._block(sector, offset, len(page))
        if offset % PAGE_BYTES or len(page) % PAGE_BYTES or not page:
            raise OSError(EINVAL)
        self._flash.writeblocks(block, page, offset)  # with an offset it does not erase first

    def erase(self, sector: int):
        """Set every bit of the sector."""
        self._flash.ioctl(IOCTL_ERASE, self._block(sector, 0, SECTOR_BYTES))
