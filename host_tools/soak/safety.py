"""The first question: was it safe at every step? The truth is kept here beside the product and compared with it."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from tumbler.core import events as E
from tumbler.core import ledger
from tumbler.core import round as R

from host_tools.soak.world import World

if TYPE_CHECKING:
    from host_tools.soak.board import Board

COVERED = (R.SPINNING, R.COASTING, R.BETTING, R.CLOSED)
KINDS_COVERED = ("boot", "spin", "bets_open", "bets_closed", "void", "fault", "clear", "meter")


decoded = functools.lru_cache(4096)(ledger.decode_device)
"""The fields of a line, for reading only: the same lines are asked for again and again."""


class Broken(AssertionError):
    """A promise of the product was broken."""


class Safety:
    """Is told what the journal does (begun, journaled, acked), what leaves the board (said), and each tick."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.lines: dict[tuple[str, int], bytes] = {}  # what the journal said is kept
        self.closed_ms: dict[tuple[str, int], int] = {}  # (dev, round): when its bets were closed
        self._doubtful: dict[tuple[str, int], bytes] = {}  # the power went while it was written
        self.stored: Callable[[str], tuple[int, int]] = lambda dev: (0, 0)  # count and last seq of the store's records
        self._shows = False  # numbers counted when the last tick was over
        self._may_show: set[int] = set()  # uptimes of this start at which numbers count
        self.dev = ""

    def broken(self, what: str) -> NoReturn:
        raise Broken(f"at {self._world.now_ms / 1000:.3f} s: {what}")

    # ------------------------------------------------------------ the journal

    def begun(self, line: bytes) -> None:
        fields = decoded(line[:-1])
        key = (fields["dev"], fields["seq"])
        if key in self.lines:
            self.broken(f"record {key[1]} is written a second time")
        self._doubtful[key] = line

    def journaled(self, line: bytes) -> None:
        fields = decoded(line[:-1])
        key = (fields["dev"], fields["seq"])
        self.dev = key[0]
        before = self.lines.get((key[0], key[1] - 1))
        if key[1] > 1 and before is None:
            self._seen((key[0], key[1] - 1), None)
        self._doubtful.pop(key, None)
        self._keep(key, line, fields)

    def _keep(self, key: tuple[str, int], line: bytes, fields: dict[str, Any]) -> None:
        self.lines[key] = line
        if fields["kind"] in ("bets_closed", "void"):
            self.closed_ms.setdefault((key[0], fields["round"]), self._world.now_ms)
        self._world.say(f"record {fields['boot']}:{fields['seq']} {_told(fields)}")

    def _seen(self, key: tuple[str, int], line: bytes | None) -> None:
        """A record is there that was never said to be kept: it must be the one that was being written."""
        doubtful = self._doubtful.get(key)
        if doubtful is None or line not in (None, doubtful):
            self.broken(f"record {key[1]} of {key[0]} was never written: {line!r}")
        self._keep(key, doubtful, decoded(doubtful[:-1]))

    def acked(self, seq: int) -> None:
        """The board took the ack of all up to `seq`: they must be committed by then."""
        if self.stored(self.dev)[1] < seq:
            self.broken(f"record {seq} is acked, and the store has them up to {self.stored(self.dev)[1]}")

    # ------------------------------------------------------------ the board

    def started(self) -> None:
        """The board starts: of what it had to say, only its records are still there."""
        self._may_show.clear()
        self._shows = False

    def said(self, board: "Board", line: bytes) -> None:
        """A line leaves the board."""
        fields = decoded(line[:-1])
        assert board.terminal is not None
        round_ = board.terminal.round
        if "seq" in fields:
            key = (fields["dev"], fields["seq"])
            if key not in self.lines:
                self._seen(key, line)
            if self.lines[key] != line:
                self.broken(f"record {key[1]} was altered: {line!r}, kept was {self.lines[key]!r}")
            if fields["kind"] not in KINDS_COVERED and fields["round"] == round_.round and round_.state in COVERED:
                self.broken(f"{fields['kind']} of round {round_.round} leaves the box before it is uncovered")
        elif fields["kind"] == "key" and fields["window"]:
            may = self._shows or round_.supervisor or round_.state == R.UNCOVERED or fields["t"] in self._may_show
            if not may:
                self.broken(f"numbers leave the box before it is uncovered: {line!r}")

    def ticked(self, board: "Board") -> None:
        terminal = board.terminal
        assert terminal is not None
        # A tick may take a key and then leave the state in which it counts.
        before, self._shows = self._shows, terminal.round.supervisor or terminal.round.state in (R.UNCOVERED, R.RESULT)
        if before or self._shows:
            self._may_show.add(int(terminal.rooms.clock.t()))
        on = board.relay_on()
        if on and terminal.round.state != R.SPINNING:
            self.broken(f"the relay is on in state {terminal.round.state}")
        if on and board.mask & E.COVER_OPEN:
            self.broken("the relay is on with the cover open")
        if terminal.journal_ok and terminal.journal.next_seq > 1 and terminal.identity.boot:
            last = (terminal.identity.dev, terminal.journal.next_seq - 1)
            if last not in self.lines:
                self.broken(f"record {last[1]} was never said to be kept")


def _told(fields: dict[str, Any]) -> str:
    left_out = ("sb", "dev", "boot", "seq", "t", "mac", "crc", "kind", "fw", "mpy", "board", "mode")
    return f"{fields['kind']} " + " ".join(f"{k}={v}" for k, v in fields.items() if k not in left_out)
