"""The framer on both Pythons: lines between noise, however the bytes come; tests/host/ledger has any stream."""

from tumbler.core.framer import Framer

from tests.core import kit

HELLO = b'{"sb":1,"cmd":"hello?","crc":"8F275C70"}'
LONGEST = b'{"sb":1,' + b"x" * 311  # 319 bytes and the LF


def fed(stream):
    return Framer().feed(stream)


def test_lines_lose_their_line_end_and_nothing_else():
    assert fed(HELLO + b"\n" + LONGEST + b"\r\n") == [(True, HELLO), (True, LONGEST)]


def test_nothing_comes_before_the_line_end():
    framer = Framer()
    for b in HELLO:
        assert framer.feed(bytes([b])) == []
    assert framer.feed(b"\n") == [(True, HELLO)]


def test_noise_is_told_from_lines():
    assert fed(b"Traceback:\r\n\n\r\n" + HELLO + b"\n") == [(False, b"Traceback:"), (True, HELLO)]


def test_a_line_is_found_behind_noise_without_a_line_end():
    assert fed(b">>> " + HELLO + b"\n") == [(False, b">>> "), (True, HELLO)]
    assert fed(HELLO[:20] + HELLO + b"\n") == [(False, HELLO[:20]), (True, HELLO)]
    assert fed(b"\x00\xff\x03" * 200 + HELLO + b"\n")[-1] == (True, HELLO)


def test_a_line_longer_than_allowed_does_not_hide_the_next():
    for more in range(1, 700):
        chunks = fed(LONGEST + b"y" * more + b"\n" + HELLO + b"\n")
        assert chunks[-1] == (True, HELLO), more
        assert b"".join([chunk for _, chunk in chunks]) == LONGEST + b"y" * more + HELLO, more


def test_a_line_is_found_behind_long_noise_of_any_length():
    for length in range(300, 660):
        chunks = fed(b"z" * length + HELLO + b"\n")
        assert chunks[-1] == (True, HELLO), length
        assert b"".join([chunk for _, chunk in chunks[:-1]]) == b"z" * length, length


def test_memory_is_bounded_and_no_byte_is_lost_without_any_line_end():
    framer, kept = Framer(), 0
    for n in range(200):
        for is_line, chunk in framer.feed(b'{"sb":1' * 10 if n % 2 else b"garbage of any kind "):
            assert not is_line
            kept += len(chunk)
        assert len(framer.held) <= 321
    assert kept + len(framer.held) == 100 * 70 + 100 * 20


def test_any_chunking_gives_the_same():
    chance = kit.Random(3)
    parts = (HELLO + b"\n", LONGEST + b"\r\n", HELLO[:9], b"\r", b"\n", b"noise", b"z" * 330, b"\x00\xff", LONGEST)
    for n in range(150):
        stream = b"".join([chance.choice(parts) for _ in range(8)])
        whole, framer, out, at = fed(stream), Framer(), [], 0
        while at < len(stream):
            size = chance.between(1, 90)
            out += framer.feed(stream[at : at + size])
            at += size
        assert out == whole, "seed 3, stream %d" % n
