"""The golden log: a seeded session on virtual time gives the same bytes again, and its figures are those of a slip.

What may differ is the firmware's hash, `fw` in hello and boot, for it changes with every line of the firmware; with it
every mac, for they are a chain, every crc, and the macs that acks name. Nothing else: not a length, not a time.
"""

import sqlite3

import pytest
from tumbler.core import ledger, mac
from typer.testing import CliRunner

from host_tools.capture import sent_path, times_path
from host_tools.commands import app
from tests.host.capture import golden_session
from tests.host.capture.golden_session import DEV, GOLDEN
from tests.host.link.fake_board import KEY

DEVICE = ("dev", "boot", "seq", "t", "kind", "mac", "covered")  # what is not a kind's own
HOST = ("cmd", "nonce", "n", "mac", "covered")
WAGER_FILE = "wager_id,player,kind,selection,stake\nW1,Aroha,small,,10.00\nW2,Ben,double,3,5.00\n"
LOGS = sorted(GOLDEN.glob("*.log"))
SETTLED = "select round, wager_id, entry, outcome, won_cents, returned_cents from settlements order by id"


def tumbler(*args):
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    return done.exit_code, done.output


def rows(path, query):
    with sqlite3.connect(path) as database:
        found = database.execute(query).fetchall()
    database.close()
    return found


class Resealed:
    """What a session said, once more under another firmware's hash; macs and crcs are made anew with the test key."""

    def __init__(self, fw):
        self._fw = fw
        self._macs = {0: mac.ZERO_MAC}
        self._of = {"0" * 32: "0" * 32}  # the mac as it was -> as it is now

    def log(self, data):
        return b"".join(self._device(line) for line in data.splitlines(keepends=True))

    def sent(self, data):
        return b"".join(self._host(line) for line in data.splitlines(keepends=True))

    def _device(self, line):
        fields = ledger.decode_device(line[:-1])
        whose = (fields["kind"], fields["dev"], fields["boot"])
        own = {name: value for name, value in fields.items() if name not in DEVICE}
        values = tuple(self._fw if name == "fw" else value for name, value in own.items())
        if "seq" not in fields:
            return ledger.encode_ephemeral(*whose, fields["t"], values)
        seq, before = fields["seq"], self._macs[fields["seq"] - 1]
        made, tag = ledger.encode_record(*whose, seq, fields["t"], values, mac.record_key(KEY), before)
        self._macs[seq] = tag
        self._of[fields["mac"]] = bytes(tag).hex()
        return bytes(made)

    def _host(self, line):
        fields = ledger.decode_command(line[:-1])
        if fields["cmd"] == "hello?":
            return line
        own = {name: value for name, value in fields.items() if name not in HOST}
        values = tuple(self._of[value] if name == "rmac" else value for name, value in own.items())
        return ledger.encode_command(fields["cmd"], fields["nonce"], fields["n"], values, mac.host_key(KEY))


def golden_fw():
    return ledger.decode_device(LOGS[0].read_bytes().splitlines()[0])["fw"]


def read(logs, beside=lambda log: log):
    return [beside(log).read_bytes() for log in logs]


@pytest.fixture(scope="module")
def replayed(micropython, tmp_path_factory):
    """The session played anew -> its folder and the logs of its capture."""
    folder = tmp_path_factory.mktemp("golden")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("host_tools.link.port.READ_TIMEOUT_S", 0)
        return folder, golden_session.record(folder)


def test_the_same_seed_gives_the_same_bytes(replayed):
    _, logs = replayed
    anew = Resealed(golden_fw())
    assert [log.name for log in logs] == [log.name for log in LOGS] and len(LOGS) == 2
    assert [anew.log(data) for data in read(logs)] == read(LOGS)
    assert [anew.sent(data) for data in read(logs, sent_path)] == read(LOGS, sent_path)
    assert read(logs, times_path) == read(LOGS, times_path)


def test_a_session_under_its_own_hash_is_sealed_to_the_same_bytes():
    """So that what the test before compares is not its own doing."""
    same, other = Resealed(golden_fw()), Resealed("0" * 16)
    assert [same.log(data) for data in read(LOGS)] == read(LOGS)
    assert [same.sent(data) for data in read(LOGS, sent_path)] == read(LOGS, sent_path)
    assert [other.log(data) for data in read(LOGS)] != read(LOGS)


def test_the_golden_log_is_whole():
    code, said = tumbler("verify", *LOGS)
    assert code == 0
    assert f"Board {DEV}: 26 records, seq 1 to 26, 1 start, 1 sent again, 4 meters compared: whole" in said
    assert "broken" not in said and "outside" not in said


def test_the_golden_log_gives_the_settlements_of_its_run(replayed, tmp_path):
    """hoiana: small 1 to 1 but on triples, double 8 to 1. 1-3-6 · 3-3-4, corrected to 3-3-6 · void · 5-5-5."""
    (tmp_path / "w.csv").write_text(WAGER_FILE)
    store = tmp_path / "scratch.db"
    code, said = tumbler("replay", *LOGS, "--store", f"sqlite:///{store}", "--wagers", tmp_path / "w.csv")
    assert code == 0 and "26 records taken" in said
    back = "select round, wager_id, sum(returned_cents) from settlements group by 1, 2 order by 1, 2"
    assert rows(store, back) == [
        (1, "W1", 2000),  # 10 is small
        (1, "W2", 0),
        (2, "W1", 0),  # 10 was small, 12 is not
        (2, "W2", 4500),  # two threes before and after
        (3, "W1", 1000),  # the stakes
        (3, "W2", 500),
        (4, "W1", 0),  # a triple is not small
        (4, "W2", 0),
    ]
    assert len(rows(store, SETTLED)) == 12  # the four entries of round 2 that were reversed and made anew among them
    folder, _ = replayed
    assert rows(store, SETTLED) == rows(folder / "t.db", SETTLED)
    last = "select round, state, dice from rounds order by round"
    assert rows(store, last) == [
        (1, "result", "136"),
        (2, "correction", "336"),
        (3, "void", None),
        (4, "result", "555"),
    ]
