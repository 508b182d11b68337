"""A caller of the session that commits whatever it is given, for the tests of the session."""

from host_tools.link.events import NOTHING, Alarm, Hello, Record
from host_tools.link.session import Session
from tests.host.link.fake_board import KEY, FakeBoard


class Host:
    """A caller of the session that commits whatever it is given, into a list."""

    def __init__(self, board, session=None, last=NOTHING, key=KEY):
        self.board, self.last, self.key = board, last, key
        self.session = session or Session()
        self.stored: list[bytes] = []
        self.events: list = []
        self.now = 50.0

    def hear(self, data):
        """Take what the board sent, act on it, and let the board hear what is sent back, until both are silent."""
        while data:
            self.now += 0.001
            events = self.session.feed(data, self.now)
            for event in events:
                self.events.append(event)
                if isinstance(event, Hello) and self.session.dev is None:
                    self.events += self.session.accept(event, self.key, self.last)
                if isinstance(event, Record):
                    if event.new:
                        self.stored.append(event.raw + b"\n")
                    self.session.committed(event)
            data = self.board.hear(self.session.output())

    def wait(self, seconds):
        self.now += seconds
        self.session.tick(self.now)
        self.hear(self.board.hear(self.session.output()))

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    def alarms(self):
        return [alarm.code for alarm in self.of(Alarm)]


def meeting(board=None, **kwargs):
    """A board with one round in its journal, and a host that has said welcome to it."""
    if board is None:
        board = FakeBoard()
        board.start()
        board.play(1)
    host = Host(board, **kwargs)
    host.hear(board.status())
    return board, host
