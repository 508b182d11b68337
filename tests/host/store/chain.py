"""A board's records for the tests of the store: one chain under the test key, taken by a store one after another."""

from datetime import datetime, timedelta, timezone

from tumbler.core import ledger, mac

from host_tools.settler import paytable as paytables
from host_tools.settler.settle import Wager
from host_tools.store import Occurred, Settler

DEV = "sim-0000000000a1-9c1e"
RECORD_KEY = mac.record_key(bytes(range(32)))
HOIANA = paytables.load("hoiana")
SETTLER = Settler(HOIANA)
BEGIN = datetime(2026, 3, 1, 12, 0, tzinfo=timezone.utc)

SMALL = Wager("W1", "Aroha", "small", "", 1000)
BIG = Wager("W2", "Ben", "big", "", 2000)
PAIR = Wager("W3", "Chen", "combination", "1-6", 500)
DOUBLE = Wager("W4", "Dana", "double", "3", 500)
BATCH = [SMALL, BIG, PAIR, DOUBLE]


def at(seconds):
    return BEGIN + timedelta(seconds=seconds)


class Chain:
    """Writes records in order and gives them to the store; `boot` and `seq` are those of the last one."""

    def __init__(self, store, dev=DEV):
        self.store, self.dev = store, dev
        self.boot, self.seq, self.mac = 1, 0, mac.ZERO_MAC

    def line(self, kind, *values):
        """The next record of the chain, without LF, and its fields."""
        self.seq += 1
        line, self.mac = ledger.encode_record(
            kind, self.dev, self.boot, self.seq, self.seq * 1000, values, RECORD_KEY, self.mac
        )
        return line[:-1], ledger.decode_device(line[:-1])

    def give(self, raw, fields, received_s=None, occurred_s=None, settler=SETTLER, bound_ms=0):
        received = at(fields["seq"] if received_s is None else received_s)
        occurred = None if occurred_s is None else Occurred(at(occurred_s), bound_ms)
        return self.store.ingest(self.dev, raw, fields, received, occurred, settler)

    def take(self, kind, *values, **when):
        return self.give(*self.line(kind, *values), **when)

    def betting(self, number=1, batch=BATCH):
        """A round up to its open bets, and a batch of wagers at the moment of its status."""
        self.take("spin", number, 3)
        self.take("bets_open", number, 3)
        self.store.update_live(self.dev, self.boot, "BETTING", number, None, at(self.seq))
        if batch:
            self.store.place_wagers(self.dev, number, batch, HOIANA, lambda: at(self.seq))

    def uncovered(self, number=1, batch=BATCH):
        self.betting(number, batch)
        self.take("bets_closed", number, "dealer", occurred_s=self.seq + 0.5)
        self.take("uncovered", number)

    def result(self, number=1, dice=(6, 1, 3), batch=BATCH):
        self.uncovered(number, batch)
        return self.take("result", number, dice, 4)

    def correct(self, number, dice):
        return self.take("correction", number, self.boot, self.seq, dice, "supervisor", "wrong_entry")

    def void(self, number, reason="dispute"):
        return self.take("void", number, self.boot, self.seq, "supervisor", reason)


def figures(entries):
    """What tests compare of entries: (wager_id, entry, outcome, won, returned)."""
    return [
        (made.settlement.wager.wager_id, made.entry, made.settlement.outcome, *made.settlement[3:]) for made in entries
    ]
