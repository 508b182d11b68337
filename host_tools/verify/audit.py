"""The audit of captured lines without input or output: lines go in, the first damage of each board comes out.

It reads a log as a host does that takes records only in their order, so what a board sends again is no damage. What a
board never does: a record behind one that did not come, other content under an identity, an older start or nonce.
"""

import re
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from tumbler.core import ledger

from host_tools.link.chain import Chain, Fit
from host_tools.link.events import NOTHING, Fields, Identity
from host_tools.link.totals import Totals

# More records than any journal holds: a board sends none again that is older.
RECALL = 16384
NONCES = 64

EDITED, SPLICED, DROPPED = "edited", "spliced", "dropped"
REORDERED, REPLAYED, CUT, TOTALS = "re-ordered", "replayed", "cut", "totals"

_NOT_WHOLE = "its line is not whole, and no other came"
_BROKEN_RECORD = re.compile(rb'"dev":"([0-9a-z-]{6,21})","boot":(\d{1,7}),"seq":(\d{1,10})')


class Place(NamedTuple):
    """A line of the `number`-th log; lines count from 1. Places sort in the order in which they were read."""

    number: int
    line: int
    log: str

    def __str__(self) -> str:
        return f"{self.log}:{self.line}"


LAST = Place(1 << 30, 0, "")


class Damage(NamedTuple):
    """The first record of a board that is not as the board wrote it. `boot` is None for one that is not there."""

    kind: str
    dev: str
    boot: int | None
    seq: int
    place: Place | None
    why: str


class _Early(NamedTuple):
    """Where a record stood whose predecessor `missing` had not come.

    `lossy`: before it bytes were lost, or the board had just been asked; `broken`: where those bytes were.
    """

    missing: int
    boot: int
    seq: int
    place: Place
    lossy: bool
    broken: Place | None


