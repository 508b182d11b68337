"""The journal in raw flash: every record twice, in two rings of sectors, so that no failing sector and no power cut
loses one that append() returned for (docs/SAFETY.md).

The main ring, three quarters of the sectors, holds the acked rounds for recall too; the copy, the rest, what may not be
lost: all from `floor` on, which is what the host has not acked, what recovery needs, and the record before that.

`sectors`, the flash: count; read(sector, offset, buf); program(sector, offset, page), whole aligned pages of 256 bytes,
bits only clear; erase(sector), 4096 bytes to FF. Each raises OSError. hw has the board's, the simulator its model.
"""

from tumbler.core import journal_pages as P
from tumbler.core import ledger
from tumbler.core.journal import ROUND_RECORDS, JournalError, JournalLost
from tumbler.core.journal_ring import Ring

ROUND_ROOM = ROUND_RECORDS + 4  # records that take no erase within a round: its own, faults and clears
NOTE_ACKS = 2 * ROUND_RECORDS  # acks that are noted by themselves when no record took them along
MAIN, COPY = 0, 1


def split(count: int) -> tuple:
    """Sectors of the main ring and of the copy, out of so many."""
    return count - count // 4, count // 4


class FlashJournal:
    """A journal. Attributes: next_seq, acked, and the two that the terminal sets: keep (recovery needs the records from
    this one on) before append(), totals (six counts of all records up to here) before append() and prepare().

    sectors: see above; blocks: the file system's block of every guard, in their order, for the headers. Raises
    ValueError if they lie scattered over more than 44 runs. Held in memory: two ints a sector, six pages.
    """

    def __init__(self, sectors, blocks=()):
        main, copy = split(sectors.count)
        layout = P.layout(main, copy, blocks)
        self._main = Ring(sectors, 0, main, MAIN, layout)
        self._copy = Ring(sectors, main, copy, COPY, layout)
        self._ready = False
        self._reset()

    def _reset(self):
        self.next_seq, self.acked, self.keep = 1, 0, 1
        self._noted = 0  # acked, as the flash has it
        self.counted = P.NOTHING
        self.totals = self.counted[1]

    # ------------------------------------------------------------ open

    def open(self, dev: str, replaces=None):
        """Find the records of a dev, bring both rings to the same end, and take records from then on. replaces: the dev
        before, whose records may lie here too and stay until the ring comes round to them.

        `counted` is then (seq, totals): the totals before record seq, as a sector's header tells them. Raises
        JournalLost: the records end before one that was acked; JournalError: one that is needed is in neither ring,
        the flash cannot be read, or what lies in it is another journal. It then takes no record and gives none back.
        """
        self._ready = False
        self._reset()
        main, copy = self._main, self._copy
        main.scan(dev)
        copy.scan(dev)
        found = main.found or copy.found
        if (main.unread and copy.unread) or (not found and (main.unread or copy.unread)):
            raise JournalError("the flash of the journal cannot be read")
        if not found:
            if replaces is None and (main.others or copy.others):
                raise JournalError("the journal here is that of %s" % (main.others or copy.others))
            self._ready = True
            return
        end, acked, keep = max(main.end, copy.end), max(main.acked, copy.acked), max(main.keep, copy.keep)
        floor = max(1, min(acked + 1, keep - 1))
        holes = self._holes(floor, end, acked)
        main.settle()
        copy.settle()
        self.counted = max(main.counted, copy.counted)
        marks = (acked, keep, floor, self.counted)
        self._mend(main, copy, holes[MAIN], end, marks)
        self._mend(copy, main, holes[COPY], end, marks)
        self.next_seq, self.acked, self.keep, self._noted = end + 1, acked, keep, acked
        self._ready = True

    def _holes(self, floor, end, acked):
        """The first record from floor to end that the main ring misses, and that the copy does, 0 for none. Raises
        JournalError."""
        holes, lost, last = [0, 0], 0, 0
        for seq in range(floor, end + 1):
            in_main, in_copy = self._main.line(seq), self._copy.line(seq)
            if in_main is None and not holes[MAIN]:
                holes[MAIN] = seq
            if in_copy is None and not holes[COPY]:
                holes[COPY] = seq
            if in_main is None and in_copy is None:
                lost = lost or seq
            else:
                last = seq
            if in_main and in_copy and in_main != in_copy:
                raise JournalError("there are two different records %d" % seq)
        if acked > end or (lost > last and lost <= acked):
            if self._main.failed or self._copy.failed:
                raise JournalError("the flash of the journal cannot be read")  # it may be there still
            raise JournalLost("the journal ends at record %d, but %d was acked" % (last, acked))
        if lost:
            raise JournalError("record %d is missing" % lost)
        return holes

    def _mend(self, ring, other, hole, end, marks):
        """Write what this ring misses, out of the other. hole: the first record that it misses, 0 for none. A ring that
        misses only the last ones gets those, another one all that is needed once more: what it holds by now may go."""
        behind, floor = ring.end + 1, marks[2]
        if not hole and behind > end:
            return
        full = ring is self._copy and ring.free(floor) <= end - behind
        if full or behind < floor or 0 < hole < behind:
            ring.restart()
            if ring is self._copy:
                ring.drop()  # it may have no room for more; the main ring, mended first, has them all
            behind = floor
        for seq in range(behind, end + 1):
            line = other.line(seq) or ring.line(seq)
            if line is None:
                raise JournalError("record %d cannot be read back" % seq)
            ring.append(seq, line, *marks)

    # ------------------------------------------------------------ records

    def append(self, line: bytes):
        """Keep one record, the line with its LF; in both rings, read back, when this returns.

        Raises JournalError: flash that fails, no room beside what may not be lost, not open, or not the next record.
        After that nothing more is appended until open() has looked at what the flash really holds.
        """
        if not self._ready:
            raise JournalError("the journal is not open")
        if not self.free():
            raise JournalError("the journal is full: %d records wait for an ack" % self.unacked())
        try:
            fits = line.endswith(b"\n") and ledger.record_seq(line[:-1]) == self.next_seq
        except ledger.LineError:
            fits = False
        if not fits:
            raise JournalError("what should be appended is not record %d" % self.next_seq)
        self._write(self.next_seq, line)
        self.next_seq += 1

    def _write(self, seq, line):
        self._ready = False  # until it is known that both are whole
        for ring in (self._main, self._copy):
            ring.append(seq, line, self.acked, self.keep, self._floor(), (self.next_seq, self.totals))
        self._noted = self.acked
        self._ready = True

    def recall(self, seq: int):
        """The line of a record, bytes with LF; None if it is not here (never written, or long acked and gone).

        Raises JournalError if it should be here and cannot be read.
        """
        if not 0 < seq < self.next_seq:
            return None
        line = self._main.line(seq)
        if line is None:
            line = self._copy.line(seq)
        if line is None and seq >= self._floor():
            raise JournalError("record %d cannot be read back" % seq)
        return line

    def check(self):
        """Read what recovery needs out of both rings: before a round and after it. Raises JournalError if either
        misses a record of it; the journal then takes none any more."""
        ready, self._ready = self._ready, False
        for seq in range(max(1, self.keep - 1), self.next_seq):
            line = self._main.line(seq)
            if line is None or line != self._copy.line(seq):
                raise JournalError("record %d is not in both rings" % seq)
        self._ready = ready

    # ------------------------------------------------------------ acks and room

    def _floor(self):
        return max(1, min(self.acked + 1, self.keep - 1))

    def unacked(self) -> int:
        """Records that the host has not acked."""
        return self.next_seq - 1 - self.acked

    def free(self) -> int:
        """Records that may be appended at the least before one would have to go that may not be lost."""
        floor = self._floor()
        return min(self._main.free(floor), self._copy.free(floor))

    def ack(self, seq: int):
        """All records up to seq are durable on the host. Never moves backwards. It reaches the flash with the next
        record, or in prepare(); if a power cut comes before that, records are sent again. Raises JournalError: no such
        record."""
        if seq >= self.next_seq:
            raise JournalError("record %d was acked and never written" % seq)
        self.acked = max(self.acked, seq)

    def prepare(self) -> bool:
        """Erase at most one sector ahead, or note acks -> whether nothing of that is left to do, so that a whole round
        needs no erase. For IDLE, now and then: an erase takes 45 to 400 ms. Raises JournalError."""
        if self._ready:
            if self.acked - self._noted >= NOTE_ACKS:
                self._write(self.next_seq - 1, b"")
                return False
            floor = self._floor()
            for ring in (self._main, self._copy):
                if ring.erased() < ROUND_ROOM:
                    ring.erase_ahead(floor)
                    return False
        return self._ready
