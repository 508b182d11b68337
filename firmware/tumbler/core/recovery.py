"""What the journal says at power-on: fold its records, oldest first, and decide how to go on (docs/ROUND.md).

The decisions: SPINNING, COASTING -> void "power_lost"; BETTING, CLOSED -> fault "power_lost" (the supervisor attests or
clears); UNCOVERED, RESULT -> go on; an uncleared fault stays a fault.
"""

from tumbler.core import fields as F
from tumbler.core import round as R

METER_FIELDS = [name for name, _ in F.DURABLE["meter"] if name != "gap_ms"]


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

    def fold(self, rec: dict):
        """One decoded durable record, the next in order."""
        kind = rec["kind"]
        self.boot = rec["boot"]
        self.mac = rec["mac"]
        self.totals.count(kind, rec.get("spins"))
        if kind == "meter":
            self.totals.take(rec)
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


def power_on(r: R.Round) -> list:
    """Decide for a round that was put from the journal -> effects, to be carried out after the boot record."""
    r.out.clear()
    if r.state == R.SPINNING:
        R.void(r, "board", "power_lost")
    elif r.state in (R.BETTING, R.CLOSED):
        R.fault(r, R.POWER_LOST)
    return r.out
