"""The host's end of an emulated board's line: the session of the product, which commits whatever it is given."""

from host_tools.emu.board import EmuBoard
from host_tools.link.events import NOTHING, Event, Hello, Record
from host_tools.link.session import Session

LIMIT_S = 12  # emulated; a dealer would wait for a minute, which takes half an hour
K = bytes(range(32))  # the published test key, docs/PROTOCOL.md


class Host:
    """Pumped after each step of the board. events: all that came; records: fields of the durable records, in order."""

    def __init__(self, board: EmuBoard):
        self._board = board
        self.session = Session()
        self.events: list[Event] = []
        self.records: list[dict] = []
        board.after_step = self.pump

    def pump(self) -> None:
        now_s = self._board.clock.nanos / 1e9
        if now_s > LIMIT_S:
            raise TimeoutError(f"The test was not over after {LIMIT_S} s: {self.events}")
        for event in self.session.feed(self._board.usb.read(), now_s):
            self._take(event)
        self.session.tick(now_s)
        self._board.usb.send(self.session.output())

    def _take(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Hello) and self.session.dev is None:
            for more in self.session.accept(event, K, NOTHING):
                self._take(more)
        elif isinstance(event, Record):
            self.records.append(event.fields)
            self.session.committed(event)

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]
