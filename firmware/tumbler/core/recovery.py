"""What the journal says at power-on: fold its records, oldest first, and decide how to go on (docs/ROUND.md).

The decisions: SPINNING, COASTING -> void "power_lost"; BETTING, CLOSED -> fault "power_lost" (the supervisor attests or
clears); UNCOVERED, RESULT -> go on; an uncleared fault stays a fault.
"""

from tumbler.core import fields as F
from tumbler.core import ledger
from tumbler.core import round as R
from tumbler.core.journal import JournalError, JournalLost

MOST_RECORDS = 48  # after so many without a round, a start writes the totals anew and recovery begins there


class Totals:
    """Counts of the records of a dev; the meter record carries them."""

    def __init__(self):
        self.rounds = self.spins = self.results = self.voids = self.corrections = self.faults = 0

    def count(self, kind: str, spins):
        """One record more. spins: those of a result, None if not known."""
        if kind == "spin":
            self.rounds += 1
        elif kind == "result":
            self.results += 1
            self.spins += spins or 0
        elif kind == "void":
            self.voids += 1
        elif kind == "correction":
            self.corrections += 1
        elif kind == "fault":
            self.faults += 1

    def values(self) -> tuple:
        return (self.rounds, self.spins, self.results, self.voids, self.corrections, self.faults)

    def take(self, record: dict):
        """The meter's totals replace what was counted from an incomplete journal."""
        self.rounds = record["rounds"]
        self.spins = record["spins"]
        self.results = record["results"]
        self.voids = record["voids"]
        self.corrections = record["corrections"]
        self.faults = record["faults"]


class Marks:
    """Where recovery has to begin: at the last spin or the last meter, whichever is older. A spin too long before the
    last meter is left out: that round cannot be corrected any more after a start."""

    def __init__(self):
        self.spin = self.meter = 0

    def note(self, kind: str, seq: int):
        if kind == "spin":
            self.spin = seq
        elif kind == "meter":
            self.meter = seq

    def first(self) -> int:
        """seq of the oldest record that is needed; without a meter all are, as nothing else has the totals."""
        if not self.spin or self.meter - self.spin > MOST_RECORDS:
            return self.meter or 1
        return min(self.meter, self.spin) or 1


class Recovery:
    """State folded from records; afterwards put(round) hands it to the table."""

    def __init__(self):
        self.boot = 0
        self.mac = "0" * 32
        self.phase = R.IDLE
        self.round = 0
        self.open = False
        self.in_force = ("", 0, 0)
        self.dice = ()
        self.causes = 0
        self.fault_ref = (0, 0)
        self.totals = Totals()
        self.marks = Marks()

    def fold(self, rec: dict):
        """One decoded durable record, the next in order."""
        kind = rec["kind"]
        self.boot = rec["boot"]
        self.mac = rec["mac"]
        self.totals.count(kind, rec.get("spins"))
        self.marks.note(kind, rec["seq"])
        if kind == "meter":
            self.totals.take(rec)
            self.round = rec["rounds"]  # they are numbered from 1
            if not self.open:
                self.phase = R.IDLE
        elif kind == "fault":
            self.causes |= 1 << F.FAULTS.index(rec["code"])
            self.fault_ref = (rec["boot"], rec["seq"])
        elif kind == "clear":
            self.causes = 0
        elif kind != "boot":
            self._fold_round(kind, rec)

    def _fold_round(self, kind, rec):
        self.round = rec["round"]
        self.in_force = (kind, rec["boot"], rec["seq"])
        if kind == "spin":
            self.phase, self.open, self.dice = R.SPINNING, True, ()
        elif kind == "bets_open":
            self.phase = R.BETTING
        elif kind == "bets_closed":
            self.phase = R.CLOSED
        elif kind == "uncovered":
            self.phase = R.UNCOVERED
        elif kind == "void":
            self.phase, self.open, self.dice = R.IDLE, False, ()
        else:  # result, correction
            self.dice, self.open = rec["dice"], False
            if kind == "result":
                self.phase = R.RESULT

    def put(self, r: R.Round):
        r.round, r.open, r.in_force, r.dice = self.round, self.open, self.in_force, self.dice
        r.causes, r.fault_ref = self.causes, self.fault_ref
        r.under = self.phase
        r.state = R.FAULT if self.causes else self.phase


def read(journal, dev: str, rkey: bytes) -> Recovery:
    """Fold what the journal holds of `dev`, from where its newest record said that it matters. rkey: record_key(K).

    Raises JournalError: it cannot be read, or a record in it is not one of this dev's chain; JournalLost: the records
    do not add up to the totals that the journal kept apart from them.
    """
    found, first = Recovery(), journal.keep
    line = journal.recall(first - 1)
    before = _decode(line)["mac"] if line else "0" * 32
    counted, totals = journal.counted
    whole = first == 1  # the totals are those of all records
    for seq in range(first, journal.next_seq):
        if seq == counted and whole:
            _compare(found, totals, seq)
        line = journal.recall(seq)
        rec = _decode(line)
        if rec["dev"] != dev or not ledger.mac_ok(line[:-1], rec, rkey, bytes.fromhex(before)):
            raise JournalError("record %d is not of the chain of %s" % (rec["seq"], dev))
        before = rec["mac"]
        found.fold(rec)
        if rec["kind"] == "meter":
            whole = True
            if seq >= counted and any([a < b for a, b in zip(found.totals.values(), totals)]):
                raise JournalLost("the totals of record %d are lower than those before record %d" % (seq, counted))
    if counted == journal.next_seq and whole:
        _compare(found, totals, counted)
    return found


def _compare(found, totals, seq):
    if found.totals.values() != totals:
        raise JournalLost("the totals before record %d are not those of the records" % seq)


def _decode(line):
    try:
        return ledger.decode_device(line[:-1])
    except ledger.LineError as e:
        raise JournalError("a record in the journal is none (%s)" % e)


def power_on(r: R.Round) -> list:
    """Decide for a round that was put from the journal -> effects, to be carried out after the boot record."""
    r.out.clear()
    if r.state == R.SPINNING:
        R.void(r, "board", "power_lost")
    elif r.state in (R.BETTING, R.CLOSED):
        R.fault(r, R.POWER_LOST)
    return r.out
