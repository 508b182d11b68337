"""The host's session against the firmware's own link, over a wire that damages both directions."""

import random

import pytest
from tumbler.core import ledger
from tumbler.core.link import Link

from host_tools.link.events import NOTHING, Alarm, Hello, Identity, Record
from host_tools.link.session import Session
from tests.core.link_parts import DEV, Clock, Journal, K, drain, receive
from tests.core.link_parts import Identity as BoardIdentity

TICK_MS = 50
MINUTE_MS = 60_000


class Both:
    """A board that writes records now and then, a host that commits them, and a wire with one fault in `rarely`."""

    def __init__(self, seed, rarely):
        self.random = random.Random(seed)
        self.rarely = rarely
        self.journal = Journal()
        self.link = Link(BoardIdentity(), self.journal, Clock())
        self.session = Session()
        self.stored = []
        self.alarms = []
        self.now_ms = 0
        self.last, self.restoring = NOTHING, False

    def restore(self, known, oldest=1):
        """The host comes back with a store that ends at record `known`; the board has those from `oldest` on."""
        self.session = Session()
        self.last = Identity(self.journal.boots[known], known, self.journal.macs[known].hex())
        self.restoring = True
        self.stored = self.journal.lines[:known]
        recall = self.journal.recall
        self.journal.recall = lambda seq: recall(seq) if seq >= oldest else None

    def wire(self, data):
        """Drop, double, cut, garble or stuff what passes."""
        if not data or self.random.randrange(self.rarely):
            return data
        place = self.random.randrange(len(data))
        return self.random.choice(
            [
                b"",
                data + data,
                data[:place],
                data[:place] + bytes([data[place] ^ 0x21]) + data[place + 1 :],
                data[:place] + b"\xff>>> " + data[place:],
            ]
        )

    def host(self, data, wire):
        now = self.now_ms / 1000
        events = self.session.feed(data, now)
        for event in events:
            if isinstance(event, Hello) and self.session.dev is None:
                events += self.session.accept(event, K, self.last, self.restoring)
            elif isinstance(event, Record):
                if event.new:
                    self.stored.append(event.raw + b"\n")
                self.session.committed(event)
            elif isinstance(event, Alarm):
                self.alarms.append(event)
        self.session.tick(now)
        receive(self.link, wire(self.session.output()))

    def pass_time(self, ms, wire, writing=True):
        for _ in range(ms // TICK_MS):
            self.now_ms += TICK_MS
            t = str(self.now_ms)
            if writing and self.random.randrange(40) == 0:
                self.journal.write()
            if self.now_ms % 1000 == 0:
                self.link.say(ledger.encode_ephemeral("status", DEV, 12, t, (self.journal.next_seq, "IDLE", 0)))
            for _ in range(4):
                self.link.poll(self.now_ms)
            self.host(b"".join(wire(line) for line in drain(self.link, self.now_ms)), wire)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rarely", [3, 20])
def test_every_record_arrives_once_and_is_acked_whatever_the_wire_does(seed, rarely):
    both = Both(seed, rarely)
    both.pass_time(3 * MINUTE_MS, both.wire)
    assert both.stored == both.journal.lines[: len(both.stored)]
    assert both.journal.acked <= len(both.stored)
    both.pass_time(MINUTE_MS // 2, lambda data: data, writing=False)
    assert len(both.journal.lines) > 40
    assert both.stored == both.journal.lines
    assert both.journal.acked == len(both.journal.lines)
    assert both.alarms == []


def test_on_a_clean_wire_nothing_is_sent_twice_and_nothing_refused():
    both = Both(1, 1)
    sent = []

    def wire(data):
        sent.extend(line for line in data.split(b"\n") if b'"seq"' in line and b'"mac"' in line and b'"dev"' in line)
        return data

    both.pass_time(2 * MINUTE_MS, wire)
    assert len(sent) == len(set(sent))
    assert (both.link.bad_lines, both.link.bad_acks, both.link.lost_bytes) == (0, 0, 0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rarely", [3, 20])
def test_a_restored_host_gets_every_record_again_once_whatever_the_wire_does(seed, rarely):
    both = Both(seed, 20)
    both.pass_time(2 * MINUTE_MS, lambda data: data)
    acked = both.journal.acked
    assert acked > 20
    both.restore(known=acked // 3)
    both.rarely = rarely
    both.pass_time(2 * MINUTE_MS, both.wire)
    assert both.stored == both.journal.lines[: len(both.stored)] and both.journal.acked >= acked
    both.pass_time(MINUTE_MS // 2, lambda data: data, writing=False)
    assert both.stored == both.journal.lines and both.journal.acked == len(both.journal.lines)
    assert both.alarms == []


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rarely", [3, 20])
def test_what_the_board_does_not_have_any_more_is_named_exactly_whatever_the_wire_does(seed, rarely):
    both = Both(seed, 20)
    both.pass_time(2 * MINUTE_MS, lambda data: data)
    oldest = both.journal.acked - 5
    both.restore(known=3, oldest=oldest)
    both.rarely = rarely
    both.pass_time(MINUTE_MS, both.wire, writing=False)
    assert [(alarm.code, alarm.missing) for alarm in both.alarms[:1]] == [("store_behind", (4, oldest - 1))]
