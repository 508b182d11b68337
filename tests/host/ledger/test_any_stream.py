"""The framer, hypothesis: no byte lost, chunking changes nothing, memory bounded, lines found behind garbage."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st
from tumbler.core.framer import Framer

START = b'{"sb":1,'
LINES = st.sampled_from(
    [
        b'{"sb":1,"cmd":"hello?","crc":"8F275C70"}',
        b'{"sb":1,"dev":"sim-0000000000a1-9c1e","boot":12,"t":81234000,"kind":"status","next":3484,"state":"BETTING"'
        b',"round":1,"crc":"E74E4CB5"}',
        START + b"x" * (319 - len(START)),  # the longest there may be
    ]
)
NOISE = st.binary(max_size=30) | st.sampled_from(
    [b'{"sb":1', b'{"sb":1,', b"\r", b"\r\n", b"\n", b"\x00\xff", b">>> ", b"y" * 400, b'{"sb":1,' * 50, b"z" * 321]
)
STREAM = st.lists(NOISE | LINES | LINES.map(lambda line: line + b"\n"), max_size=12).map(b"".join)


def fed(pieces) -> list[tuple[bool, bytes]]:
    framer = Framer()
    out = []
    for piece in pieces:
        out += framer.feed(piece)
        assert len(framer.held) <= 321
    return [*out, (False, bytes(framer.held))]


@settings(deadline=None)
@given(stream=STREAM, cuts=st.lists(st.integers(0, 2000), max_size=8))
def test_byte_by_byte_equals_any_chunking(stream, cuts):
    edges = sorted({0, len(stream), *[c for c in cuts if c < len(stream)]})
    pieces = [stream[a:b] for a, b in itertools.pairwise(edges)]
    assert fed(pieces) == fed([stream[i : i + 1] for i in range(len(stream))]) == fed([stream])


@settings(deadline=None)
@given(stream=STREAM)
def test_every_byte_but_the_line_ends_is_in_some_chunk_in_order(stream):
    got = b"".join(chunk for _, chunk in fed([stream]))
    no_ends = stream.replace(b"\r\n", b"").replace(b"\n", b"")
    assert got.replace(b"\r", b"") == no_ends.replace(b"\r", b"")
    assert len(got) >= len(no_ends)


@settings(deadline=None)
@given(parts=st.lists(st.tuples(NOISE.filter(lambda n: not n.endswith(b"\r")), LINES, st.booleans()), max_size=8))
def test_every_line_behind_garbage_is_found_once_and_in_order(parts):
    stream, sent = b"", []
    for noise, line, cooked in parts:
        stream += noise + line + (b"\r\n" if cooked else b"\n")
        sent.append(line)
    lines = [chunk for is_line, chunk in fed([stream]) if is_line]
    it = iter(lines)
    assert all(line in it for line in sent), "a line that was sent whole was not found"


@settings(deadline=None)
@given(line=LINES, at=st.integers(1, 300), garbage=NOISE.filter(lambda n: b"\n" not in n))
def test_a_line_cut_by_another_costs_only_itself(line, at, garbage):
    stream = line[: min(at, len(line) - 1)] + garbage + line + b"\n" + line + b"\n"
    assert [chunk for is_line, chunk in fed([stream]) if is_line] == [line, line]


def test_what_does_not_begin_like_a_line_is_noise_and_so_is_what_has_no_end():
    assert fed([b"MicroPython v1.25\r\n"]) == [(False, b"MicroPython v1.25"), (False, b"")]
    assert fed([b'{"sb":1,"cmd"']) == [(False, b'{"sb":1,"cmd"')]
    assert fed([b'>>> {"sb":1,"a\n']) == [(False, b">>> "), (True, b'{"sb":1,"a'), (False, b"")]


def test_noise_without_end_is_handed_out_while_it_comes():
    framer = Framer()
    chunks = [chunk for _ in range(1000) for chunk in framer.feed(b"garbage " * 4)]
    assert sum(len(chunk) for _, chunk in chunks) + len(framer.held) == 32_000
    assert not any(is_line for is_line, _ in chunks)
