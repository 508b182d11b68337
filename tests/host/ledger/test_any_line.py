"""Ledger lines, hypothesis: any values the document allows go out and come back; nothing else is ever accepted."""

import json
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tumbler.core import ledger

NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-"
DEV = "abcdefghijklmnopqrstuvwxyz0123456789-"
UINT = st.integers(0, 2**30 - 1)
FACE = st.integers(1, 6)
VALUES = {
    "uint": UINT,
    "uint?": st.none() | UINT,
    "boot": st.integers(0, 9_999_999),
    "time": st.integers(0, 10**12 - 1),
    "name": st.text(NAME, min_size=1, max_size=24),
    "word": st.text(NAME, min_size=1, max_size=16),
    "dev": st.text(DEV, min_size=6, max_size=21),
    "dev?": st.none() | st.text(DEV, min_size=6, max_size=21),
    "hex16": st.text("0123456789abcdef", min_size=16, max_size=16),
    "hex32": st.text("0123456789abcdef", min_size=32, max_size=32),
    "dice": st.lists(FACE, min_size=3, max_size=3),
    "window": st.lists(FACE, max_size=3),
    "bool": st.booleans(),
}
FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def values_of(protocol, spec):
    """Values for the fields of one kind, in the document's order."""
    return st.tuples(*[VALUES[kind] if kind in VALUES else st.sampled_from(protocol.words(kind)) for _, kind in spec])


@st.composite
def any_line(draw, protocol, reference, keys):
    """A line of any kind -> (bytes as the reference writes them, the same as the encoder does)."""
    part = draw(st.sampled_from(["durable", "ephemeral", "commands"]))
    table = getattr(protocol, part)
    kind = draw(st.sampled_from(sorted(table)))
    spec, _ = table[kind]
    values = draw(values_of(protocol, spec))
    fields = {name: value for (name, _), value in zip(spec, values, strict=True)}
    dev, boot, seq, t = (draw(VALUES[k]) for k in ("dev", "boot", "uint", "time"))
    if part == "durable":
        prev = draw(st.binary(min_size=16, max_size=16))
        head = {"dev": dev, "boot": boot, "seq": seq, "t": t, "kind": kind}
        line = ledger.encode_record(kind, dev, boot, seq, t, values, keys["record"], prev)[0]
        return reference(head, fields, keys["record"], prev), line
    if part == "ephemeral":
        head = {"dev": dev, "boot": boot, "t": t, "kind": kind}
        return reference(head, fields, None), ledger.encode_ephemeral(kind, dev, boot, t, values)
    if kind == "hello?":
        return reference({"cmd": kind}, fields, None), ledger.encode_command(kind, None, None, values, None)
    head = {"cmd": kind, "nonce": draw(VALUES["hex16"]), "n": seq}
    line = ledger.encode_command(kind, head["nonce"], seq, values, keys["host"])
    return reference(head, fields, keys["host"]), line


def decode(line: bytes) -> dict | None:
    """Fields by whichever of the two decoders takes the line; LineError is the only exception they may raise."""
    for decoder in (ledger.decode_device, ledger.decode_command):
        try:
            return decoder(line)
        except ledger.LineError:
            continue
    return None


def written_anew(protocol, got: dict) -> bytes:
    """The line that these fields make, without its mac and what follows, by json alone."""
    if "cmd" in got:
        table, head = protocol.commands, ["cmd"] if got["cmd"] == "hello?" else ["cmd", "nonce", "n"]
    elif "mac" in got:
        table, head = protocol.durable, ["dev", "boot", "seq", "t", "kind"]
    else:
        table, head = protocol.ephemeral, ["dev", "boot", "t", "kind"]
    names = head + [name for name, _ in table[got.get("cmd") or got["kind"]][0]]
    body = json.dumps({"sb": 1, **{name: got[name] for name in names}}, separators=(",", ":"))[:-1]
    return (body + (f',"mac":"{got["mac"]}"' if "mac" in got else "")).encode()


