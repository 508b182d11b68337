"""A folder of one's own, records to write and a disk that fails, for the tests of what is kept in files."""

import os

from tumbler.core import ledger, mac
from tumbler.hw import journal_file
from tumbler.hw.journal_file import JournalFile

RKEY = mac.record_key(bytes(range(32)))
CAPACITY = 40


class Folder:
    """`with Folder() as path:` an empty directory that is gone afterwards."""

    def __enter__(self):
        self.path = "%s/tumbler-%s" % (os.getenv("TMPDIR") or "/tmp", os.urandom(8).hex())
        os.mkdir(self.path)
        return self.path

    def __exit__(self, kind, value, trace):
        self._clear(self.path)

    def _clear(self, path):
        for name in os.listdir(path):
            inner = path + "/" + name
            if os.stat(inner)[0] & 0x4000:  # a directory
                self._clear(inner)
            else:
                os.remove(inner)
        os.rmdir(path)


def record(seq: int) -> bytes:
    """The line of record seq; every call gives the same one. Lengths differ from one to the next."""
    values = (seq, "x" * (1 + seq % 24))
    return ledger.encode_record("bets_closed", "sim-aa", 1, seq, seq, values, RKEY, mac.ZERO_MAC)[0]


def opened(path, capacity=CAPACITY):
    journal = JournalFile(path + "/journal", capacity)
    journal.open()
    return journal


def written(path, count, capacity=CAPACITY):
    """A journal with records up to `count`."""
    journal = opened(path, capacity)
    more(journal, count)
    return journal


def more(journal, count):
    for _ in range(count):
        journal.append(record(journal.next_seq))


def segments(path):
    """Paths of the segment files, oldest first."""
    folder = path + "/journal"
    return [folder + "/" + name for name in sorted(os.listdir(folder)) if name.endswith(".seg")]


def content(file) -> bytes:
    with open(file, "rb") as f:
        return f.read()


def put(file, data):
    with open(file, "wb") as f:
        f.write(data)


def holds(journal, first, last) -> bool:
    """Does the journal give back exactly the records first to last, and no others?"""
    seq = first
    while seq <= last:
        if journal.recall(seq) != record(seq):
            return False
        seq += 1
    ends = journal.recall(first - 1) is None and journal.recall(last + 1) is None
    return journal.next_seq == last + 1 and ends


class FailingDisk:
    """`with FailingDisk(when, kept):` files that the journal opens for writing fail.

    when: "write" (kept bytes reach the disk), "short" (the same without an error), "memory" (the same, with a
    MemoryError) or "flush" (all bytes reach the disk).
    """

    def __init__(self, when, kept=0):
        self.when, self.kept = when, kept

    def __enter__(self):
        def failing_open(name, mode, **options):
            f = open(name, mode, **options)
            return f if "r" in mode else FailingFile(f, self)

        journal_file.open = failing_open

    def __exit__(self, kind, value, trace):
        del journal_file.open


class FailingFile:
    def __init__(self, f, disk):
        self.f, self.disk = f, disk

    def write(self, data):
        if self.disk.when == "flush":
            return self.f.write(data)
        self.f.write(data[: self.disk.kept])
        if self.disk.when == "short":
            return self.disk.kept
        raise MemoryError() if self.disk.when == "memory" else OSError(28)  # ENOSPC

    def flush(self):
        if self.disk.when == "flush":
            raise OSError(5)  # EIO

    def close(self):
        self.f.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.f.close()
