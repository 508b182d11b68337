"""The terminal on the journal in raw flash: rounds, restarts and power cuts, one chain over all of it."""

from tumbler.core import events as E
from tumbler.core import ledger
from tumbler.core import round as R
from tumbler.core.journal_flash import FlashJournal

from tests.core.journal_flash_parts import TORN, Nor, PowerOff, flash
from tests.core.link_parts import K
from tests.core.terminal_parts import COVER, Bench, Born

SECTORS = 32
DIGITS = ("1", "3", "6", "entry")


class FlashBench(Bench):
    """A bench whose journal lies in flash; start() is a start of the board with what the flash holds."""

    def __init__(self, nor):
        self.nor = nor
        Bench.__init__(self, store=FlashJournal(nor), identity=Born())

    def start(self, cause):
        self.nor = Nor(SECTORS, self.nor.data)
        self.store = FlashJournal(self.nor)
        return Bench.start(self, cause)

    def records(self):
        lines = [self.store.recall(seq) for seq in range(1, self.store.next_seq)]
        return [ledger.decode_device(line[:-1]) for line in lines]

    def chain_holds(self):
        """Every record's mac fits the one before, and seq runs on."""
        before, rkey = bytes(16), ledger._mac.record_key(K)
        for seq in range(1, self.store.next_seq):
            line = self.store.recall(seq)[:-1]
            fields = ledger.decode_device(line)
            if fields["seq"] != seq or not ledger.mac_ok(line, fields, rkey, before):
                return False
            before = bytes.fromhex(fields["mac"])
        return True


def a_round(b):
    return b.to_uncovered().tap(*DIGITS).switch(COVER, False)


def test_rounds_and_restarts_under_one_chain():
    b = FlashBench(flash(SECTORS))
    for n in range(1, 4):
        a_round(b)
        assert b.kinds()[-6:] == ["spin", "bets_open", "bets_closed", "uncovered", "result", "meter"]
        b.start("power")
        assert (b.state, b.terminal.round.round, b.terminal.totals.values()) == (R.IDLE, n, (n, 3 * n, n, 0, 0, 0))
    assert b.chain_holds()


def test_the_power_goes_at_flash_operations_all_over_a_round():
    """Whatever was shown is in the journal at the next start, and the board can be played on."""
    cut, lived = 0, False
    while not lived:
        b = FlashBench(flash(SECTORS))
        a_round(b)
        shown = len(b.kinds())
        b.nor.cut_at, b.nor.cut_how = b.nor.operations + cut, TORN
        try:
            a_round(b)
            lived = True
        except PowerOff:
            shown = max(shown, b.store.next_seq - 1)
        b.nor.cut_at = -1
        b.mask = 0
        b.start("power")
        assert b.store.next_seq - 1 >= shown, cut
        if b.state == R.UNCOVERED:
            b.switch(COVER, True).tap(*DIGITS).switch(COVER, False)
        elif b.state == R.FAULT:
            b.switch(E.SUPERVISOR, True).tap("1", "entry").switch(E.SUPERVISOR, False)
        elif b.state == R.RESULT:
            b.switch(COVER, True).switch(COVER, False)
        rounds = b.terminal.round.round
        assert b.state == R.IDLE, (cut, b.state)
        a_round(b)
        assert b.chain_holds() and b.records()[-1]["kind"] == "meter", cut
        assert b.records()[-1]["rounds"] == rounds + 1, cut
        cut += 1
    assert cut > 12
