"""The link's mouth: what it sends when, and delivery over a wire that drops, doubles, cuts, garbles and reorders."""

from tumbler.core import ledger, mac
from tumbler.core.framer import Framer
from tumbler.core.link import Link

from tests.core import kit
from tests.core.link_parts import HELLO, HKEY, RKEY, Clock, Identity, Journal, a_link, ack, drain, seqs, told


def test_records_flow_in_order_without_any_host():
    link, journal = a_link(30)
    assert seqs(drain(link)) == list(range(1, 31))
    journal.write(2)
    assert seqs(drain(link, 500)) == [31, 32]
    assert drain(link, 500) == []


def test_records_written_after_a_long_silence_go_out_at_once():
    link, journal = a_link(1)
    drain(link, 0)
    told(link, ack(journal, 1, cmd="welcome"), 100)
    journal.write()
    assert seqs(drain(link, 100000)) == [2]
    journal.write()
    assert seqs(drain(link, 100300)) == [3]


def test_lines_sent_are_the_bytes_of_the_journal():
    link, journal = a_link(4)
    assert drain(link)[1:] == journal.lines


def test_resend_begins_behind_the_ack_1_s_after_the_last_send():
    link, journal = a_link(4)
    drain(link, 0)
    told(link, ack(journal, 2), 300)
    sent = [(ms, seq) for ms in range(310, 3000, 10) for seq in seqs(drain(link, ms))]
    assert sent == [(1300, 3), (1300, 4), (2300, 3), (2300, 4)]  # 1 s after the ack had moved


def test_nothing_is_resent_while_acks_move_and_nothing_when_all_is_acked():
    link, journal = a_link(6)
    drain(link, 0)
    for seq in range(1, 7):
        told(link, ack(journal, seq, n=seq), seq * 900)
        assert seqs(drain(link, seq * 900 + 90)) == []
    assert seqs([line for ms in range(5500, 20000, 100) for line in drain(link, ms)]) == []


def test_no_record_is_sent_twice_within_1_s_whatever_is_written_meanwhile():
    for seed in range(5):
        link, journal = a_link(3)
        chance, last, n = kit.Random(seed), {}, 0
        for ms in range(0, 60000, 10):
            if ms < 55000 and chance.below(60) == 0:
                journal.write()
            if last and journal.acked < max(last) and chance.below(400) == 0:
                n += 1
                told(link, ack(journal, journal.acked + 1, n=n), ms)
            line = link.take(ms)
            for seq in seqs([line] if line else []):
                assert ms - last.get(seq, -1000) >= 1000, "seed %d: record %d at %d" % (seed, seq, ms)
                last[seq] = ms
        assert len(last) == len(journal.lines)


def test_a_board_that_never_stops_writing_still_resends():
    link, journal = a_link(1)
    drain(link, 0)  # record 1 goes out and is lost
    again = []
    for ms in range(100, 10000, 100):
        if ms % 300 == 0:
            journal.write()
        again += [ms for seq in seqs(drain(link, ms)) if seq == 1]
    assert 3 <= len(again) and again[0] <= 2000


def test_a_long_backlog_is_sent_to_its_end_before_anything_again():
    link, _ = a_link(150)
    sent = []
    for ms in range(0, 6000, 20):  # one line each 20 ms: a pass takes 3 s
        line = link.take(ms)
        if line is not None:
            sent += seqs([line])
    assert sent[:150] == list(range(1, 151))
    assert sent[150:153] == [1, 2, 3]


def test_an_ack_ahead_of_the_resend_is_not_sent_again():
    link, journal = a_link(10)
    drain(link, 0)
    assert seqs([link.take(1000), link.take(1000)]) == [1, 2]
    told(link, ack(journal, 8), 1010)
    assert seqs(drain(link, 1010)) == [9, 10]


# ------------------------------------------------------------ a wire that spoils everything