def accepted_only_if_well_written(protocol, line: bytes):
    got = decode(line)
    if got is not None:
        body = written_anew(protocol, got)
        assert line == body + b',"crc":"%08X"}' % zlib.crc32(body)
        assert len(line) < 320
    return got


@FEW
@given(data=st.data())
def test_any_values_are_written_as_json_writes_them_and_come_back(protocol, reference, keys, data):
    expected, line = data.draw(any_line(protocol, reference, keys))
    assert line == expected
    assert all(0x20 <= b <= 0x7E for b in line[:-1]) and line.endswith(b"\n") and len(line) <= 320
    got, parsed = accepted_only_if_well_written(protocol, line[:-1]), json.loads(line)
    assert got is not None
    covered = got.pop("covered", None)
    assert json.loads(json.dumps({"sb": 1, **got, "crc": parsed["crc"]})) == parsed
    assert (covered is None) == ("mac" not in parsed)


@FEW
@given(line=st.binary(max_size=400))
def test_any_bytes_raise_nothing_but_line_error(protocol, line):
    accepted_only_if_well_written(protocol, line)


def edits(line: bytes):
    """Up to four edits: where, how many bytes go, what comes instead."""
    piece = st.binary(max_size=4) | st.sampled_from(
        [b'"', b",", b"0", b"-1", b"1e3", b"null", b" ", b"]", b"\xff", b"{}"]
    )
    return st.lists(st.tuples(st.integers(0, len(line)), st.integers(0, 5), piece), min_size=1, max_size=4)


def sealed_anew(line: bytes) -> bytes:
    cut = line.rfind(b',"crc"')
    body = line[:cut] if cut >= 0 else line
    return body + b',"crc":"%08X"}' % zlib.crc32(body)


@FEW
@given(data=st.data())
def test_mutated_lines_under_a_right_crc_are_accepted_only_if_well_written(protocol, reference, keys, data):
    line = data.draw(any_line(protocol, reference, keys))[1][:-1]
    for at, gone, piece in data.draw(edits(line)):
        line = line[:at] + piece + line[at + gone :]
    accepted_only_if_well_written(protocol, line)
    accepted_only_if_well_written(protocol, sealed_anew(line))


@FEW
@given(data=st.data())
def test_a_value_of_another_type_in_the_place_of_one_is_refused(protocol, reference, keys, data):
    line = json.loads(data.draw(any_line(protocol, reference, keys))[1])
    name = data.draw(st.sampled_from([n for n in line if n not in ("sb", "crc", "kind", "cmd")] or ["sb"]))
    line[name] = data.draw(
        st.sampled_from([-1, 1.5, 2**40, "", "é", "x" * 25, [], [0], [1, 2, 3, 4], ["1"], {}, [True], 10**13])
    )
    body = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()
    got = accepted_only_if_well_written(protocol, sealed_anew(body))
    assert got is None or (name == "window" and line[name] == [])


@FEW
@given(
    data=st.data(), junk=st.none() | st.booleans() | st.floats() | st.text(max_size=40) | st.integers() | st.binary()
)
def test_the_encoder_writes_no_value_that_the_decoder_would_refuse(protocol, keys, data, junk):
    kind = data.draw(st.sampled_from(sorted(protocol.ephemeral)))
    spec, _ = protocol.ephemeral[kind]
    values = list(data.draw(values_of(protocol, spec)))
    values[data.draw(st.integers(0, len(values) - 1))] = junk
    try:
        line = ledger.encode_ephemeral(kind, "sim-aa", 1, 2, values)
    except ledger.LineError:
        return
    assert accepted_only_if_well_written(protocol, line[:-1]) is not None


@pytest.mark.parametrize("values", [(), (1,), (1, "IDLE", 2, 3)])
def test_the_encoder_refuses_a_wrong_number_of_fields(values):
    with pytest.raises(ledger.LineError, match="fields wanted"):
        ledger.encode_ephemeral("status", "sim-aa", 1, 2, values)
