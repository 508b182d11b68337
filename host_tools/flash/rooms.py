"""What the new firmware says of a board's flash before any of its files is there: its own rooms, run from memory.

Guards must own the journal's sectors before a file is written, or littlefs could give one of them away. So the rooms
that find, guard and provision are put onto a small file system in the board's RAM. It is gone with the next reset.
"""

from collections.abc import Mapping

from host_tools.flash.files import HELPERS, There, make_folders, sha256, write_file
from host_tools.provision import Console

# firmware/tumbler/hw/provision.py and all that it imports
ROOMS = (
    "tumbler/__init__.mpy",
    "tumbler/core/__init__.mpy",
    "tumbler/core/fields.mpy",
    "tumbler/core/journal_pages.mpy",
    "tumbler/core/mac.mpy",
    "tumbler/hw/__init__.mpy",
    "tumbler/hw/flash.mpy",
    "tumbler/hw/guards.mpy",
    "tumbler/hw/identity.mpy",
    "tumbler/hw/provision.mpy",
    "tumbler_board.mpy",
)
MOUNT = "/ram"
# 48 blocks of 512 bytes: the rooms take 11 kB
DISK = f"""
import sys, vfs
class _Ram:
    def __init__(self):
        self.data = bytearray(48 * 512)
    def readblocks(self, block, buf, offset=0):
        at = block * 512 + offset
        buf[:] = memoryview(self.data)[at : at + len(buf)]
    def writeblocks(self, block, buf, offset=0):
        at = block * 512 + offset
        self.data[at : at + len(buf)] = buf
    def ioctl(self, op, arg):
        return 48 if op == 4 else 512 if op == 5 else 0
_ram = _Ram()
vfs.VfsLfs2.mkfs(_ram)
vfs.mount(_ram, {MOUNT!r})
sys.path.insert(0, {MOUNT!r})
"""


def bring_rooms(console: Console, files: Mapping[str, bytes], there: Mapping[str, There]) -> None:
    """Make the new firmware's `provision` importable, from the board's own files where they are the same."""
    if all(path in there and there[path].sha256 == sha256(files[path]) for path in ROOMS):
        return
    console.run(HELPERS + DISK)
    make_folders(console, MOUNT, ROOMS)
    for path in ROOMS:
        write_file(console, f"{MOUNT}/{path}", files[path], lambda path, done, size: None)