class Wire:
    """Lines in, bytes out: dropped, doubled, cut, garbled, late (so reordered), an old one again; bad: 16ths of all."""

    def __init__(self, chance, bad):
        self.chance, self.bad, self.late, self.old = chance, bad, [], []

    def carry(self, line):
        """-> list of byte strings that arrive now."""
        chance, out = self.chance, []
        self.old = self.old[-40:] + [line]
        if chance.below(16) >= self.bad:
            out.append(line)
        else:
            kind, at = chance.below(7), chance.below(len(line))
            if kind == 1:
                out += [line, line]
            elif kind == 2:
                out.append(line[:at])
            elif kind == 3:
                out.append(line[:at] + bytes([line[at] ^ (1 << chance.below(8))]) + line[at + 1 :])
            elif kind == 4:
                self.late.append(line)
            elif kind == 5:
                out += [line, chance.choice(self.old)]
            elif kind == 6:
                out.append(b"\x00\xff\r\n>>> \x03" + line)
        if self.late and chance.below(4) == 0:
            out.append(self.late.pop(0))
        return out


class Host:
    """The least host there can be: takes the next record of the chain, acks it, welcomes, and gives orders."""

    def __init__(self, wire):
        self.wire, self.framer = wire, Framer()
        self.got, self.last, self.chain = [], (0, 0, "0" * 32), mac.ZERO_MAC
        self.nonce, self.n, self.ordered = "", 0, []

    def say(self, cmd, values):
        self.n += 1
        return self.wire.carry(ledger.encode_command(cmd, self.nonce, self.n, values, HKEY))

    def order(self):
        by = "host:%d" % len(self.ordered)
        self.ordered.append(by)
        return self.say("maintenance", (by,)) if self.nonce else []

    def hear(self, data):
        """-> byte strings that arrive at the board."""
        out = []
        for is_line, chunk in self.framer.feed(data):
            try:
                got = ledger.decode_device(chunk) if is_line else None
            except ledger.LineError:
                got = None
            if got and got["kind"] == "hello":
                if got["nonce"] != self.nonce:
                    self.nonce, self.n = got["nonce"], 0
                out += self.say("welcome", self.last)
            elif got and "seq" in got:
                if got["seq"] == len(self.got) + 1 and ledger.mac_ok(chunk, got, RKEY, self.chain):
                    self.got.append(chunk)
                    self.chain = bytes.fromhex(got["mac"])
                    self.last = (got["boot"], got["seq"], got["mac"])
                if self.nonce and self.got:
                    out += self.say("ack", self.last)
        return out


def deliver(seed, bad, records, restarts):
    chance = kit.Random(seed)
    journal, boot = Journal(), 1
    link = Link(Identity(boot), journal, Clock())
    to_host, to_board = Wire(chance, bad), Wire(chance, bad)
    host, orders, ms = Host(to_board), [], 0
    while ms < 900000 and not (len(journal.lines) == journal.acked == records):
        ms += 20
        if len(journal.lines) < records and chance.below(10) == 0:
            journal.write(boot=boot)
        if restarts and chance.below(500) == 0:
            boot += 1
            bad_acks = link.bad_acks
            link = Link(Identity(boot), journal, Clock())
            assert bad_acks == 0
        arriving = []
        line = link.take(ms % (1 << 30))
        if line is not None:
            for data in to_host.carry(line):
                arriving += host.hear(data)
                if chance.below(16) < bad:
                    arriving.append(data)  # the console's echo
        if chance.below(50) == 0:
            arriving += host.order()
        if chance.below(400) == 0:
            arriving += to_board.carry(HELLO)
        for data in arriving:
            orders += [o["by"] for o in told(link, data, ms)]
    where = "seed %d, bad %d/16" % (seed, bad)
    assert [line[:-1] for line in journal.lines] == host.got, where
    assert len(host.got) == journal.acked == records, where
    assert len(set(orders)) == len(orders), where + ": an order came twice"
    assert all([by in host.ordered for by in orders]), where + ": an order that nobody gave"
    assert link.bad_acks == 0, where
    return orders, host.ordered


def test_over_a_clean_wire_all_records_and_all_orders_arrive():
    orders, ordered = deliver(1, 0, 60, False)
    assert orders == ordered[-len(orders) :] and len(orders) >= len(ordered) - 2


def test_every_record_arrives_once_and_in_order_and_nothing_that_was_not_sent():
    for seed in range(12):
        deliver(seed, 1 + seed % 8, 60, False)


def test_the_same_with_a_board_that_restarts():
    for seed in range(20, 28):
        deliver(seed, 1 + seed % 6, 60, True)
