"""The journal in files: a record is appended before anybody hears of it, kept until the host has it, and longer.

Segment files (`0000000001.seg`, named by the first seq in it) hold one record per slot of 320 bytes: the line itself,
filled up with LF, so that the line's own crc tells a torn slot and a segment is read by every NDJSON tool. Files only
grow: a slot that a power cut tore stays behind, closed with `#`. `acked.0` and `acked.1` are written in turn.

What is durable when append() returns: on a board littlefs keeps what was flushed. The unix port has no fsync, nor has
this file under CPython: there a record survives the end of the process, and a power cut only if the kernel wrote it
in time.
"""

import binascii
import os

from tumbler.core import ledger
from tumbler.core.fields import MAX_LINE
from tumbler.core.journal import ROUND_RECORDS, JournalError, JournalLost

SLOT = MAX_LINE
SEGMENT_SLOTS = 64
RECALL_RECORDS = 100 * ROUND_RECORDS  # acked records that stay at the least: the last 100 rounds
ENOENT = 2


class JournalFile:
    """A journal (core/journal.py) in the files of one directory. Attributes next_seq and acked, both ints.

    directory: made at the first append if it is not there (its parent must be); capacity: unacked records it may
    hold, on top of RECALL_RECORDS acked ones. Held in memory: one int a segment, one slot, one open file. After a
    JournalError out of append() nothing more is appended until open() has looked at what the files really hold.
    """

    def __init__(self, directory: str, capacity: int):
        self._dir, self._capacity = directory, capacity
        self._firsts: list = []  # first seq of each segment, rising
        self._file = None  # the newest segment, open for appending
        self._slots = 0  # in the newest segment, torn ones too
        self._ready = False
        self._ack_file = 0  # the one of the two to write next
        self.next_seq, self.acked = 1, 0
        self.totals, self.counted = (), (0, ())
        self.keep = 1  # this record, the one before it for its mac, and all after it stay, acked or not

    # ------------------------------------------------------------ open

    def open(self, dev: str = "", replaces=None):
        """Put aside, in DIRECTORY.DEV, the records of the dev that this one replaces, if they are still here. Then look
        through all segments. A torn slot is passed over where the records around it are consecutive.

        Raises JournalError if a record is missing in the middle, if the records end before the one that was acked
        last, or if a file cannot be read; the journal then counts as empty and takes no record.
        """
        self._close()
        self._firsts, self._slots, self.next_seq, self.acked, self.keep = [], 0, 1, 0, 1
        if replaces:
            self._put_aside(replaces)
        firsts = self._list()
        try:
            next_seq, slots = self._check(firsts)
            acked = max(self._read_acked(), firsts[0] - 1) if firsts else 0
        except OSError as e:
            raise JournalError("the journal in %s cannot be read (%s)" % (self._dir, e))
        if acked >= next_seq:
            raise JournalLost("the journal ends at record %d, but %d was acked" % (next_seq - 1, acked))
        self._firsts, self._slots, self.next_seq, self.acked = firsts, slots, next_seq, acked
        self._ready = True

    def _list(self):
        try:
            names = os.listdir(self._dir)
        except OSError as e:
            if e.args[0] == ENOENT:
                return []
            raise JournalError("the directory %s cannot be read (%s)" % (self._dir, e))
        segments = [name[:10] for name in names if len(name) == 14 and name.endswith(".seg")]
        return sorted([int(first) for first in segments if first.isdigit()])

    def _check(self, firsts):
        """-> (next seq, slots in the newest segment). Raises JournalError where the records are not consecutive."""
        seq, slots = firsts[0] if firsts else 1, 0
        for first in firsts:
            if first != seq:
                raise JournalError("record %d is missing: the next segment begins with %d" % (seq, first))
            slots = 0
            with open(self._path(first), "rb") as f:
                found = self._read(f)
                while found is not None:
                    slots += 1
                    if found[0] == seq:
                        seq += 1
                    elif found[0]:
                        raise JournalError("record %d stands where %d should" % (found[0], seq))
                    found = self._read(f)
        return seq, slots

    def _read(self, f):
        """The next slot of an open segment -> (seq, line); (0, b"") for a torn one; None at the end."""
        data = f.read(SLOT)
        if not data:
            return None
        end = data.find(b"\n")
        try:
            return ledger.record_seq(data[: max(end, 0)]), data[: end + 1]
        except ledger.LineError:
            return 0, b""

    # ------------------------------------------------------------ records

    def append(self, line: bytes):
        """Keep one record, the line with its LF; durable when this returns (see above for how far).

        Raises JournalError: disk full or broken, no room beside the unacked records, not open, or not the next
        record.
        """
        if not self._ready:
            raise JournalError("the journal in %s is not open" % self._dir)
        if not self.free():
            raise JournalError("the journal is full: %d records wait for an ack" % self.unacked())
        try:
            fits = line.endswith(b"\n") and ledger.record_seq(line[:-1]) == self.next_seq
        except ledger.LineError:
            fits = False
        if not fits:
            raise JournalError("what should be appended is not record %d" % self.next_seq)
        self._ready = False  # until it is known that the slot is whole
        try:
            self._make_room()
            self._write(self._file, line + b"\n" * (SLOT - len(line)))
        except OSError as e:
            self._close()
            raise JournalError("record %d cannot be written (%s)" % (self.next_seq, e))
        self._ready = True
        self._slots += 1
        self.next_seq += 1

    def _make_room(self):
        """Have the segment open that takes the next slot."""
        full = self._slots >= SEGMENT_SLOTS and self._firsts[-1] != self.next_seq
        if self._firsts and not full:
            if self._file is None:
                self._file = self._open_last()
                torn = os.stat(self._path(self._firsts[-1]))[6] % SLOT
                if torn:
                    self._write(self._file, b"#" * (SLOT - torn))
            return
        self._close()
        if not self._firsts:
            self._begin()
        while len(self._firsts) > 1 and self._firsts[1] < min(self.acked - RECALL_RECORDS + 2, self.keep):
            os.remove(self._path(self._firsts[0]))
            self._firsts.pop(0)
        self._firsts.append(self.next_seq)
        self._slots = 0
        self._file = self._open_last()

    def _begin(self):
        """A journal's first record: acks of one that was lost mean nothing any more."""
        try:
            os.mkdir(self._dir)
        except OSError:
            for name in os.listdir(self._dir):
                if name in ("acked.0", "acked.1"):
                    os.remove(self._dir + "/" + name)

    def _open_last(self):
        return open(self._path(self._firsts[-1]), "ab", buffering=0)

    @staticmethod
    def _write(f, data):
        if f.write(data) != len(data):
            raise OSError("short write")
        f.flush()

    def recall(self, seq: int):
        """The line of a record, bytes with LF; None if it is not here (never written, or long acked and gone).

        Raises JournalError if it should be here and cannot be read.
        """
        if not self._firsts or not self._firsts[0] <= seq < self.next_seq:
            return None
        first = max([f for f in self._firsts if f <= seq])
        try:
            with open(self._path(first), "rb") as f:
                f.seek((seq - first) * SLOT)  # or behind it, by as many slots as are torn
                found = self._read(f)
                while found is not None and found[0] != seq:
                    found = self._read(f)
        except OSError:
            found = None
        if found is None:
            raise JournalError("record %d cannot be read back" % seq)
        return found[1]

    def _put_aside(self, dev):
        firsts = self._list()
        try:
            if firsts:
                with open(self._path(firsts[0]), "rb") as f:
                    found = self._read(f)
                if found and b'"dev":"' + dev.encode() + b'"' not in found[1]:
                    return
            os.rename(self._dir, "%s.%s" % (self._dir, dev))
        except OSError as e:
            if e.args[0] != ENOENT:
                raise JournalError("the journal of %s cannot be put aside (%s)" % (dev, e))

    def prepare(self) -> bool:
        """Files need no erase ahead."""
        return True

    def check(self):
        """Files have no second copy."""

    # ------------------------------------------------------------ acks and room

    def unacked(self) -> int:
        """Records that the host has not acked."""
        return self.next_seq - 1 - self.acked

    def free(self) -> int:
        """Records that may be appended before an unacked one would have to go."""
        return max(0, self._capacity - self.unacked())

    def ack(self, seq: int):
        """All records up to seq are durable on the host. Never moves backwards; kept over a restart, and if a power
        cut takes that, records are only sent again. Raises JournalError: no such record, or the disk fails (acked
        stays)."""
        if seq <= self.acked:
            return
        if seq >= self.next_seq:
            raise JournalError("record %d was acked and never written" % seq)
        text = b"%d" % seq
        try:
            with open(self._dir + "/acked.%d" % self._ack_file, "wb", buffering=0) as f:
                self._write(f, text + b" %08X\n" % (binascii.crc32(text) & 0xFFFFFFFF))
        except OSError as e:
            raise JournalError("the ack of record %d cannot be written (%s)" % (seq, e))
        self._ack_file ^= 1
        self.acked = seq

    def _read_acked(self):
        """The higher of the two that are whole; the other one is the next to be written."""
        best = 0
        self._ack_file = 0
        names = os.listdir(self._dir)
        for n in (0, 1):
            name = "acked.%d" % n
            if name not in names:
                continue
            with open(self._dir + "/" + name, "rb") as f:
                text, _, crc = f.read(32).partition(b" ")
            if text.isdigit() and crc == b"%08X\n" % (binascii.crc32(text) & 0xFFFFFFFF) and int(text) > best:
                best = int(text)
                self._ack_file = n ^ 1
        return best

    # ------------------------------------------------------------ files

    def _path(self, first):
        return "%s/%010d.seg" % (self._dir, first)

    def _close(self):
        self._ready = False
        if self._file is not None:
            f, self._file = self._file, None
            try:
                f.close()
            except OSError:
                pass  # nothing is held back in it: every append flushed
