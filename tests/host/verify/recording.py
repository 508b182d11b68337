"""A captured log as a run makes it, line by line, for the tests of verify and replay."""

import binascii

from tests.host.link.fake_board import DEV, KEY, FakeBoard

OTHER = "sim-0000000000b2-0001"


class Recording:
    """What the host read, `lines` each with its LF; `places` maps a seq to the indices at which its record stands."""

    def __init__(self, dev=DEV, key=KEY):
        self.board = FakeBoard(dev, key)
        self.dev = dev
        self.lines: list[bytes] = []
        self.results = self.rounds = 0

    @property
    def log(self):
        return b"".join(self.lines)

    def start(self):
        """Power on: hello, boot record, the host's question, and the hello that answers it."""
        self.board.start(1 if not self.board.lines else self.board.boot + 1)
        self.lines.append(self.board.lines[-1])
        self.asked()
        return self

    def asked(self):
        self.board.nonces += 1
        self.lines.append(self.board.hello())

    def take(self, kind, *values):
        """A record is written and sent."""
        self.lines.append(self.board.write(kind, *values))

    def play(self, number, dice=(1, 3, 6), statuses=True):
        """A round with its meter; the host acks all of it in the end."""
        self.take("spin", number, 3)
        self.take("bets_open", number, 3)
        if statuses:
            self.lines.append(self.board.status("BETTING", number))
        self.take("bets_closed", number, "dealer")
        self.take("uncovered", number)
        self.take("result", number, dice, 4)
        self.rounds, self.results = self.rounds + 1, self.results + 1
        self.take("meter", self.rounds, 4 * self.results, self.results, 0, 0, 0, 3)
        if statuses:
            self.lines.append(self.board.status("IDLE", number))
        self.board.acked = self.board.next_seq - 1
        return self

    def again(self, first, last=None):
        """The board sends its records anew from `first` on."""
        self.lines += self.board.lines[first - 1 : last]
        return self

    def at(self, seq):
        """The index of the line on which a record stands first."""
        return self.lines.index(self.board.lines[seq - 1])

    def sealed_again(self, line, old, new):
        """The line with something replaced and its crc made right, as someone without the key can."""
        body = line[: line.index(b',"crc"')].replace(old, new)
        assert body != line[: line.index(b',"crc"')], "nothing was replaced"
        return body + b',"crc":"%08X"}\n' % binascii.crc32(body)


def recording(rounds=4):
    """Two starts, `rounds` rounds in each, and records that are sent again in between."""
    made = Recording().start()
    for number in range(1, rounds + 1):
        made.play(number)
    made.again(4, 9).again(6, 11)
    made.start()
    for number in range(rounds + 1, 2 * rounds + 1):
        made.play(number)
    made.asked()
    return made
