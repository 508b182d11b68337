"""docs/PROTOCOL.md and the code say the same: vectors, tables, longest lines. Checked with json, zlib and hmac."""

import hashlib
import hmac
import json
import re
import zlib

import pytest
from tumbler.core import fields, ledger, mac

LONGEST = {
    "uint": 1073741823,
    "uint?": 1073741823,
    "boot": 9999999,
    "time": 999999999999,
    "name": "n" * 24,
    "word": "w" * 16,
    "dev": "0123456789abcdef-0123",
    "dev?": "0123456789abcdef-0123",
    "hex16": "f" * 16,
    "hex32": "f" * 32,
    "dice": [6, 6, 6],
    "window": [6, 6, 6],
    "bool": False,
}
HEAD = {"dev": LONGEST["dev"], "boot": LONGEST["boot"]}


def test_the_document_was_read(protocol):
    assert [len(v) for v in protocol.vectors] == [12, 6, 9]
    assert [len(t) for t in (protocol.durable, protocol.ephemeral, protocol.commands)] == [11, 5, 9]


def test_tables_of_fields_py_are_those_of_the_document(protocol):
    for table, doc in (
        (fields.DURABLE, protocol.durable),
        (fields.EPHEMERAL, protocol.ephemeral),
        (fields.COMMANDS, protocol.commands),
    ):
        assert list(table) == list(doc)
        assert {kind: tuple(spec) for kind, spec in table.items()} == {kind: row[0] for kind, row in doc.items()}


def test_enumerated_values_are_those_of_the_document(protocol):
    for name, values in fields.ENUMS.items():
        assert list(values) == protocol.words(name), name
    assert list(fields.DEALER_REASONS) == protocol.words("reason")[:6]


def test_limits_are_those_of_the_document(protocol):
    assert protocol.types["uint"].startswith(f"0 to {fields.UINT_MAX} ")
    assert protocol.types["boot"] == f"0 to {fields.BOOT_MAX}"
    assert f"at most {fields.TIME_DIGITS} digits" in protocol.types["time"]
    assert protocol.types["name"].startswith(f"1 to {fields.NAME_MAX} of")
    assert protocol.types["word"].startswith(f"1 to {fields.WORD_MAX} of")
    assert protocol.types["dev"].startswith(f"{fields.DEV_MIN} to {fields.DEV_MAX} of")
    assert f"at most {fields.MAX_LINE} bytes" in protocol.text


def longest_values(protocol, spec):
    """One of the longest values of each field."""
    return [LONGEST[kind] if kind in LONGEST else max(protocol.words(kind), key=len) for _, kind in spec]


def test_longest_line_of_each_durable_kind_is_as_printed(protocol, reference, keys):
    for kind, (spec, longest) in protocol.durable.items():
        values = longest_values(protocol, spec)
        names = dict(zip([name for name, _ in spec], values, strict=True))
        head = {**HEAD, "seq": LONGEST["uint"], "t": LONGEST["time"], "kind": kind}
        line, _ = ledger.encode_record(
            kind, head["dev"], head["boot"], head["seq"], head["t"], values, keys["record"], bytes(16)
        )
        assert line == reference(head, names, keys["record"], bytes(16))
        assert ledger.decode_device(line[:-1])["kind"] == kind
        assert (kind, len(line)) == (kind, longest)
        assert longest <= 320


def test_longest_line_of_each_ephemeral_kind_is_as_printed(protocol, reference):
    for kind, (spec, longest) in protocol.ephemeral.items():
        values = longest_values(protocol, spec)
        names = dict(zip([name for name, _ in spec], values, strict=True))
        line = ledger.encode_ephemeral(kind, HEAD["dev"], HEAD["boot"], LONGEST["time"], values)
        assert line == reference({**HEAD, "t": LONGEST["time"], "kind": kind}, names, None)
        assert (kind, len(line)) == (kind, longest)
        assert longest <= 320


def test_longest_line_of_each_host_command_is_as_printed(protocol, reference, keys):
    for cmd, (spec, longest) in protocol.commands.items():
        values = longest_values(protocol, spec)
        names = dict(zip([name for name, _ in spec], values, strict=True))
        if cmd == "hello?":
            line = ledger.encode_command(cmd, None, None, values, None)
            expected = reference({"cmd": cmd}, names, None)
        else:
            head = {"cmd": cmd, "nonce": LONGEST["hex16"], "n": LONGEST["uint"]}
            line = ledger.encode_command(cmd, head["nonce"], head["n"], values, keys["host"])
            expected = reference(head, names, keys["host"])
        assert line == expected
        assert (cmd, len(line)) == (cmd, longest)
        assert longest <= 320


def test_printed_keys_and_nonce(protocol, keys):
    printed = re.findall(r"`([0-9a-f]{16,64})`", protocol.text.split("## Test vectors")[1])
    assert printed[:2] == [keys["record"].hex(), keys["host"].hex()]
    assert (
        printed[2] == hmac.new(bytes(range(32)), b"nonce sim-0000000000a1-9c1e 12 1", hashlib.sha256).hexdigest()[:16]
    )
    assert [mac.record_key(bytes(range(32))).hex(), mac.host_key(bytes(range(32))).hex()] == printed[:2]
    assert mac.nonce(bytes(range(32)), "sim-0000000000a1-9c1e", 12, 1) == printed[2]


