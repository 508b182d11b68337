"""A host for tests: reads the simulated board's serial line, checks and keeps the records, and acks them or not."""

import os

from tumbler.core import ledger
from tumbler.core import mac as _mac
from tumbler.core.framer import Framer
from tumbler.core.ledger import LineError, decode_device, encode_command

from host_tools.rig import CallRig
from host_tools.sim import Dealer, SimBoard

K = bytes(range(32))  # the published test key, docs/PROTOCOL.md
ZERO = "0" * 32


class SimHost:
    """Pumped after each step of the board. acks: answers hellos and acks records; else it only listens.

    records: durable records in order, each once, as dicts, their raw line under "line"; said: ephemeral lines as dicts;
    raw: every byte read; bad: what was no whole line or had a wrong crc or mac; seen: how often each seq came.
    """

    def __init__(self, board: SimBoard, acks: bool = True):
        self.acks = acks
        self.records: list[dict] = []
        self.said: list[dict] = []
        self.raw = bytearray()
        self.bad: list[bytes] = []
        self.seen: dict[int, int] = {}
        self.nonce = ""
        self.n = 0
        self._ack_due = False
        self._framer = Framer()
        self._line = os.open(board.serial_path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        board.after_step = self.pump

    def close(self) -> None:
        os.close(self._line)

    def pump(self) -> None:
        """Read all that has come; ack once for all records."""
        self._ack_due = False
        try:
            while True:
                data = os.read(self._line, 65536)
                self.raw += data
                for is_line, chunk in self._framer.feed(data):
                    self._take(is_line, bytes(chunk))
        except BlockingIOError:
            pass
        if self.acks and self.nonce and self._ack_due:
            self.order("ack", *self.last())

    def _take(self, is_line: bool, line: bytes) -> None:
        try:
            fields = decode_device(line) if is_line else None
        except LineError:
            fields = None
        if fields is None:
            self.bad.append(line)
        elif "seq" not in fields:
            self._hear(fields)
        else:
            self._keep(line, fields)

    def _hear(self, fields: dict) -> None:
        self.said.append(fields)
        if fields["kind"] == "hello" and fields["nonce"] != self.nonce:
            self.nonce, self.n = fields["nonce"], 0
            if self.acks:
                self.order("welcome", *self.last(fields["dev"]))

    def _keep(self, line: bytes, fields: dict) -> None:
        self._ack_due = True
        self.seen[fields["seq"]] = self.seen.get(fields["seq"], 0) + 1
        first_of_dev = not self.records or self.records[-1]["dev"] != fields["dev"]
        if fields["seq"] != (1 if first_of_dev else self.records[-1]["seq"] + 1):
            return
        before = _mac.ZERO_MAC if first_of_dev else bytes.fromhex(self.records[-1]["mac"])
        if ledger.mac_ok(line, fields, _mac.record_key(K), before):
            self.records.append(fields | {"line": line})
        else:
            self.bad.append(line)

    def last(self, dev: str = "") -> tuple[int, int, str]:
        """boot, seq and mac of the last record, zeros if there is none, or if it is of another dev than that named."""
        if not self.records or self.records[-1]["dev"] != (dev or self.records[-1]["dev"]):
            return 0, 0, ZERO
        return self.records[-1]["boot"], self.records[-1]["seq"], self.records[-1]["mac"]

    def order(self, cmd: str, *values: object) -> None:
        """Send one authenticated host line, under the nonce of the last hello."""
        self.n += 1
        self.send(encode_command(cmd, self.nonce, self.n, values, _mac.host_key(K)))

    def send(self, data: bytes) -> None:
        os.write(self._line, data)

    def kinds(self) -> list[str]:
        return [record["kind"] for record in self.records]

    def last_of(self, kind: str) -> dict:
        """The last record of that kind. Raises AssertionError if there is none."""
        found = [record for record in self.records if record["kind"] == kind]
        assert found, f"no {kind} record among {self.kinds()}"
        return found[-1]

    def noise(self) -> str:
        """What a program of a test printed."""
        return b"\n".join(self.bad).decode()


class Sim:
    """A simulated board in virtual time with its rig, a dealer and a host at its line."""

    def __init__(self, board: SimBoard, acks: bool = True):
        self.board = board
        self.rig = CallRig(board.call)
        self.dealer = Dealer(self.rig, betting_ms=1000)
        self.host = SimHost(board, acks)
        self._waited: dict[str, int] = {}

    def stop(self) -> None:
        self.board.stop()
        self.host.close()

    def answer(self, number: str = "1") -> None:
        """The supervisor answers a fault at the keys."""
        self.rig.supervisor(True)
        self.rig.step(200)
        self.rig.tap(number)
        self.rig.tap("entry")
        self.rig.supervisor(False)
        self.rig.step(200)

    def until(self, kind: str, limit_ms: int) -> dict:
        """Let time pass until the host has the next record of that kind, after those that were waited for before ->
        the record."""
        n = self._waited.get(kind, 0)
        self._waited[kind] = n + 1
        self.rig.step_until(lambda _: self.host.kinds().count(kind) > n, limit_ms)
        return [record for record in self.host.records if record["kind"] == kind][n]
