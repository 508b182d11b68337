"""A terminal with rooms made of lists, for the tests of what ties keys, drum, round, journal and link together."""

from tumbler.core import events as E
from tumbler.core import ledger, ticks
from tumbler.core.journal import JournalError
from tumbler.core.terminal import Terminal

from tests.core.link_parts import DEV, HKEY, Clock, Identity, K

KEY_BITS = {str(n): E.KEY1 << (n - 1) for n in range(1, 7)}
KEY_BITS.update({"entry": E.ENTRY_KEY, "spin": E.SPIN_KEY, "no_more_bets": E.NO_MORE_KEY})
COVER = E.COVER_OPEN | E.COVER2_OPEN


class Board:
    """1 pulse a spin, 3 spins, 1 to 50 Hz; two cover contacts."""

    PIN_COVER2 = 20
    PULSES_PER_SPIN, SPINS_REQUIRED, MIN_HZ, MAX_HZ = 1, 3, 1, 50
    FIRST_PULSE_MS, RELAY_MAX_ON_MS, MIN_COAST_MS, MAX_COAST_MS = 1500, 15000, 1500, 8000
    UNCOVER_LIMIT_S = 120


class Born(Identity):
    """An identity that outlives restarts of the terminal."""

    def __init__(self):
        self.dev, self.boot, self.born, self.replaces = DEV, 0, False, None

    def mark_born(self):
        self.born = True

    def new_dev(self):
        self.replaces, self.dev, self.born = self.dev, "sim-0000000000a1-0002", False


class Store:
    """A journal in a list that can be told to fail; it is the board's flash, so it outlives restarts too."""

    def __init__(self):
        self.lines, self.acked, self.room, self.broken, self.after, self.keep = [], 0, 400, False, None, 1
        self.dev, self.totals, self.counted = DEV, None, (0, ())
        self.unprepared, self.unequal, self.calls = 0, False, []  # prepare() calls yet to come; copies that differ
        self.fails_to_prepare = False

    @property
    def next_seq(self):
        return len(self.lines) + 1

    def open(self, dev, replaces):
        if self.broken:
            raise JournalError("broken")
        if self.dev == replaces:
            self.dev, self.lines, self.acked, self.keep = dev, [], 0, 1

    def prepare(self):
        self.calls.append("prepare")
        if self.fails_to_prepare:
            raise JournalError("broken")
        self.unprepared = max(0, self.unprepared - 1)
        return not self.unprepared

    def check(self):
        self.calls.append("check")
        if self.unequal:
            raise JournalError("the copies differ")

    def append(self, line):
        if self.broken:
            raise JournalError("broken")
        self.lines.append(line)
        self.calls.append(ledger.decode_device(line[:-1])["kind"])
        if self.after:
            self.after()

    def unacked(self):
        return len(self.lines) - self.acked

    def free(self):
        return self.room - self.unacked()

    def recall(self, seq):
        return self.lines[seq - 1] if 0 < seq <= len(self.lines) else None

    def ack(self, seq):
        self.acked = seq


class Relay:
    """The dead-man at its interface: trips on an open cover and 80 ms without a feed, and then stays off."""

    def __init__(self, bench):
        self.bench, self.energised, self.fed_ms, self.tripped, self.stuck, self.feeds = bench, False, 0, False, False, 0

    def on(self):
        self.energised, self.tripped, self.fed_ms = True, False, self.bench.now_ms

    def off(self):
        self.energised = False

    def feed(self):
        assert self.energised, "a feed before the dead-man was armed would be taken for its longest on-time"
        self.feeds += 1
        self.fed_ms = self.bench.now_ms

    def is_on(self):
        if ticks.diff(self.bench.now_ms, self.fed_ms) > 80 or self.bench.mask & E.COVER_OPEN:
            self.tripped = self.tripped or self.energised
        return self.stuck or (self.energised and not self.tripped)


class Panel:
    """Display and signals."""

    def __init__(self):
        self.text, self.mode, self.beeps = "", 0, []

    def show(self, text):
        self.text = text

    def lamp(self, mode):
        self.mode = mode

    def beep(self, kind):
        self.beeps.append(kind)

    def tick(self, now_ms):
        pass


class Rooms:
    def __init__(self, bench):
        self.relay, self.clock, self.collected, self.maintained = Relay(bench), Clock(), 0, 0
        self.display = self.signals = bench.panel

    def collect(self):
        self.collected += 1

    def maintenance(self):
        self.maintained += 1


class Bench:
    """A terminal in front of a dealer: hands that press cleanly, a drum that turns at 5 Hz while the relay is on."""

    def __init__(self, store=None, identity=None, base_ms=0):
        self.store, self.identity = store or Store(), identity or Born()
        self.panel = Panel()
        self.mask, self.now_ms, self.count, self.lines, self.turned_ms = 0, base_ms, 0, [], 0
        self.turns = True
        self.start("power")

    def start(self, cause):
        """Power on."""
        self.rooms = Rooms(self)
        self.terminal = Terminal(Board, self.identity, self.store, self.rooms)
        self.terminal.power_on(self.now_ms, cause)
        return self.run(1000)

    @property
    def relay(self):
        return self.rooms.relay

    @property
    def state(self):
        return self.terminal.round.state

    def run(self, ms, gap_ms=2):
        """Ticks for so long."""
        for _ in range(ms // gap_ms):
            self.now_ms = (self.now_ms + gap_ms) & ticks.MASK
            if self.relay.is_on() and self.turns:
                self.turned_ms += gap_ms
                if self.turned_ms >= 200:
                    self.turned_ms = 0
                    self.count += 1
            self.terminal.tick(self.now_ms, self.mask, self.count)
            line = self.terminal.next_line(self.now_ms)
            if line is not None:
                self.lines.append((self.state, line))
        return self

    def tap(self, *names):
        for name in names:
            self.mask |= KEY_BITS[name]
            self.run(40)
            self.mask &= ~KEY_BITS[name]
            self.run(60)
        return self

    def switch(self, bits, on):
        self.mask = self.mask | bits if on else self.mask & ~bits
        return self.run(60)

    def to_betting(self):
        return self.tap("spin").run(5000)

    def to_uncovered(self):
        return self.to_betting().tap("no_more_bets").switch(COVER, True)

    def records(self):
        return [ledger.decode_device(line[:-1]) for line in self.store.lines]

    def kinds(self):
        return [record["kind"] for record in self.records()]

    def chain_holds(self):
        """Every record's mac fits the one before, and seq runs on."""
        before, rkey = bytes(16), ledger._mac.record_key(K)
        for n in range(len(self.store.lines)):
            line = self.store.lines[n][:-1]
            fields = ledger.decode_device(line)
            if fields["seq"] != n + 1 or not ledger.mac_ok(line, fields, rkey, before):
                return False
            before = bytes.fromhex(fields["mac"])
        return True


def order(b, cmd, *values):
    """Send one authentic order as the host would."""
    nonce = [f["nonce"] for f in (ledger.decode_device(line[:-1]) for _, line in b.lines) if f["kind"] == "hello"][-1]
    b.ordered = getattr(b, "ordered", 0) + 1
    for byte in ledger.encode_command(cmd, nonce, b.ordered, values, HKEY):
        b.terminal.link.receive(byte)
    b.run(40)
    said = [ledger.decode_device(line[:-1]) for _, line in b.lines]
    return [(f["ok"], f["why"]) for f in said if f["kind"] == "answer"][-1]