class BoardAudit:
    """What the logs hold of one dev."""

    def __init__(self, dev: str, key: bytes) -> None:
        self.dev = dev
        self._key = key
        self.chain: Chain | None = None
        self.first = NOTHING
        self.records = self.again = self.meters = 0
        self.boots: set[int] = set()
        self.damage: Damage | None = None
        self.spoke = False  # an ephemeral line of it is there
        self.first_place: Place | None = None
        self.written = 0  # the seq up to which an ephemeral line says that records were written
        self.acked = 0  # the same for what was acked
        self.acked_place: Place | None = None
        self._seen: dict[int, tuple[bytes, Place]] = {}  # seq -> line and place, the last RECALL
        self._early: dict[int, Place] = {}
        self._gap: _Early | None = None
        self._false: tuple[Fields, Place] | None = None  # a record that does not fit; a true one may still come
        self._broken: dict[int, Place] = {}
        self._trace: Place | None = None  # where bytes were last seen that are no whole line
        self._lossy = True
        self._last_seq = self._lowest = 0
        self._boot = -1
        self._nonces: deque[str] = deque(maxlen=NONCES)
        self._totals: Totals | None = None

    # ------------------------------------------------------------ lines

    def lost(self, place: Place) -> None:
        """Bytes were seen that are no whole line: a record may have been among them."""
        self._lossy, self._lowest, self._last_seq = True, 0, 0
        self._trace = self._trace or place

    def opened(self) -> None:
        """The port was opened shortly before, or the board asked: it may send from anywhere on, and did so since."""
        self._lossy, self._lowest, self._last_seq = True, 0, 0
        if self._gap is not None:
            self._gap = self._gap._replace(lossy=True)

    def broken(self, seq: int, place: Place) -> None:
        """A line that looks like this record is not whole."""
        if len(self._broken) < RECALL:
            self._broken.setdefault(seq, place)

    def ephemeral(self, fields: Fields, place: Place) -> None:
        self.spoke = True
        if 0 < fields["boot"] < self._boot:  # a start that could not write its record speaks as boot 0
            self._found(REPLAYED, fields["boot"], self.last_seq, place, self._old_start(fields["boot"]))
        self._boot = max(self._boot, fields["boot"])
        if "next" in fields:
            self.written = max(self.written, fields["next"] - 1)
        if fields["kind"] == "hello":
            self.opened()
            acked = fields["next"] - fields["unacked"] - 1
            self.was_acked(acked, place)
            nonce = fields["nonce"]
            if nonce in self._nonces and nonce != self._nonces[-1]:
                why = f"its hello carries nonce {nonce}, which was followed by another one before"
                self._found(REPLAYED, fields["boot"], self.last_seq, place, why)
            if nonce not in self._nonces:
                self._nonces.append(nonce)

    def record(self, raw: bytes, fields: Fields, place: Place) -> None:
        if self.damage is not None:
            return
        seq = fields["seq"]
        if self.chain is None or seq < self.first.seq:
            self._begin(fields, place)
        assert self.chain is not None, "it was begun a line ago"
        self._again(seq, fields, place)
        if self.damage is not None:
            return
        fit = self.chain.fit(raw, fields)
        if fit is Fit.EARLY:
            self._came_early(fields, place)
        elif fit is Fit.NEXT:
            self._take(raw, fields, place)
        elif fit is Fit.KNOWN or seq == self.chain.tip.seq:
            self._known(raw, fields, place)
        elif self._false is None:
            self._false = fields, place
        self._last_seq = seq

    def _begin(self, fields: Fields, place: Place) -> None:
        """The first record, or an older one than that: a log may begin in the midst of what is sent again."""
        boot, seq = fields["boot"], fields["seq"]
        before = NOTHING if seq == 1 else Identity(0, seq - 1, NOTHING.mac)
        self.chain = Chain(self._key, before)
        self.first = Identity(boot, seq, fields["mac"])
        self.first_place = self.first_place or place
        self._totals = Totals() if seq == 1 else None
        self._early.clear()
        self._gap = self._false = None
        self.records = self.meters = 0

    def _again(self, seq: int, fields: Fields, place: Place) -> None:
        """A board begins anew at its oldest record that was not acked, and that one only rises."""
        if seq > self._last_seq:
            return
        if seq < self._lowest:
            why = (
                f"it came before, the board had gone on to send again from seq {self._lowest} only, and nothing was "
                "lost on the line since"
            )
            self._found(REPLAYED, fields["boot"], seq, place, why)
        self._lowest = seq

    def _take(self, raw: bytes, fields: Fields, place: Place) -> None:
        assert self.chain is not None, "judged by it"
        seq = fields["seq"]
        if self._false is not None:
            self.damage = self._false_damage(place)
            return
        gap = self._gap
        if gap is not None and not gap.lossy:
            why = f"it stands where record {gap.missing} should, which came at {place} only"
            self.damage = Damage(REORDERED, self.dev, gap.boot, gap.seq, gap.place, why)
            return
        known = self._seen.get(seq)
        if known is not None and known[0] != raw:
            self._other_content(fields, place, known[1])
            return
        self._gap = self._trace = None
        self._lossy = False
        self._early.pop(seq, None)
        self.chain.take(fields)
        self.records += 1
        self.boots.add(fields["boot"])
        if known is None:
            self._remember(seq, raw, place)
        self._count(fields, place)

    def _known(self, raw: bytes, fields: Fields, place: Place) -> None:
        seq = fields["seq"]
        self.again += 1
        known = self._seen.get(seq)
        if known is None:
            why = f"it is older than the {RECALL} records before it, which no board can send again"
            self._found(REPLAYED, fields["boot"], seq, place, why)
        elif known[0] != raw:
            self._other_content(fields, place, known[1])

    def _came_early(self, fields: Fields, place: Place) -> None:
        assert self.chain is not None, "judged by it"
        seq = fields["seq"]
        if self._gap is None:
            missing = self.chain.tip.seq + 1
            self._gap = _Early(missing, fields["boot"], seq, place, self._lossy, self._trace)
        if len(self._early) < RECALL:
            self._early.setdefault(seq, place)

    def _count(self, fields: Fields, place: Place) -> None:
        if fields["kind"] != "meter":
            if self._totals is not None:
                self._totals.count(fields)
            return
        differs = [] if self._totals is None else self._totals.differences(fields)
        if self._totals is not None:
            self.meters += 1
        if differs:
            why = f"this meter disagrees with the records before it: {'; '.join(differs)}"
            self._found(TOTALS, fields["boot"], fields["seq"], place, why)
        self._totals = Totals(fields)

    def _remember(self, seq: int, raw: bytes, place: Place) -> None:
        self._seen[seq] = raw, place
        if len(self._seen) > RECALL:
            del self._seen[next(iter(self._seen))]

    def has(self, seq: int, rmac: str) -> bool:
        """Whether this record is there, and not too long ago."""
        known = self._seen.get(seq)
        return known is not None and known[0].find(f',"mac":"{rmac}"'.encode("ascii")) > 0

    def was_acked(self, seq: int, place: Place | None) -> None:
        """The host had all records up to this one: its ack says so, or its store."""
        if seq > self.acked:
            self.acked, self.acked_place = seq, place

    # ------------------------------------------------------------ findings

    @property
    def last_seq(self) -> int:
        """Of the last record that fits; 0 when there is none."""
        return 0 if self.chain is None else self.chain.tip.seq

    def _found(self, kind: str, boot: int | None, seq: int, place: Place | None, why: str) -> None:
        if self.damage is not None:
            return
        found = Damage(kind, self.dev, boot, seq, place, why)
        gap = self._gap
        if self._false is not None:  # whatever comes behind it, that was before
            found = self._false_damage(None)
        elif gap is not None and not gap.lossy:
            found = self._never_came(gap)
        self.damage = found

    def _old_start(self, boot: int) -> str:
        return f"a line of start {boot} stands behind one of start {self._boot}"

    def _other_content(self, fields: Fields, place: Place, true: Place) -> None:
        why = f"another record under this identity, which fits the chain, stands at {true}"
        self._found(SPLICED, fields["boot"], fields["seq"], place, why)

    def _false_damage(self, true: Place | None) -> Damage:
        """What the record that does not fit was; `true`: where the one stands that fits."""
        assert self._false is not None, "asked only then"
        fields, place = self._false
        kind = EDITED if true is None else SPLICED
        why = self._does_not_fit() if true is None else f"the record that fits the chain there stands at {true}"
        return Damage(kind, self.dev, fields["boot"], fields["seq"], place, why)

    def _does_not_fit(self) -> str:
        assert self.chain is not None, "something was judged by it"
        wrong_key = ", or the key is not this board's" if self.records <= 1 else ""
        return (
            "its mac does not fit it and the record before it: it was edited, or all from it on was spliced in from "
            f"elsewhere{wrong_key}"
        )

    def end(self) -> None:
        """No line comes any more: what was waited for did not come."""
        if self.damage is not None or self.chain is None:
            return
        broken, before = self._broken.get(self.last_seq + 1), self._broken.get(self.first.seq - 1)
        if self._false is not None:
            self.damage = self._false_damage(None)
        elif self._gap is not None:
            self.damage = self._never_came(self._gap)
        elif broken is not None:
            self._found(EDITED, None, self.last_seq + 1, broken, _NOT_WHOLE)
        elif before is not None:
            self._found(EDITED, None, self.first.seq - 1, before, _NOT_WHOLE)
        elif self.acked > self.last_seq:
            why = f"the host had acked the records up to seq {self.acked}, and they end at {self.last_seq}"
            self._found(CUT, None, self.last_seq + 1, self.acked_place, why)

    def _never_came(self, gap: _Early) -> Damage:
        missing, what = gap.missing, f"record {gap.boot}:{gap.seq}"
        broken = min((place for place in (self._broken.get(missing), gap.broken) if place), default=None)
        if missing in self._early:
            why = f"record {missing} did not come in its turn"
            return Damage(REORDERED, self.dev, gap.boot, missing, self._early[missing], why)
        if broken is not None:
            why = f"{what} at {gap.place} follows, but where it should stand is no whole line, and no other came"
            return Damage(EDITED, self.dev, None, missing, broken, why)
        return Damage(DROPPED, self.dev, None, missing, gap.place, f"it did not come, and {what} stands there")


