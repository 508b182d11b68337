"""Guard files: they make littlefs leave the journal's sectors alone, although both live in one area of the flash.

A littlefs file of exactly 4096 bytes is one block without pointer or checksum (littlefs SPEC.md, CTZ skip-lists). As
long as nobody writes the file, littlefs neither reads that block nor moves it nor gives it to anybody else, so what
stands in it is ours. Nobody writes a guard: one byte, and the file owns another block while its size stays.
"""

import binascii

from tumbler.hw.flash import IOCTL_ERASE, PAGE_BYTES, SECTOR_BYTES, count

DIRECTORY = "guards"
FOLDER_GUARDS = 32  # guards to a folder in it: littlefs need not split it, and finds each of them sooner
NOBODY = "~"  # sorts behind every guard, so that looking for it reads a whole folder
IDENTITY_SECTORS = 2
NO_SEAL = -1  # no CRC-32
EEXIST, ENOSPC = 17, 28
# EIO; EROFS; EILSEQ, upon which littlefs takes the next free block
FAILED, READ_ONLY, BAD_BLOCK = -5, -30, -84


def path(number: int) -> str:
    """Where guard `number` is in the filesystem."""
    return "%s/%d/%03d" % (DIRECTORY, number // FOLDER_GUARDS, number)


def folders(number_of: int) -> list:
    """The directories of so many guards, in the order in which to make them."""
    return [DIRECTORY] + ["%s/%d" % (DIRECTORY, n) for n in range((number_of - 1) // FOLDER_GUARDS + 1)]


def blocks(area_blocks: int, journal_sectors: int) -> list:
    """The blocks that the guards own in an area of so many blocks: its end. The first two are the identity's."""
    return list(range(area_blocks - IDENTITY_SECTORS - journal_sectors, area_blocks))


def mount(flash):
    """A littlefs of its own over `flash`, as MicroPython's _boot.py makes it. Raises OSError if there is none."""
    import vfs  # MicroPython's alone; the host imports this file for the layout

    return vfs.VfsLfs2(flash, readsize=PAGE_BYTES, progsize=PAGE_BYTES)


class _Watched:
    """A flash that is only read. last: the block that was read last; seen: all of them."""

    def __init__(self, flash):
        self._flash = flash
        self.last = -1
        self.seen = set()

    def readblocks(self, block, buf, offset=0):
        self.last = block
        self.seen.add(block)
        self._flash.readblocks(block, buf, offset)

    def writeblocks(self, block, buf, offset=0):
        return READ_ONLY

    def ioctl(self, op, arg):
        return READ_ONLY if op == IOCTL_ERASE else self._flash.ioctl(op, arg)


def heads(flash, number_of: int) -> list:
    """The block that each of so many guards owns by littlefs's own account; None for one that is missing or is not
    4096 bytes long. Nothing is written. 4 ms a guard on an RP2040: see seal()."""
    watched, found = _Watched(flash), []
    try:
        disk = mount(watched)
    except OSError:
        return [None] * number_of
    byte = bytearray(1)
    for number in range(number_of):
        block = None
        try:
            with disk.open(path(number), "rb") as guard:
                if guard.seek(0, 2) == SECTOR_BYTES:
                    guard.seek(0)
                    guard.readinto(byte)
                    block = watched.last
        except OSError:
            pass
        found.append(block)
    return found


def seal(flash, number_of: int) -> int:
    """CRC-32 of all that littlefs reads on the way through the root to the end of the guards' folders, whole blocks.

    While it is what it was when heads() was right, every guard owns what it owned then: that stands in those blocks.
    NO_SEAL without a filesystem. Nothing is written.
    """
    watched = _Watched(flash)
    try:
        disk = mount(watched)
    except OSError:
        return NO_SEAL
    watched.seen.clear()
    for folder in folders(number_of):
        try:
            disk.stat(folder + "/" + NOBODY)
        except OSError:
            pass  # there is no such file, and littlefs had to look through all of the folder to know
    crc, buf = 0, bytearray(1024)
    for block in sorted(watched.seen):
        for offset in range(0, SECTOR_BYTES, len(buf)):
            flash.readblocks(block, buf, offset)
            crc = binascii.crc32(buf, crc)
    return crc & 0xFFFFFFFF


class _Steered:
    """A flash on which the blocks in `keep` are never touched, and in which the guard being written gets `want`.

    A new directory takes two blocks and erases only one of them at once; of the other it reads the first bytes. That
    fails for a block in `keep`, so that no directory gets one.
    """

    def __init__(self, flash, keep):
        self._flash, self._keep = flash, keep
        self.want = -1
        self.only = False  # no other block is given away

    def readblocks(self, block, buf, offset=0):
        if block == self.want:
            memoryview(buf)[:] = bytes(len(buf))  # what littlefs believes to have written there
            return 0
        if block in self._keep:
            return FAILED
        return self._flash.readblocks(block, buf, offset)

    def writeblocks(self, block, buf, offset=0):
        if block in self._keep:
            return 0 if block == self.want else BAD_BLOCK
        return self._flash.writeblocks(block, buf, offset)

    def ioctl(self, op, arg):
        if op != IOCTL_ERASE:
            return self._flash.ioctl(op, arg)
        if arg == self.want:
            return 0
        if self.only or arg in self._keep:
            return BAD_BLOCK
        return self._flash.ioctl(op, arg)


def _make(disk, folder, tries):
    """Make a directory, if it is not there. Each failed try has littlefs go on to the next free block."""
    for _ in range(tries):
        try:
            return disk.mkdir(folder)
        except OSError as e:
            if e.args[0] == EEXIST:
                return None
            if e.args[0] != -FAILED:
                raise
    raise OSError(ENOSPC)


def adopt(flash, wanted) -> int:
    """Make the guards own exactly the blocks `wanted`, whatever stands in them, which stays -> how many were made.

    No filesystem on `flash` may be mounted meanwhile. After a power cut in between, run it again. Raises OSError; 28
    (ENOSPC) if a file that is no guard owns a wanted block.
    """
    have = heads(flash, len(wanted))
    if have == list(wanted):
        return 0
    steered = _Steered(flash, set(wanted))
    disk = mount(steered)
    for folder in folders(len(wanted)):
        _make(disk, folder, count(flash))
    wrong = [number for number in range(len(wanted)) if have[number] != wanted[number]]
    for number in wrong:  # all of them first: one may own what another one should
        try:
            disk.remove(path(number))
        except OSError:
            pass  # it is not there
    for number in wrong:
        with disk.open(path(number), "wb") as guard:
            steered.want, steered.only = wanted[number], True
            try:
                guard.write(bytes(SECTOR_BYTES))
            finally:
                steered.only = False
        steered.want = -1
    return len(wrong)


def find(flash, magic: bytes):
    """Generator of the blocks of the whole area that begin with `magic`, guarded or not. Nothing is written."""
    buf = bytearray(len(magic))
    for block in range(count(flash)):
        flash.readblocks(block, buf, 0)
        if buf == magic:
            yield block
