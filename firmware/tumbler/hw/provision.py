"""Provisioning, called at the REPL of a board in maintenance by the host's tool (host_tools/provision.py).

Guards first, then the identity; what is there already stays. Each call can be repeated after a power cut.
"""

from tumbler.core import journal_pages
from tumbler.hw import guards, identity
from tumbler.hw.flash import Sectors, area, count

NO_NAMES = ("", "", "", "")


class Place:
    """The guarded blocks of a flash, for a journal of so many sectors."""

    def __init__(self, flash, journal_sectors: int):
        self._flash = flash
        self.blocks = guards.blocks(count(flash), journal_sectors)

    def _sectors(self):
        return Sectors(self._flash, self.blocks[: guards.IDENTITY_SECTORS])

    def dev(self) -> str:
        """The dev whose identity is in its place, "" if none is."""
        who = identity.load(self._sectors(), NO_NAMES)
        return who.dev if who else ""

    def guarded(self) -> bool:
        return guards.heads(self._flash, len(self.blocks)) == self.blocks

    def strangers(self) -> int:
        """Sectors of an identity or a journal that lie elsewhere, or of a journal without its identity. One of an
        identity in its place is none: give() may have been cut short there."""
        own = self.blocks if self.dev() else []
        lost = [block for block in guards.find(self._flash, journal_pages.MAGIC) if block not in own]
        own = own or self.blocks[: guards.IDENTITY_SECTORS]
        return len(lost + [block for block in guards.find(self._flash, identity.MAGIC) if block not in own])

    def guard(self) -> int:
        """Have the guards own their blocks -> how many were made. No filesystem may be mounted. Raises OSError."""
        return guards.adopt(self._flash, self.blocks)

    def give(self, dev: str, k: bytes):
        """Make the identity. Raises OSError if the flash does not take it; ValueError for no dev, no key, an identity
        or a journal that is there, or guards that do not hold."""
        if not identity.is_dev(dev) or len(k) != len(identity.TEST_KEY):
            raise ValueError("no dev, or no key")
        if self.dev() or self.strangers() or not self.guarded():
            raise ValueError("not a blank board with guards")
        identity.Identity(self._sectors(), dev, k, NO_NAMES).protect(guards.seal(self._flash, len(self.blocks)))


def here() -> Place:
    """The place on this board."""
    import tumbler_board

    return Place(area(), tumbler_board.JOURNAL_SECTORS)


def look():
    """Print what the host has to know, one line: board, chip's id, dev or -, guards right (1 or 0), strange sectors."""
    import machine
    import tumbler_board

    place = here()
    facts = (tumbler_board.BOARD, machine.unique_id().hex(), place.dev() or "-", int(place.guarded()))
    print("%s %s %s %d" % facts, place.strangers())


def guard():
    """Make or adopt the guards of this board, and print "guarded"; "blocked" where a file has a block of theirs. No
    file may be open."""
    import os

    import vfs

    place, flash = here(), area()
    os.chdir("/")
    vfs.umount("/")
    try:
        place.guard()
        print("guarded")
    except OSError as e:
        if e.args[0] != guards.ENOSPC:
            raise
        print("blocked")
    finally:
        vfs.mount(guards.mount(flash), "/")