class Audit:
    """All boards of some logs, given line by line in their order."""

    def __init__(self, key_of: Callable[[str], bytes]) -> None:
        """key_of(dev) gives the 32-byte K of a board and may raise UserError."""
        self._key_of = key_of
        self.boards: dict[str, BoardAudit] = {}
        self.noise_bytes = self.bad_lines = 0
        self._unmet: list[tuple[str, int, Place]] = []  # dev and seq of broken records before that dev's first line

    def chunk(self, is_line: bool, raw: bytes, place: Place) -> None:
        """Take what the framer cut out."""
        fields = None
        if is_line:
            try:
                fields = ledger.decode_device(raw)
            except ledger.LineError:
                self._bad(raw, place)
        else:
            self.noise_bytes += len(raw)
        if fields is None:
            for board in self.boards.values():
                board.lost(place)
            return
        board = self._board(fields["dev"])
        if "seq" in fields:
            board.record(raw, fields, place)
        else:
            board.ephemeral(fields, place)

    def _bad(self, raw: bytes, place: Place) -> None:
        self.bad_lines += 1
        named = _BROKEN_RECORD.search(raw)
        if named is None:
            return
        dev, seq = named[1].decode(), int(named[3])
        if dev in self.boards:
            self.boards[dev].broken(seq, place)
        elif len(self._unmet) < RECALL:
            self._unmet.append((dev, seq, place))

    def _board(self, dev: str) -> BoardAudit:
        if dev not in self.boards:
            self.boards[dev] = BoardAudit(dev, self._key_of(dev))
            for of_dev, seq, place in self._unmet:
                if of_dev == dev:
                    self.boards[dev].broken(seq, place)
        return self.boards[dev]

    def new_log(self) -> None:
        """What comes next is of another log."""
        for board in self.boards.values():
            board.opened()

    def of_ack(self, seq: int, rmac: str) -> BoardAudit | None:
        """The board whose record an ack of the host names, None when no log holds it."""
        return next((board for board in self.boards.values() if board.has(seq, rmac)), None)

    def end(self) -> None:
        """All was read."""
        some_spoke = any(board.spoke for board in self.boards.values())
        for board in self.boards.values():
            board.end()
            if some_spoke and not board.spoke and board.damage is None:
                why = "no hello and no status of this board is there, only records"
                board.damage = Damage(SPLICED, board.dev, board.first.boot, board.first.seq, board.first_place, why)

    def first_damage(self) -> Damage | None:
        """The one that stands first in the logs; one without a place stands behind all."""
        found = [board.damage for board in self.boards.values() if board.damage is not None]
        return min(found, key=lambda damage: damage.place or LAST, default=None)
