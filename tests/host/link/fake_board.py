"""A board as docs/PROTOCOL.md describes its end of the line, small enough to be read at a glance."""

from tumbler.core import ledger, mac

KEY = bytes(range(32))
DEV = "sim-0000000000a1-9c1e"
FW = "0123456789abcdef"


class FakeBoard:
    """Journals records with write(), says lines, hears the host's; resending is left to the test."""

    def __init__(self, dev=DEV, key=KEY, boot=1, first_seq=1):
        self.dev, self.key, self.boot = dev, key, boot
        self.first_seq = first_seq
        self.lines: list[bytes] = []  # the journal, each line with its LF
        self.macs: list[bytes] = []
        self.acked = first_seq - 1
        self.nonces = 0
        self.lost = False
        self.heard: list[dict] = []
        self.t_ms = 1000

    @property
    def next_seq(self):
        return self.first_seq + len(self.lines)

    @property
    def nonce(self):
        self.nonces = max(1, self.nonces)  # the first hello of a boot draws one unasked
        return mac.nonce(self.key, self.dev, self.boot, self.nonces)

    def write(self, kind, *values):
        previous = self.macs[-1] if self.macs else mac.ZERO_MAC
        key = mac.record_key(self.key)
        line, tag = ledger.encode_record(kind, self.dev, self.boot, self.next_seq, self.t_ms, values, key, previous)
        self.lines.append(line)
        self.macs.append(tag)
        return line

    def start(self, boot=None, replaces=None):
        """A start of the board: its boot record."""
        self.boot = self.boot if boot is None else boot
        self.nonces = 0
        return self.write("boot", FW, "1.28.0", "pico", "power", "production", replaces)

    def play(self, number, dice=(1, 3, 6)):
        """The records of one round with a result."""
        return b"".join(
            [
                self.write("spin", number, 3),
                self.write("bets_open", number, 3),
                self.write("bets_closed", number, "dealer"),
                self.write("uncovered", number),
                self.write("result", number, dice, 4),
            ]
        )

    def forget(self, count):
        """The oldest records are not in the journal any more."""
        del self.lines[:count], self.macs[:count]
        self.first_seq += count

    def unacked(self):
        return self.lines[self.acked - self.first_seq + 1 :]

    def _say(self, kind, *values):
        return ledger.encode_ephemeral(kind, self.dev, self.boot, self.t_ms, values)

    def hello(self):
        room = (self.next_seq, len(self.unacked()), 20)
        return self._say("hello", FW, "1.28.0", "pico", "production", self.nonce, *room)

    def status(self, state="IDLE", number=0):
        return self._say("status", self.next_seq, state, number)

    def answer(self, order, ok=True, why="done"):
        return self._say("answer", order["nonce"], order["n"], ok, why)

    def hear(self, data):
        """Take the host's bytes; returns what is said to them. Lines that no board would believe fail the test."""
        said = b""
        for line in data.split(b"\n")[:-1]:
            command = ledger.decode_command(line)
            if command["cmd"] == "hello?":
                self.nonces += 1
                proof = mac.proof(self.key, self.dev, command["challenge"], self.nonce)
                said += self.hello() + self._say("proof", command["challenge"], proof)
                continue
            assert command["nonce"] == self.nonce
            assert ledger.mac_ok(line, command, mac.host_key(self.key), b"")
            assert command["n"] > max([c["n"] for c in self.heard if c["nonce"] == self.nonce], default=0)
            self.heard.append(command)
            if command["cmd"] == "resend":
                self.acked = max(command["seq"], self.first_seq - 1)
                said += self.answer(command) + self.hello()
            elif command["cmd"] == "welcome" and command["seq"] >= self.next_seq:
                self.lost = True  # the host knows more than the journal holds
            elif command["cmd"] in ("ack", "welcome") and command["seq"]:
                assert command["rmac"] == self.macs[command["seq"] - self.first_seq].hex()
                self.acked = max(self.acked, command["seq"])
        return said
