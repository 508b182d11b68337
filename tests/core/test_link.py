"""The link's ear: which lines of the host it believes, and that its memory is bounded."""

import binascii

from tumbler.core import ledger, mac
from tumbler.core.link import Link

from tests.core import kit
from tests.core.link_parts import (
    CHALLENGE,
    DEV,
    HELLO,
    HKEY,
    RKEY,
    WELCOME,
    Clock,
    Identity,
    Journal,
    a_link,
    ack,
    decoded,
    drain,
    nonce,
    order,
    receive,
    seqs,
    told,
)

# ------------------------------------------------------------ hello and welcome


def test_hello_says_who_where_and_how_full():
    link, journal = a_link(5)
    journal.acked = 2
    got = ledger.decode_device(link.take(0)[:-1])
    expected = {"dev": DEV, "boot": 12, "t": 555, "kind": "hello", "fw": "0123456789abcdef", "mpy": "1.28.0"}
    expected.update({"board": "pico", "mode": "production", "nonce": "e5b9a8676dd097b3", "next": 6, "unacked": 3})
    expected["free_rounds"] = 20  # (197 - 32) // 8
    assert got == expected


def test_hello_every_2_s_with_one_nonce_until_welcomed_with_it():
    link, _ = a_link()
    said = []
    for now_ms in range(0, 7000, 10):
        said += [(now_ms, d["nonce"]) for d in decoded(drain(link, now_ms))]
    assert said == [(0, nonce(1)), (2000, nonce(1)), (4000, nonce(1)), (6000, nonce(1))]
    assert not link.welcomed
    told(link, WELCOME)
    assert link.welcomed
    assert not any([drain(link, now_ms) for now_ms in range(7000, 30000, 100)])


def test_hello_keeps_its_pace_where_the_ticks_wrap():
    link, _ = a_link()
    start, said = (1 << 30) - 3000, []
    for ms in range(0, 7000, 10):
        said += [ms for _ in drain(link, (start + ms) % (1 << 30))]
    assert said == [0, 2000, 4000, 6000]


def test_hello_asked_for_comes_at_once_with_a_new_nonce_and_the_old_one_is_worth_nothing():
    link, journal = a_link(1)
    drain(link)
    told(link, WELCOME)
    told(link, HELLO)
    assert not link.welcomed
    assert [d["nonce"] for d in decoded(drain(link, 10)) if d["kind"] == "hello"] == [nonce(2)]
    assert told(link, order(n=9, count=1) + ack(journal, 1, n=10, count=1)) == [] and journal.acked == 0
    assert link.bad_lines == 2
    assert len(told(link, order(n=1, count=2))) == 1  # n counts from 1 again


def test_a_challenge_is_answered_behind_the_hello_with_the_proof_for_its_nonce():
    link, _ = a_link(1)
    drain(link)
    told(link, HELLO)
    hello, proof = decoded(drain(link, 10))[:2]
    assert (hello["kind"], proof["kind"], proof["challenge"]) == ("hello", "proof", CHALLENGE)
    text = ("proof %s %s %s" % (DEV, CHALLENGE, nonce(2))).encode()
    assert proof["proof"] == mac.hmac_sha256(bytes(range(32)), text)[:16].hex()


def test_a_host_that_has_more_than_the_journal_is_noticed():
    link, journal = a_link(3)
    drain(link)
    told(link, ledger.encode_command("welcome", nonce(1), 1, (12, 3, journal.macs[3].hex()), HKEY))
    assert not link.host_ahead and journal.acked == 3
    told(link, ledger.encode_command("welcome", nonce(1), 2, (12, 4, "a" * 32), HKEY))
    assert link.host_ahead


def test_every_hello_asked_for_draws_another_nonce():
    link, _ = a_link()
    drain(link)
    drawn = []
    for _ in range(5):
        told(link, HELLO)
        drawn += [d["nonce"] for d in decoded(drain(link)) if d["kind"] == "hello"]
    assert drawn == [nonce(n) for n in (2, 3, 4, 5, 6)]


def test_boot_may_become_known_after_the_link_is_made():
    identity = Identity(boot=0)
    link = Link(identity, Journal(), Clock())
    identity.boot = 40
    assert [d["nonce"] for d in decoded(drain(link))] == [nonce(1, boot=40)]


def test_nothing_is_believed_before_the_first_hello_was_taken():
    link, _ = a_link()
    assert told(link, WELCOME + order(n=2)) == []
    assert not link.welcomed and link.bad_lines == 2


