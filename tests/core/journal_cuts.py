"""A journal's life with power cuts and failing flash: at every operation, at every pair of them, and at random.

For the tests on CPython and for `make soak`. Every function returns how much it tried; an AssertionError names what
went wrong and where.
"""

import copy
import random

from tumbler.core.journal import JournalError
from tumbler.core.journal_flash import FlashJournal

from tests.core.journal_flash_parts import CLEAN_AFTER, CLEAN_BEFORE, TORN, Nor, PowerOff, needed, opened, record

SECTORS = 24  # 18 in the main ring, 6 in the copy
HOWS = (CLEAN_BEFORE, TORN, CLEAN_AFTER)


class Life:
    """A journal, its flash, and what it must still know after a restart. A record that is written again after a start
    that had lost it differs from the first try, so that nothing stale is taken for it."""

    def __init__(self, sectors=SECTORS, seed=1):
        self.nor = Nor(sectors, seed=seed)
        self.journal = FlashJournal(self.nor, range(300, 300 + sectors))
        self.starts = 0
        self.lines = {}  # seq: the line that append() returned for
        self.pending = b""  # the line of an append() that has not returned
        self.acked = self.acked_in_flash = 0  # by the host; as the last record that was kept took it along

    def fork(self, seed=1):
        """The same life once more, to go another way."""
        other = copy.copy(self)
        other.lines = dict(self.lines)
        other.nor = Nor(self.nor.count, bytearray(self.nor.data), seed=seed)
        other.nor.stuck, other.nor.bad_reads, other.nor.bad_writes = (
            self.nor.stuck,
            self.nor.bad_reads,
            self.nor.bad_writes,
        )
        other.journal = copy.copy(self.journal)
        other.journal._main = _fork_ring(self.journal._main, other.nor)
        other.journal._copy = _fork_ring(self.journal._copy, other.nor)
        return other

    @property
    def last(self):
        return len(self.lines)

    def start(self):
        """Power on: what was kept must be there, in both rings, and nothing else."""
        self.starts += 1
        self.nor = _powered(self.nor)
        self.journal = journal = opened(self.nor)
        if journal.next_seq == self.last + 2 and self.pending:
            self.lines[self.last + 1] = self.pending
        self.pending = b""
        assert journal.next_seq == self.last + 1, "ends at %d, not at %d" % (journal.next_seq - 1, self.last)
        assert self.acked_in_flash <= journal.acked <= self.acked, "acked %d" % journal.acked
        journal.check()
        for seq in range(min(journal.acked + 1, journal.keep - 1), self.last + 1):
            assert journal.recall(seq) == self.lines.get(seq), "record %d" % seq
        for seq in range(max(1, self.last - 60), self.last + 1):
            assert journal.recall(seq) in (None, self.lines[seq]), "record %d" % seq
        assert journal.recall(self.last + 1) is None

    def step(self):
        """One record more; before a round's first one erase ahead, after its last one the host acks."""
        journal, seq = self.journal, self.last + 1
        if seq % 8 == 1:
            for _ in range(8):
                if journal.prepare():
                    break
            journal.check()
        journal.totals = (seq, 0, 0, 0, 0, 0)
        self.pending = record(seq, self.starts)
        acked = journal.acked
        journal.append(self.pending)
        self.lines[seq], self.pending, self.acked_in_flash = self.pending, b"", acked
        journal.keep = needed(seq)
        if seq % 8 == 0:
            journal.check()
            self.ack()

    def ack(self):
        """The host has all."""
        self.acked = self.last
        self.journal.ack(self.last)

    def live(self, records):
        for _ in range(records):
            self.step()

    def cut_in(self, step, n, how):
        """Do a step and cut the power at its n-th flash operation -> False if it has no so many."""
        self.nor.cut_at, self.nor.cut_how = self.nor.operations + n, how
        try:
            step(self)
        except PowerOff:
            return True
        self.nor.cut_at = -1
        return False


def _fork_ring(ring, nor):
    other = copy.copy(ring)
    other._sectors = nor
    other._gens, other._firsts = ring._gens[:], ring._firsts[:]
    other._buf, other._check = bytearray(len(ring._buf)), bytearray(len(ring._check))
    other._view = memoryview(other._buf)
    return other


