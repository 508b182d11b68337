"""Ledger lines on both Pythons: the vectors of docs/PROTOCOL.md, and what the decoder and the encoder must refuse.

That json, zlib and hmac agree with the vectors is shown on CPython in tests/host/ledger.
"""

import binascii

from tumbler.core import fields as F
from tumbler.core import ledger, mac

from tests.core import kit

K = bytes(range(32))


def vectors():
    """The three blocks of the document: durable, ephemeral, host; lines as bytes without LF."""
    with open(__file__.rpartition("/")[0] + "/../../docs/PROTOCOL.md") as f:
        blocks = f.read().split("```vectors\n")[1:]
    return [[line.encode() for line in block.split("\n```")[0].split("\n")] for block in blocks]


DURABLE, EPHEMERAL, HOST = vectors()
RESULT = DURABLE[5]


def sealed(body: bytes) -> bytes:
    """body with a right crc behind it."""
    return body + b',"crc":"%08X"}' % (binascii.crc32(body) & 0xFFFFFFFF)


def with_crc_again(line: bytes, old: bytes, new: bytes) -> bytes:
    assert old in line
    changed = line.replace(old, new)
    return sealed(changed[: changed.rfind(b',"crc"')])


def refused(line: bytes) -> bool:
    for decode in (ledger.decode_device, ledger.decode_command):
        try:
            decode(line)
            return False
        except ledger.LineError:
            pass
    return True


def values(got, spec):
    return [got[name] for name, _ in spec]


def test_durable_vectors_decode_and_encode_to_the_same_bytes_with_a_whole_chain():
    rkey, prev = mac.record_key(K), mac.ZERO_MAC
    assert len(DURABLE) == 12
    for line in DURABLE:
        got = ledger.decode_device(line)
        assert ledger.mac_ok(line, got, rkey, prev)
        assert not ledger.mac_ok(line, got, mac.host_key(K), prev)
        assert ledger.record_seq(line) == got["seq"]
        kind = got["kind"]
        again, prev = ledger.encode_record(
            kind, got["dev"], got["boot"], got["seq"], got["t"], values(got, F.DURABLE[kind]), rkey, prev
        )
        assert again == line + b"\n"
        assert prev.hex() == got["mac"]


def test_ephemeral_vectors_decode_and_encode_to_the_same_bytes():
    assert len(EPHEMERAL) == 6
    for line in EPHEMERAL:
        got = ledger.decode_device(line)
        assert "seq" not in got and "mac" not in got
        again = ledger.encode_ephemeral(
            got["kind"], got["dev"], got["boot"], got["t"], values(got, F.EPHEMERAL[got["kind"]])
        )
        assert again == line + b"\n"


def test_host_vectors_decode_and_encode_to_the_same_bytes():
    hkey = mac.host_key(K)
    assert len(HOST) == 9
    for line in HOST:
        got = ledger.decode_command(line)
        assert got["cmd"] == "hello?" or ledger.mac_ok(line, got, hkey, b"")
        again = ledger.encode_command(
            got["cmd"], got.get("nonce"), got.get("n"), values(got, F.COMMANDS[got["cmd"]]), hkey
        )
        assert again == line + b"\n"


def test_values_of_the_result_vector():
    got = ledger.decode_device(RESULT)
    assert (got["dev"], got["boot"], got["seq"], got["t"]) == ("sim-0000000000a1-9c1e", 12, 3486, 81242067)
    assert (got["kind"], got["round"], got["dice"], got["spins"]) == ("result", 1, (6, 1, 3), 4)
    assert got["mac"] == "6acef0d33b1b1711937e1fc0f3f2608e"


def test_first_nonce_of_boot_12():
    assert mac.nonce(K, "sim-0000000000a1-9c1e", 12, 1) == "e5b9a8676dd097b3"
    assert (
        len({mac.nonce(K, dev, b, n) for dev in ("sim-aa", "sim-ab") for b in (1, 12, 121) for n in (1, 2, 11)}) == 18
    )


def test_proof_of_a_challenge():
    got = ledger.decode_device(next(line for line in EPHEMERAL if b'"proof"' in line))
    assert mac.proof(K, got["dev"], got["challenge"], "e5b9a8676dd097b3") == got["proof"]
    other = [("sim-ab", "0" * 16, "1" * 16), ("sim-aa", "2" * 16, "1" * 16), ("sim-aa", "0" * 16, "2" * 16)]
    assert mac.proof(K, "sim-aa", "0" * 16, "1" * 16) not in [mac.proof(K, *values) for values in other]


