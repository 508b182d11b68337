"""Feeds the records of captured logs to a store: in their order, by their chain, each once.

No hello, status or key of a log is believed: nothing of it opens bets or shows a board as live.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from tumbler.core import ledger

from host_tools import keys
from host_tools.capture.names import times_path
from host_tools.errors import UserError
from host_tools.link.chain import Chain, Fit
from host_tools.link.events import NOTHING, Fields
from host_tools.run.ownership import Ownership
from host_tools.settler.settle import Wager
from host_tools.store import Arrived, Conflict, Settler, Store
from host_tools.verify.audit import Place
from host_tools.verify.logs import Advance, chunks


class Missed(NamedTuple):
    """The first record of a board that could not be taken, and why not."""

    dev: str
    boot: int
    seq: int
    place: Place
    why: str


class _Board:
    """One dev of the logs."""

    def __init__(self, dev: str, store: Store) -> None:
        self.dev = dev
        self.chain = Chain(keys.board_key(dev), store.last_identity(dev) or NOTHING)
        self.waiting: list[tuple[Arrived, Place]] = []
        self.came_at = datetime.min
        self.missed: Missed | None = None
        self.taken = self.known = 0

    def miss(self, fields: Fields, place: Place, why: str) -> None:
        self.missed = self.missed or Missed(self.dev, fields["boot"], fields["seq"], place, why)


class Replay:
    """Logs into a store. What a run owns is left alone; what was taken is committed and stays."""

    def __init__(
        self, store: Store, settler: Settler, wagers: Sequence[Wager], say: Callable[[str, str], object]
    ) -> None:
        """`wagers` are placed in every round that begins; a store that saw the board live refuses them."""
        self.boards: dict[str, _Board] = {}
        self.entries = 0
        self._noted = ""
        self._store, self._settler, self._wagers, self._say = store, settler, wagers, say
        self._owned: list[Ownership] = []

    def log(self, parts: Sequence[Path], advance: Advance) -> None:
        """Take the parts of one capture. Raises UserError when they cannot be read, a key is missing, or a run owns
        the board."""
        beside = {str(path): _Times(path) for path in parts}
        for chunk in chunks(parts, 0, advance):
            try:
                fields = ledger.decode_device(chunk.raw) if chunk.is_line else {}
            except ledger.LineError:
                continue
            if "seq" in fields:
                self._record(chunk.raw, fields, chunk.place, beside[chunk.place.log].at(chunk.offset))

    def end(self) -> None:
        """All logs were read. Raises UserError as log()."""
        for board in self.boards.values():
            self._store_waiting(board)

    def close(self) -> None:
        """Give the boards back."""
        for ownership in self._owned:
            ownership.release()

    def _record(self, raw: bytes, fields: Fields, place: Place, at: datetime) -> None:
        board = self.boards.get(fields["dev"]) or self._meet(fields["dev"])
        fit = board.chain.fit(raw, fields)
        if fit in (Fit.EARLY, Fit.NEVER):
            self._store_waiting(board)  # what came before may be the first that is not taken
        if fit is Fit.EARLY:
            missing = board.chain.tip.seq + 1
            board.miss(fields, place, f"record {missing} is not there: give the log that holds it before this one")
            return
        if fit is Fit.NEVER:
            board.miss(fields, place, "it does not fit the record before it: `tumbler verify` says what was damaged")
            return
        if fit is Fit.NEXT:
            board.chain.take(fields)
            board.missed = None  # one came too early, as it does when a line was lost and sent again
        if at != board.came_at:
            self._store_waiting(board)
            board.came_at = at
        board.waiting.append((Arrived(raw, fields, None), place))
        if fields["kind"] == "bets_open" and self._wagers:
            self._store_waiting(board)

    def _store_waiting(self, board: _Board) -> None:
        """Commit the records that came with one read of the port; each by itself when one of them is another's."""
        waiting, board.waiting = board.waiting, []
        try:
            self._commit(board, [arrived for arrived, _ in waiting])
        except Conflict:
            for arrived, place in waiting:
                try:
                    self._commit(board, [arrived])
                except Conflict as conflict:
                    board.miss(arrived.fields, place, str(conflict).rstrip("."))

    def _commit(self, board: _Board, batch: Sequence[Arrived]) -> None:
        at = board.came_at
        for arrived, done in zip(batch, self._store.ingest_all(board.dev, batch, at, self._settler), strict=True):
            board.taken += done.new
            board.known += not done.new
            self.entries += done.made.count
            if done.note and done.note != self._noted:  # that settling is stopped is told once, not for each record
                self._say(done.note, "yellow")
            self._noted = done.note
            if done.kind == "bets_open" and self._wagers:
                self._place(board.dev, arrived.fields["round"], at)

    def _place(self, dev: str, number: int, at: datetime) -> None:
        """Also in a round that is there with open bets: an earlier replay may have died before its wagers."""
        round_ = self._store.round(dev, number)
        if round_ is not None and round_.state == "bets_open":
            self._store.place_replayed(dev, number, self._wagers, self._settler.paytable, at)

    def _meet(self, dev: str) -> _Board:
        ownership = Ownership(self._store, self._say)
        while not ownership.take(dev, time.monotonic(), datetime.now(timezone.utc)):
            time.sleep(1)
        self._owned.append(ownership)
        self.boards[dev] = _Board(dev, self._store)
        return self.boards[dev]


class _Times:
    """When the bytes of a log came, by the file beside it; without one, when the log was last written."""

    def __init__(self, log: Path) -> None:
        self._last = datetime.fromtimestamp(log.stat().st_mtime, timezone.utc)
        self._rows: list[tuple[int, datetime]] = []
        beside = times_path(log)
        if beside.is_file():
            lines = beside.read_text("ascii", "replace").split("\n")[:-1]  # a run that died may have cut the last
            self._rows = [_row(beside, number, line) for number, line in enumerate(lines[1:], 2) if "," in line]
            self._rows.reverse()

    def at(self, offset: int) -> datetime:
        """Of the byte at `offset`; asked in rising order."""
        while self._rows and self._rows[-1][0] <= offset:
            self._last = self._rows.pop()[1]
        return self._last


def _row(path: Path, number: int, line: str) -> tuple[int, datetime]:
    offset, at = line.split(",", 1)
    try:
        return int(offset), datetime.fromisoformat(at).astimezone(timezone.utc)
    except ValueError:
        raise UserError(
            f"{path}, line {number}: {line[:60]!r} is no byte and its time; copy the file from its backup, or take it "
            "away, and the log's own time counts."
        ) from None
