"""One ring of flash sectors with records in rising order; the journal keeps two of them (core/journal_flash.py).

Sectors are used in the order of their numbers, round and round; each takes a higher generation than the one before.
Every page is read back after it was programmed. Pages and sectors that fail are left out: here until the next start,
where they get another chance. A sector counts as erased only if it was erased since the start.
"""

from tumbler.core import journal_pages as P
from tumbler.core.journal import JournalError

TRIES = 4  # places that one record or header may fail at
SECTOR_RECORDS = (P.SECTOR_PAGES - 1) // 2  # of the longest kind, that a sector holds at least


class Ring:
    """The sectors base to base + count - 1. Attributes after scan():

    end: seq of its last record (0: none); acked, keep: as its newest record says; counted: (seq, the totals before that
    record) of its newest header; found: how many sectors hold records of this dev; others: the dev of sectors that hold
    another one's, or ""; unread: how many headers could not be read; failed: something could not be read since then.
    """

    def __init__(self, sectors, base: int, count: int, ring: int, layout: bytes):
        self._sectors, self._base, self._count, self._ring, self._layout = sectors, base, count, ring, layout
        self._gens, self._firsts = [0] * count, [0] * count  # generation 0: no records of this dev; -1: fails
        self._buf, self._check = bytearray(2 * P.PAGE), bytearray(P.PAGE)
        self._view = memoryview(self._buf)
        self._dev = b""
        self._forget()

    def _forget(self):
        for i in range(self._count):
            self._gens[i] = self._firsts[i] = 0
        self._gen = 0  # the highest in the ring, of whatever dev
        self._at, self._page = self._count - 1, P.SECTOR_PAGES  # where the next record goes
        self._erased = 0  # sectors ahead that were erased since the start
        self._bad = 0
        self._touched = P.SECTOR_PAGES  # from here to _page: pages that a cut may have touched
        self._near = (0, 0, 0)  # seq, sector, page: where the record behind the last one read would be
        self.end = self.acked = self.keep = 0
        self.counted = P.NOTHING
        self.found, self.others, self.unread, self.failed = 0, "", 0, False
        self._length = self._seq = 0

    # ------------------------------------------------------------ what is there

    def scan(self, dev: str):
        """Read every header and the pages of the newest sector; writes nothing. Raises JournalError: a sector belongs
        to a journal that is laid out in another way, or another dev's records are newer."""
        self._forget()
        self._dev = P.dev_bytes(dev)
        newest = others = 0
        for i in range(self._count):
            if not self._read(i, 0, self._check):
                self.unread += 1
                self._fails(i)  # it may hold records: no erase before it was read
                continue
            header = P.header(self._check)
            if header is None:
                continue
            ring, layout, gen, first, acked, keep, of, counted = header
            if ring != self._ring or layout != self._layout:
                raise JournalError("sector %d is of a journal with another layout" % (self._base + i))
            if gen > self._gen:
                self._gen, self._at = gen, i
            if of != self._dev:
                others = max(others, gen)
                self.others = P.dev_text(of)
                continue
            self.found += 1
            self._gens[i], self._firsts[i] = gen, first
            if gen > newest:
                newest = gen
                self.end, self.acked, self.keep, self.counted = first - 1, acked, keep, counted
        self._gen += self.unread  # theirs may be as high, and no two may have the same
        if newest and newest < others:
            raise JournalError("the journal of %s is followed by that of %s" % (dev, self.others))
        if newest:
            self._scan_newest()

    def _scan_newest(self):
        """Where the records end, and where the next one may go."""
        i, page, behind, blank = self._at, 1, 1, 1
        while page < P.SECTOR_PAGES:
            taken = self._load(i, page)
            if taken:
                self.end = self._seq
                self.acked, self.keep = self._marks
                behind = blank = page = page + taken
                continue
            page += 1
            if self._view[: P.PAGE] != P.BLANK[: P.PAGE]:
                blank = page
        # A cut may have touched one page more than shows it.
        self._touched, self._page = behind, min(blank + 1, P.SECTOR_PAGES)

    def _read(self, i, page, buf):
        try:
            self._sectors.read(self._base + i, page * P.PAGE, buf)
        except OSError:
            self.failed = True
            return False
        return True

    def _load(self, i, page):
        """Read the record that begins at a page into the buffer -> pages it takes, 0 if none begins there."""
        if not self._read(i, page, self._view[: P.PAGE]):
            self._buf[:] = P.BLANK  # nothing of what was there before
            self._buf[0] = 0
            return 0
        length = P.record_length(self._buf)
        taken = P.pages(length)
        if length < 0 or page + taken > P.SECTOR_PAGES:
            return 0
        if taken == 2 and not self._read(i, page + 1, self._view[P.PAGE :]):
            return 0
        found = P.record(self._buf, self._gens[i], length)
        if found is None:
            return 0
        self._seq, self._marks, self._length = found[0], found[1:], length
        return taken

    def _sector_of(self, seq, below):
        """The newest sector of a generation under `below` that begins at or before seq; the oldest one if none does, in
        an empty ring the current."""
        gen, oldest = self._gen + 1, self._at
        for back in range(self._count):
            i = (self._at - back) % self._count
            if self._gens[i] <= 0:
                continue
            if self._gens[i] >= gen:
                break
            gen, oldest = self._gens[i], i
            if gen < below and self._firsts[i] <= seq:
                break
        return oldest

    def line(self, seq: int):
        """The line of record seq, bytes; None if it is not here. A record behind the one read last costs one read."""
        near, i, page = self._near
        gen = self._gen + 1
        found = near == seq and i == self._sector_of(seq, gen) and self._find(seq, i, page)
        while not found:
            i = self._sector_of(seq, gen)
            if self._gens[i] <= 0 or self._gens[i] >= gen or self._firsts[i] > seq:
                return None
            gen = self._gens[i]  # next time an older one: the ring may have been mended from some record on
            found = self._find(seq, i, 1 + seq - self._firsts[i])
            if not found and self.failed:
                return None  # what could not be read may be the record, and an older sector hold one that was given up
        return bytes(self._view[P.RECORD_BYTES : P.RECORD_BYTES + self._length])

    def _find(self, seq, i, page):
        while page < P.SECTOR_PAGES:
            taken = self._load(i, page)
            page += taken or 1
            if taken and self._length and self._seq == seq:
                self._near = (seq + 1, i, page)
                return True
        return False

    # ------------------------------------------------------------ room

    def _spare(self, floor):
        """Sectors that hold nothing from record floor on."""
        return (self._sector_of(floor, self._gen + 1) - self._at - 1) % self._count - self._bad

    def free(self, floor: int) -> int:
        """Records of the longest kind that there is room for without record floor or a later one having to go; one
        sector stays in hand for one that fails."""
        return max(0, (P.SECTOR_PAGES - self._page) // 2 + SECTOR_RECORDS * (self._spare(floor) - 1))

    def erased(self) -> int:
        """Records of the longest kind that there is room for without an erase."""
        return (P.SECTOR_PAGES - self._page) // 2 + SECTOR_RECORDS * self._erased

    def _ahead(self, n):
        """The n-th sector behind the current one, 0 the next, those that fail left out."""
        i = self._at
        while True:
            i = (i + 1) % self._count
            if self._gens[i] >= 0:
                if not n:
                    return i
                n -= 1

    def _fails(self, i):
        self._gens[i], self._firsts[i] = -1, 0
        self._bad += 1

    def erase_ahead(self, floor: int) -> bool:
        """Erase one more sector, if there is one without record floor or a later one -> whether it tried to."""
        if self._spare(floor) <= self._erased:
            return False
        i = self._ahead(self._erased)
        self._gens[i] = self._firsts[i] = 0
        self._near = (0, 0, 0)
        try:
            self._sectors.erase(self._base + i)
            self._erased += 1
        except OSError:
            self._fails(i)
        return True

    # ------------------------------------------------------------ writing

    def settle(self):
        """Spoil the pages that a cut may have touched."""
        self._spoil(self._touched, self._page)
        self._touched = P.SECTOR_PAGES

    def _spoil(self, first, behind):
        """What these pages of the current sector hold can never turn into a record again."""
        self._check[:] = bytes(P.PAGE)
        for page in range(first, behind):
            try:
                self._sectors.program(self._base + self._at, page * P.PAGE, self._check)
            except OSError:
                pass  # it is left out in any case

    def restart(self):
        """The next record begins a sector, whatever the seq of the last one was."""
        self._page = P.SECTOR_PAGES

    def drop(self):
        """All records may go."""
        for i in range(self._count):
            if self._gens[i] > 0:
                self._gens[i] = self._firsts[i] = 0

    def append(self, seq: int, line: bytes, acked: int, keep: int, floor: int, counted):
        """Write record seq, or behind it a note (no line), and read it back; no sector with record floor or a later one
        goes for it. Raises JournalError."""
        taken = P.pages(len(line))
        for tries in range(TRIES):
            if tries == 2 or self._page + taken > P.SECTOR_PAGES:
                self._begin_sector(seq if line else seq + 1, acked, keep, floor, counted)
            page = self._page
            self._page += taken
            P.put_record(self._buf, self._gens[self._at], seq, acked, keep, line)
            if self._program(page, self._view[: P.PAGE]) and (
                taken == 1 or self._program(page + 1, self._view[P.PAGE :])
            ):
                self.end = seq
                return
            self._spoil(page, self._page)  # else a bit that reads right again would bring it back beside its successor
        raise JournalError("record %d cannot be written" % seq)

    def _begin_sector(self, first, acked, keep, floor, counted):
        for _ in range(TRIES):
            if not self._erased and not self.erase_ahead(floor):
                break
            if not self._erased:
                continue  # that one failed
            i = self._ahead(0)
            self._erased -= 1
            self._gen += 1
            P.put_header(
                self._view[: P.PAGE], self._ring, self._layout, self._gen, first, acked, keep, self._dev, counted
            )
            before, self._at = self._at, i
            if self._program(0, self._view[: P.PAGE]):
                self._gens[i], self._firsts[i] = self._gen, first
                self._page = 1
                return
            self._at = before
            self._fails(i)
        raise JournalError("there is no sector that takes record %d" % first)

    def _program(self, page, data):
        """Program one page of the current sector and read it back -> whether it holds what it should."""
        sector = self._base + self._at
        try:
            self._sectors.program(sector, page * P.PAGE, data)
            self._sectors.read(sector, page * P.PAGE, self._check)
        except OSError:
            return False
        return data == self._check