def test_any_single_byte_changed_is_refused():
    for line in (RESULT, EPHEMERAL[2], HOST[2], HOST[0]):
        for i in range(len(line)):
            for change in (0x01, 0x20, 0x80):
                assert refused(line[:i] + bytes([line[i] ^ change]) + line[i + 1 :]), (line, i, change)


def test_any_cut_line_is_refused():
    for line in (RESULT, EPHEMERAL[0], HOST[0]):
        for n in range(len(line)):
            assert refused(line[:n]) and refused(line[n + 1 :]), (line, n)


def test_the_line_end_is_no_part_of_a_line():
    assert refused(RESULT + b"\n") and refused(RESULT + b"\r") and refused(RESULT + b" ") and refused(b" " + RESULT)


def test_a_crc_in_lower_case_is_refused():
    assert RESULT.endswith(b'"3A597061"}')
    assert refused(RESULT[:-10] + b'3a597061"}')


def test_refused_under_a_right_crc():
    rows = (
        (b'"round":1', b'"round":01'),
        (b'"round":1', b'"round":-1'),
        (b'"round":1', b'"round":1.0'),
        (b'"round":1', b'"round":1e0'),
        (b'"round":1', b'"round":1073741824'),
        (b'"round":1', b'"round":99999999999999999999'),
        (b'"round":1', b'"round":"1"'),
        (b'"round":1', b'"round":'),
        (b'"round":1', b'"round":null'),
        (b'"round":1,', b'"round":1, '),
        (b'"round":1,', b'"round":1,"round":1,'),
        (b'"round":1,', b""),
        (b'"boot":12', b'"boot":10000000'),
        (b'"t":81242067', b'"t":1000000000000'),
        (b"[6,1,3]", b"[6,1]"),
        (b"[6,1,3]", b"[6,1,3,1]"),
        (b"[6,1,3]", b"[6,1,7]"),
        (b"[6,1,3]", b"[0,1,3]"),
        (b"[6,1,3]", b"[6,1,3"),
        (b"[6,1,3]", b"[6 ,1,3]"),
        (b"[6,1,3]", b"[6,1,3,]"),
        (b"[6,1,3]", b"[,6,1,3]"),
        (b'"spins":4', b'"spins":true'),
        (b'"kind":"result"', b'"kind":"resultx"'),
        (b'"kind":"result"', b'"kind":"spin"'),
        (b'"kind":"result"', b'"kind":"status"'),
        (b'"kind":"result"', b'"kind":"\xff\xfe"'),
        (b'"kind":"result"', b'"kind":""'),
        (b'"seq":3486,"t":81242067', b'"t":81242067,"seq":3486'),
        (b'"seq":3486,', b""),
        (b'"dev":"sim-', b'"dev":"SIM-'),
        (b'"dev":"sim-0000000000a1-9c1e"', b'"dev":"sim-0"'),
        (b'"dev":"sim-0000000000a1-9c1e"', b'"dev":"sim-0000000000a1-9c1e0"'),
        (b'"dev":"sim-', b'"dev":"s\\u0069m-'),
        (b'"sb":1', b'"sb":2'),
        (b'"mac":"6a', b'"mac":"6A'),
        (b'"mac":"6a', b'"mac":"'),
        (b'"mac":', b'"max":'),
        (b'08e"', b'08e","more":1'),
    )
    kit.cases(rows, lambda old, new: check_refused(with_crc_again(RESULT, old, new)))


def check_refused(line):
    assert refused(line)


def test_host_lines_refused_under_a_right_crc():
    rows = (
        (HOST[2], b'"cmd":"ack"', b'"cmd":"nack"'),
        (HOST[2], b'"cmd":"ack"', b'"kind":"ack"'),
        (HOST[2], b'"n":2', b'"n":"2"'),
        (HOST[2], b'"nonce":"e5', b'"nonce":"'),
        (HOST[2], b'"rmac":"6a', b'"rmac":"zz'),
        (HOST[0], b'"hello?"', b'"hello?","n":1'),
        (HOST[3], b'"by":"host:anna"', b'"by":"host anna"'),
        (HOST[3], b'"by":"host:anna"', b'"by":""'),
        (HOST[4], b'"reason":"dispute"', b'"reason":"none"'),
    )
    kit.cases(rows, lambda line, old, new: check_refused(with_crc_again(line, old, new)))