def test_a_welcome_with_another_nonce_or_key_is_none():
    link, journal = a_link(1)
    drain(link)
    told(link, ack(journal, 1, cmd="welcome", count=2) + ack(journal, 1, cmd="welcome", key=RKEY))
    assert not link.welcomed and journal.acked == 0 and link.bad_lines == 2


def test_a_welcome_acks_what_it_names_and_zeros_ack_nothing():
    link, journal = a_link(3)
    drain(link)
    told(link, WELCOME)
    assert (journal.acked, link.bad_acks, link.bad_lines) == (0, 0, 0)
    told(link, ack(journal, 2, n=2, cmd="welcome"))
    assert journal.acked == 2


# ------------------------------------------------------------ acks


def test_an_ack_is_cumulative_and_never_moves_backwards():
    link, journal = a_link(9)
    drain(link)
    told(link, ack(journal, 4, n=1))
    assert journal.acked == 4
    told(link, ack(journal, 2, n=2) + ack(journal, 4, n=3))
    assert (journal.acked, journal.acks, link.bad_acks) == (4, 1, 0)
    told(link, ack(journal, 9, n=4))
    assert journal.acked == 9


def test_an_ack_of_another_mac_boot_or_record_is_refused_and_counted():
    link, journal = a_link(5)
    drain(link)
    bad = (
        ack(journal, 3, n=1, rmac=journal.macs[4].hex()),
        ack(journal, 3, n=2, rmac="0" * 32),
        ack(journal, 3, n=3, boot=11),
        ledger.encode_command("ack", nonce(1), 4, (12, 6, journal.macs[5].hex()), HKEY),  # never written
        ledger.encode_command("ack", nonce(1), 5, (12, 0, "0" * 32), HKEY),
        ack(journal, 3, n=6, cmd="welcome", boot=11),
    )
    for n in range(len(bad)):
        told(link, bad[n])
        assert (journal.acked, link.bad_acks, link.bad_lines) == (0, n + 1, 0)


def test_an_ack_beyond_what_was_sent_is_refused():
    link, journal = a_link(5)
    drain(link, most=3)  # hello and two records; take() looked no further
    told(link, ack(journal, 4, n=1))
    assert (journal.acked, link.bad_acks) == (0, 1)
    told(link, ack(journal, 2, n=2))
    assert journal.acked == 2


def test_an_ack_of_what_an_earlier_boot_sent_is_taken():
    link, journal = a_link(5, boot=11)
    link.take(0)
    told(link, ack(journal, 4, cmd="welcome"))
    assert (journal.acked, link.bad_acks) == (4, 0)
    assert seqs(drain(link)) == [5]


def test_an_ack_repeated_as_it_was_or_under_another_key_is_no_ack():
    link, journal = a_link(5)
    drain(link)
    first = ack(journal, 1, n=1)
    told(link, first)
    told(link, first + ack(journal, 2, n=1) + ack(journal, 3, n=2, key=RKEY))
    assert (journal.acked, link.bad_lines, link.bad_acks) == (1, 3, 0)


# ------------------------------------------------------------ orders


def test_an_order_is_handed_out_once_with_its_fields():
    link, _ = a_link()
    drain(link)
    line = ledger.encode_command("void", nonce(1), 3, (7, 12, 30, "host:anna", "dispute"), HKEY)
    (got,) = told(link, line)
    assert (got["cmd"], got["n"], got["round"], got["ref_boot"], got["ref_seq"]) == ("void", 3, 7, 12, 30)
    assert (got["by"], got["reason"]) == ("host:anna", "dispute")
    assert told(link, line) == [] and link.bad_lines == 1


def test_n_must_rise_and_may_leap():
    link, _ = a_link()
    drain(link)
    got = []
    for n in (1, 2, 2, 1, 7, 5, 0, 8):
        got += [o["n"] for o in told(link, order(n=n))]
    assert got == [1, 2, 7, 8]
    assert link.bad_lines == 4


def test_a_forged_order_is_refused_and_does_not_use_up_its_n():
    link, _ = a_link()
    drain(link)
    good = order(n=5)
    cut = good.rfind(b',"crc"')
    for i in range(8, cut):
        body = good[:i] + bytes([good[i] ^ 1]) + good[i + 1 : cut]
        line = body + b',"crc":"%08X"}\n' % (binascii.crc32(body) & 0xFFFFFFFF)
        assert told(link, line) == [], i
    assert len(told(link, good)) == 1


