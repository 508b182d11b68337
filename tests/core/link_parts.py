"""A board's identity, a journal in a list and host lines, for the tests of the link."""

from tumbler.core import ledger, mac
from tumbler.core.link import Link

K = bytes(range(32))
RKEY, HKEY = mac.record_key(K), mac.host_key(K)
DEV = "sim-0000000000a1-9c1e"


class Identity:
    dev, k, fw, mpy, board, mode = DEV, K, "0123456789abcdef", "1.28.0", "pico", "production"

    def __init__(self, boot=12):
        self.boot = boot


class Journal:
    """A journal in a list; record n has seq n."""

    def __init__(self):
        self.lines, self.macs, self.boots, self.acked, self.acks = [], [mac.ZERO_MAC], [0], 0, 0

    @property
    def next_seq(self):
        return len(self.lines) + 1

    def unacked(self):
        return len(self.lines) - self.acked

    def free(self):
        return 200 - self.unacked()

    def recall(self, seq):
        return self.lines[seq - 1] if 0 < seq <= len(self.lines) else None

    def ack(self, seq):
        assert self.acked < seq <= len(self.lines)
        self.acked = seq
        self.acks += 1

    def write(self, count=1, boot=12):
        for _ in range(count):
            seq = self.next_seq
            line, tag = ledger.encode_record("spin", DEV, boot, seq, seq * 7, (seq, 3), RKEY, self.macs[-1])
            self.lines.append(line)
            self.macs.append(tag)
            self.boots.append(boot)


class Clock:
    """A terminal that has been up for 555 ms, always."""

    def t(self):
        return "555"


def a_link(records=0, boot=12):
    journal = Journal()
    journal.write(records, boot)
    return Link(Identity(), journal, Clock()), journal


def receive(link, data):
    for b in data:
        link.receive(b)


def told(link, data, now_ms=0):
    """Orders that come out of these bytes."""
    receive(link, data)
    orders = []
    for _ in range(data.count(b"\n") + 1):
        order = link.poll(now_ms)
        if order is not None:
            orders.append(order)
    return orders


def drain(link, now_ms=0, most=1000):
    """All lines the link has to say at this moment."""
    lines = []
    line = link.take(now_ms)
    while line is not None and len(lines) < most:
        lines.append(line)
        line = link.take(now_ms)
    return lines


def decoded(lines):
    return [ledger.decode_device(line[:-1]) for line in lines]


def seqs(lines):
    return [d["seq"] for d in decoded(lines) if "seq" in d]


def nonce(count, boot=12):
    return mac.nonce(K, DEV, boot, count)


def ack(journal, seq, n=1, cmd="ack", count=1, **other):
    values = [other.get("boot", journal.boots[seq]), seq, other.get("rmac", journal.macs[seq].hex())]
    return ledger.encode_command(cmd, other.get("nonce", nonce(count)), n, values, other.get("key", HKEY))


def order(n=1, count=1, by="host:anna", key=HKEY):
    return ledger.encode_command("maintenance", nonce(count), n, (by,), key)


CHALLENGE = "00112233445566aa"
HELLO = ledger.encode_command("hello?", None, None, (CHALLENGE,), None)
WELCOME = ledger.encode_command("welcome", nonce(1), 1, (0, 0, "0" * 32), HKEY)