def test_a_line_of_the_board_is_never_a_command_and_the_other_way_round():
    for line in DURABLE + EPHEMERAL:
        with kit.raises(ledger.LineError):
            ledger.decode_command(line)
    for line in HOST:
        with kit.raises(ledger.LineError):
            ledger.decode_device(line)


def test_a_line_of_320_bytes_without_its_end_is_too_long():
    assert refused(sealed(b'{"sb":1,' + b"x" * (320 - 18 - 8)))
    with kit.raises(ledger.LineError) as caught:
        ledger.decode_device(sealed(b'{"sb":1,' + b"x" * (320 - 18 - 8)))
    assert "too long" in str(caught.value)


def test_random_edits_are_refused_or_written_by_the_encoder():
    """A seeded little brother of the hypothesis test on the host, for MicroPython's decoder."""
    chance = kit.Random(2)
    pieces = (b"", b'"', b",", b"0", b"9", b"null", b"true", b"[", b"]", b"\xff", b"\xc3(", b"-", b"a", b" ")
    for n in range(2000):
        line = chance.choice(DURABLE + EPHEMERAL + HOST)
        at = chance.below(len(line))
        body = line[:at] + chance.choice(pieces) + line[at + chance.below(4) :]
        line = sealed(body[: body.rfind(b',"crc"')])
        try:
            got = ledger.decode_command(line) if b'"cmd"' in line else ledger.decode_device(line)
        except ledger.LineError:
            continue
        if "cmd" in got:
            spec = F.COMMANDS[got["cmd"]]
            again = ledger.encode_command(got["cmd"], got.get("nonce"), got.get("n"), values(got, spec), K)
        elif "mac" in got:
            spec = F.DURABLE[got["kind"]]
            head = (got["kind"], got["dev"], got["boot"], got["seq"], got["t"])
            again = ledger.encode_record(*head, values(got, spec), K, mac.ZERO_MAC)[0]
        else:
            spec = F.EPHEMERAL[got["kind"]]
            again = ledger.encode_ephemeral(got["kind"], got["dev"], got["boot"], got["t"], values(got, spec)) + b"\n"
        covered = got.get("covered", len(line) - 18)
        assert again[:covered] == line[:covered], "seed 2, edit %d: %r" % (n, line)


def test_the_encoder_refuses_values_that_no_line_may_hold():
    def check(kind, values):
        with kit.raises(ledger.LineError):
            ledger.encode_record(kind, "sim-aa", 1, 2, 3, values, K, mac.ZERO_MAC)

    kit.cases(
        (
            ("spin", (1 << 30, 3)),
            ("spin", (-1, 3)),
            ("spin", (True, 3)),
            ("spin", ("1", 3)),
            ("spin", (None, 3)),
            ("spin", (1.0, 3)),
            ("spin", (1,)),
            ("spin", (1, 3, 3)),
            ("bets_closed", (1, "")),
            ("bets_closed", (1, "x" * 25)),
            ("bets_closed", (1, 'a"b')),
            ("bets_closed", (1, "a b")),
            ("bets_closed", (1, "\x03")),
            ("result", (1, (1, 2), 3)),
            ("result", (1, (1, 2, 7), 3)),
            ("result", (1, (1, 2, True), 3)),
            ("result", (1, "123", 3)),
            ("fault", (1, "IDLE", "nothing")),
            ("fault", (1, "idle", "stall")),
            ("void", (1, 10000000, 1, "dealer", "other")),
        ),
        check,
    )


def test_the_encoder_refuses_a_time_that_is_no_number_of_ms():
    for t in ("", "007", "-1", "1.5", "1000000000000", "x", -1, 10**12, 1.5, None, True):
        with kit.raises(ledger.LineError):
            ledger.encode_ephemeral("status", "sim-aa", 1, t, (1, "IDLE", 0))


def test_time_text_joins_seconds_and_ms():
    for seconds, ms, text in ((0, 0, "0"), (0, 7, "7"), (1, 0, "1000"), (1, 7, "1007"), (999999999, 999, "9" * 12)):
        assert ledger.time_text(seconds, ms) == text
        line = ledger.encode_ephemeral("status", "sim-aa", 1, text, (1, "IDLE", 0))
        assert ledger.decode_device(line[:-1])["t"] == seconds * 1000 + ms


def test_record_seq_takes_durable_lines_only():
    assert ledger.record_seq(DURABLE[0]) == 3481
    for line in (EPHEMERAL[0], HOST[2], RESULT[:-1], RESULT + b"\n", b""):
        with kit.raises(ledger.LineError):
            ledger.record_seq(line)