def test_echoes_of_our_own_lines_are_no_orders():
    link, journal = a_link(3)
    ours = drain(link)
    link.say(ours[0])
    assert told(link, b"".join(ours)) == []
    assert (link.bad_lines, link.bad_acks, journal.acked) == (4, 0, 0)


def test_poll_takes_one_line_at_a_time():
    link, _ = a_link()
    drain(link)
    receive(link, order(n=1) + order(n=2) + order(n=3)[:50])
    assert [link.poll(0)["n"], link.poll(0)["n"], link.poll(0), link.poll(0)] == [1, 2, None, None]
    receive(link, order(n=3)[50:])
    assert link.poll(0)["n"] == 3


def test_byte_by_byte_is_the_same():
    link, _ = a_link()
    drain(link)
    got = []
    for b in order(n=1) + b"\x03noise\r\n" + order(n=2):
        got += told(link, bytes([b]))
    assert [o["n"] for o in got] == [1, 2]


def test_orders_survive_garbage_before_between_and_inside():
    link, _ = a_link()
    drain(link)
    chance, got = kit.Random(5), []
    for n in range(1, 101):
        junk = bytes([chance.below(256) for _ in range(chance.below(60))])
        whole = order(n=n)
        kind = chance.below(3)
        if kind == 0:
            data = junk + whole
        elif kind == 1:
            data = whole + junk + b"\n"
        else:
            data = whole[: chance.between(1, 100)] + junk + whole
        got += [o["n"] for o in told(link, data)]
    assert got == list(range(1, 101))


def test_answer_names_the_order():
    link, _ = a_link()
    drain(link)
    (got,) = told(link, order(n=7))
    link.answer(got, False, "not_now")
    (line,) = drain(link)
    expected = {"dev": DEV, "boot": 12, "t": 555, "kind": "answer", "nonce": nonce(1), "n": 7, "ok": False}
    expected["why"] = "not_now"
    assert ledger.decode_device(line[:-1]) == expected


# ------------------------------------------------------------ bounded memory


def test_a_full_ring_loses_up_to_the_next_line_end_and_counts():
    link, _ = a_link()
    drain(link)
    first, n = order(n=1), 1
    receive(link, first)
    held = len(first)
    while held + len(order(n=n + 1)) <= 1024:
        n += 1
        receive(link, order(n=n))
        held += len(order(n=n))
    tail = order(n=n + 1)
    receive(link, tail)  # does not fit: its end is lost
    assert link.lost_bytes == held + len(tail) - 1024
    got = [o["n"] for o in told(link, b"\n" * 20)]
    assert got == list(range(1, n + 1))
    got = [o["n"] for o in told(link, order(n=n + 2))]
    assert got == [n + 2]


def test_after_an_overflow_the_rest_of_that_line_is_not_taken_for_a_line():
    link, _ = a_link()
    drain(link)
    receive(link, b"x" * 1024 + b"yyy")
    assert link.poll(0) is None
    receive(link, order(n=1))  # still the line that overflowed
    assert link.lost_bytes == 3 + len(order(n=1))
    assert [o["n"] for o in told(link, order(n=2))] == [2]


def test_a_line_end_that_finds_no_room_ends_the_loss():
    link, _ = a_link()
    drain(link)
    receive(link, b"x" * 1024 + b"\n")
    assert link.poll(0) is None and link.lost_bytes == 1
    assert [o["n"] for o in told(link, order(n=1))] == [1]


def test_endless_garbage_is_read_away():
    link, _ = a_link()
    drain(link)
    for _ in range(300):
        assert told(link, b"garbage " * 50) == []
    assert link.lost_bytes == 0 and link.bad_lines > 300
    assert [o["n"] for o in told(link, b"\n" + order(n=1))] == [1]


def test_ephemeral_lines_are_bounded_the_oldest_goes():
    link, _ = a_link(2)
    link.take(0)
    lines = [ledger.encode_ephemeral("status", DEV, 12, n, (1, "IDLE", n)) for n in range(20)]
    for line in lines:
        link.say(line)
    assert link.dropped == 4
    got = drain(link)
    assert got[:16] == lines[4:]
    assert seqs(got[16:]) == [1, 2]


def test_receiving_and_saying_take_no_memory():
    link, _ = a_link()

    def step(i):
        link.receive(i & 0x7F)
        link.say(HELLO)

    assert kit.heap_bytes(step, 3000) == 0
    assert link.lost_bytes > 0 and link.dropped > 0