def _powered(nor):
    """The same flash with the power on again."""
    other = Nor(nor.count, nor.data, seed=nor.operations + 7)
    other.stuck, other.bad_reads, other.bad_writes = nor.stuck, nor.bad_reads, nor.bad_writes
    return other


def _cuts(life, steps, hows, then):
    """Along the steps (functions of a life), cut at every operation, in every way; then(fork) each time.

    -> (operations, cuts)."""
    operations = cuts = 0
    for at, step in enumerate(steps):
        for how in hows:
            n = 0
            fork = life.fork(n)
            while fork.cut_in(step, n, how):
                try:
                    then(fork)
                except Exception as e:
                    raise AssertionError("cut %d at operation %d of step %d (%s)" % (how, n, at, e)) from e
                n += 1
                cuts += 1
                fork = life.fork(n)
        operations += n
        step(life)
    return operations, cuts


def every_cut(rounds=30, hows=HOWS, after=10):
    """The power goes once, at every operation of so many rounds; then `after` records more and another start.

    -> (flash operations, cuts tried)."""

    def recover(life):
        life.start()
        life.live(after)
        life.start()

    return _cuts(Life(), [Life.start] + [Life.step] * (8 * rounds), hows, recover)


def every_pair(rounds=3, hows=(TORN,), after=2, before=30):
    """The power goes twice: at every operation of so many rounds, and then at every one up to their end, the recovery's
    among them; then `after` records more and another start. `before` rounds went before, so that old records lie in
    what is erased.

    -> (first cuts, pairs tried)."""
    pairs = 0
    old = Life()
    old.start()
    old.live(8 * before)
    end = old.last + 8 * rounds

    def recover(life):
        life.start()
        life.live(after)
        life.start()

    def go_on(life):
        nonlocal pairs
        left = max(0, end - life.last - (1 if life.pending else 0))
        pairs += _cuts(life, [Life.start] + [Life.step] * left, hows, recover)[1]

    firsts = _cuts(old, [Life.start] + [Life.step] * (8 * rounds), hows, go_on)[1]
    return firsts, pairs


def random_life(seed, records=200):
    """Records, restarts, power cuts and acks by chance, and faults that come and go in one of the rings: pages that
    decay, bits that stick, sectors that take nothing. An append or a check may fail; nothing that was kept may be lost.

    -> (records kept, power cuts, faults)."""
    chance = random.Random(seed)
    life = Life(seed=seed)
    main = SECTORS - SECTORS // 4
    sectors = chance.choice((range(main), range(main, SECTORS)))
    cuts = faults = 0
    try:
        _start_whatever(life)
        while life.last < records:
            what = chance.randrange(40)
            if what < 3:
                try:
                    cuts += life.cut_in(Life.step, chance.randrange(8), chance.choice(HOWS))
                except JournalError:
                    pass
            elif what < 5:
                faults += 1
                _fault(life.nor, chance, sectors)
                continue
            elif what < 6:
                life.nor.stuck.clear()
                life.nor.bad_writes.clear()
                continue
            elif what < 38:
                try:
                    life.step()
                    continue
                except JournalError:
                    life.ack()  # it may be full
            while chance.randrange(3) == 0:
                try:
                    cuts += life.cut_in(Life.start, chance.randrange(12), chance.choice(HOWS))
                except JournalError:
                    pass
            _start_whatever(life)
    except Exception as e:
        raise AssertionError("seed %d, record %d, start %d (%s)" % (seed, life.last, life.starts, e)) from e
    return life.last, cuts, faults


def _fault(nor, chance, sectors):
    sector, page = chance.choice(sectors), chance.randrange(16)
    at = sector * 4096 + page * 256 + chance.randrange(256)
    what = chance.randrange(3)
    if what == 0:
        for n in range(at, min(at + chance.randrange(1, 9), len(nor.data))):
            nor.data[n] ^= chance.randrange(256)
    elif what == 1:
        nor.stuck[at] = chance.choice(((1 << chance.randrange(8), 0), (0, 1 << chance.randrange(8))))
    else:
        nor.bad_writes.add(sector)


def _start_whatever(life):
    """Start; if the faults are too many for that, once more without them."""
    try:
        life.start()
    except JournalError:
        life.nor.stuck.clear()
        life.nor.bad_writes.clear()
        life.start()