def every_vector(protocol):
    return [line for block in protocol.vectors for line in block]


def test_vectors_are_json_in_printable_ascii_with_a_right_crc(protocol):
    for line in every_vector(protocol):
        assert re.fullmatch(r"[\x21-\x7e]{1,319}", line)
        parsed = json.loads(line)
        assert not any(isinstance(value, dict) for value in parsed.values())
        covered = line[: line.index(',"crc"')].encode()
        assert parsed["crc"] == f"{zlib.crc32(covered):08X}"


def test_vectors_have_right_macs(protocol, keys):
    durable, _, host = protocol.vectors
    prev = bytes(16)
    for line in durable:
        covered = line[: line.index(',"mac"')].encode()
        tag = hmac.new(keys["record"], prev + covered, hashlib.sha256).digest()[:16]
        assert json.loads(line)["mac"] == tag.hex()
        prev = tag
    for line in host[1:]:
        covered = line[: line.index(',"mac"')].encode()
        assert json.loads(line)["mac"] == hmac.new(keys["host"], covered, hashlib.sha256).hexdigest()[:32]


def test_every_kind_has_a_vector(protocol):
    durable, ephemeral, host = ([json.loads(line) for line in block] for block in protocol.vectors)
    assert {v["kind"] for v in durable} == set(protocol.durable)
    assert {v["kind"] for v in ephemeral} == set(protocol.ephemeral)
    assert {v["cmd"] for v in host} == set(protocol.commands)


def as_json(value):
    return list(value) if isinstance(value, tuple) else value


def test_vectors_decode_to_what_json_reads_and_encode_to_the_same_bytes(protocol, keys):
    durable, ephemeral, host = protocol.vectors
    prev = bytes(16)
    for line in durable:
        got, want = ledger.decode_device(line.encode()), json.loads(line)
        assert {**{k: as_json(v) for k, v in got.items() if k != "covered"}, "sb": 1, "crc": want["crc"]} == want
        assert ledger.mac_ok(line.encode(), got, keys["record"], prev)
        values = [got[name] for name, _ in protocol.durable[got["kind"]][0]]
        again, tag = ledger.encode_record(
            got["kind"], got["dev"], got["boot"], got["seq"], got["t"], values, keys["record"], prev
        )
        assert again == line.encode() + b"\n"
        assert ledger.record_seq(line.encode()) == want["seq"]
        prev = tag
    for line in ephemeral:
        got, want = ledger.decode_device(line.encode()), json.loads(line)
        assert {**{k: as_json(v) for k, v in got.items()}, "sb": 1, "crc": want["crc"]} == want
        values = [got[name] for name, _ in protocol.ephemeral[got["kind"]][0]]
        assert ledger.encode_ephemeral(got["kind"], got["dev"], got["boot"], got["t"], values) == line.encode() + b"\n"
    for line in host:
        got, want = ledger.decode_command(line.encode()), json.loads(line)
        assert {**{k: as_json(v) for k, v in got.items() if k != "covered"}, "sb": 1, "crc": want["crc"]} == want
        values = [got[name] for name, _ in protocol.commands[got["cmd"]][0]]
        again = ledger.encode_command(got["cmd"], got.get("nonce"), got.get("n"), values, keys["host"])
        assert again == line.encode() + b"\n"


def test_a_chain_with_a_record_changed_left_out_or_swapped_has_a_wrong_mac(protocol, keys):
    lines = [line.encode() for line in protocol.vectors[0]]

    def chain_holds(chain):
        prev = bytes(16)
        for line in chain:
            got = ledger.decode_device(line)
            if not ledger.mac_ok(line, got, keys["record"], prev):
                return False
            prev = bytes.fromhex(got["mac"])
        return True

    assert chain_holds(lines)
    for n in range(len(lines) - 1):
        assert not chain_holds(lines[:n] + lines[n + 1 :]), n
        assert not chain_holds([*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :]]), n
    changed = lines[5].replace(b'"dice":[6,1,3]', b'"dice":[6,1,2]')
    cut = changed.index(b',"crc"')
    changed = changed[:cut] + b',"crc":"%08X"}' % zlib.crc32(changed[:cut])
    assert not chain_holds([*lines[:5], changed, *lines[6:]])


@pytest.mark.parametrize(
    ("secret", "data", "digest"),
    [  # RFC 4231, test cases 1, 2, 3 and 6 (a key longer than a block)
        (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (b"\xaa" * 20, b"\xdd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (
            b"\xaa" * 131,
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
    ],
)
def test_hmac_sha256_of_rfc_4231(secret, data, digest):
    assert mac.hmac_sha256(secret, data).hex() == digest
    assert mac.hmac_sha256(secret, data[:3], b"", data[3:]).hex() == digest
