"""The journal in files on littlefs, as on a board: the power goes at every single flash operation.

MicroPython only: CPython has no littlefs to mount.
"""

import os

from tumbler.core.journal import JournalError
from tumbler.hw.journal_file import JournalFile

from tests.core import kit
from tests.core.journal_parts import holds, record

BLOCK, BLOCKS, RECORDS = 512, 96, 12


class Flash:
    """Flash in memory. After `left` programs and erases the power is gone: nothing reaches it any more."""

    def __init__(self, data, left):
        self.data, self.left = data, left

    def _powered(self):
        self.left -= 1
        return self.left >= 0

    def readblocks(self, n, buf, off=0):
        at = n * BLOCK + off
        buf[:] = self.data[at : at + len(buf)]

    def writeblocks(self, n, buf, off=0):
        if not self._powered():
            return -5
        at = n * BLOCK + off
        self.data[at : at + len(buf)] = buf
        return 0

    def ioctl(self, op, arg):
        if op == 4:
            return BLOCKS
        if op == 5:
            return BLOCK
        if op == 6:
            if not self._powered():
                return -5
            self.data[arg * BLOCK : (arg + 1) * BLOCK] = b"\xff" * BLOCK
        return 0


class Mounted:
    def __init__(self, flash):
        self.flash = flash

    def __enter__(self):
        os.mount(os.VfsLfs2(self.flash, progsize=64, readsize=64), "/flash")
        return JournalFile("/flash/journal", 100)

    def __exit__(self, kind, value, trace):
        os.umount("/flash")


def formatted():
    if not kit.MICROPYTHON:
        kit.skip("no littlefs outside MicroPython")
    flash = Flash(bytearray(BLOCK * BLOCKS), 1 << 29)
    os.VfsLfs2.mkfs(flash, progsize=64, readsize=64)
    return bytes(flash.data)


def use_until_the_power_goes(journal, done):
    """Append records and ack every second one; done = [appended, acked], both as far as a call returned."""
    journal.open()
    for seq in range(1, RECORDS + 1):
        journal.append(record(seq))
        done[0] = seq
        if seq % 2 == 0:
            journal.ack(seq - 1)
            done[1] = seq - 1


def test_the_power_goes_at_every_flash_operation():
    empty = formatted()
    cut, finished = 0, False
    while not finished:
        flash, done = Flash(bytearray(empty), cut), [0, 0]
        try:
            with Mounted(flash) as journal:
                use_until_the_power_goes(journal, done)
                finished = True
        except (OSError, JournalError):
            pass
        with Mounted(Flash(bytearray(flash.data), 1 << 29)) as journal:
            journal.open()
            last = journal.next_seq - 1
            assert done[0] <= last <= done[0] + 1, (cut, done, last)
            assert done[1] <= journal.acked <= last, (cut, done, journal.acked)
            assert holds(journal, 1, last), cut
            while journal.next_seq <= RECORDS + 2:
                journal.append(record(journal.next_seq))
            journal.open()
            assert holds(journal, 1, RECORDS + 2), cut
        cut += 1
    assert cut > 50


def test_a_full_disk_is_an_error_and_what_is_there_stays():
    with Mounted(Flash(bytearray(formatted()), 1 << 29)) as journal:
        journal.open()
        with kit.raises(JournalError):
            for seq in range(1, 101):
                with open("/flash/more-%d" % seq, "wb") as f:
                    f.write(b"x" * 300)  # somebody else takes the room
                journal.append(record(seq))
        last = journal.next_seq - 1
        assert last > 10
        journal.open()
        assert holds(journal, 1, last) and journal.next_seq == last + 1
        for seq in range(1, last + 1):
            os.remove("/flash/more-%d" % seq)
        journal.append(record(last + 1))
        assert journal.recall(last + 1) == record(last + 1)
