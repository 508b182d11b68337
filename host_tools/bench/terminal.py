"""The host's end of the line in a bench: the product's own session, with every line kept and acks given or withheld."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tumbler.core import ledger
from tumbler.core.framer import Framer

from host_tools import keys
from host_tools.bench.targets import Target
from host_tools.boards import Board
from host_tools.capture import Capture, Sync
from host_tools.link.events import NOTHING, Alarm, Answer, Bad, Event, Fields, Hello, Identity, Noise, Record
from host_tools.link.session import Session
from host_tools.run.clock import RunClock

# What a record says of the state that the table is in from then on; "" is not known before the next status.
STATE_AFTER = {
    "boot": "",
    "spin": "SPINNING",
    "bets_open": "BETTING",
    "bets_closed": "CLOSED",
    "uncovered": "UNCOVERED",
    "result": "RESULT",
    "void": "IDLE",
    "fault": "FAULT",
    "clear": "",
    "meter": "IDLE",
}


class Heard(NamedTuple):
    """One whole ledger line; t_ms: when it had come, on the rig's clock. `raw` is without its LF."""

    t_ms: int
    raw: bytes
    fields: Fields


class Terminal:
    """Answers hellos and, while `acks` is true, acks records. Pumped by the rig's steps.

    lines: all ledger lines since forget(); records: fields of those that the session took, each once; alarms, bad,
    noise, answers: what else it told since then. state: of the table as far as the line says, "" when it does not;
    drops: how often the port went away; hello: the last one. boots: those that spoke; repeats: how often a record came
    that had come before.
    """

    def __init__(self, target: Target):
        self.acks = True
        self.hello: Fields | None = None
        self.state = ""
        self._state_at = (0, 0)  # boot and t
        self.boots: set[int] = set()
        self.repeats = 0
        self._target = target
        self._rig, self._line = target.rig, target.line
        self._clock = RunClock(lambda: self._rig.t_ms / 1000)
        self._session = Session()
        self._held: list[Record] = []  # taken and not acked
        self._framer = Framer()
        self._log: Capture | None = None
        self._digest = hashlib.sha256()
        self.forget()
        self._rig.pump = self.pump

    def forget(self) -> None:
        """Forget what came before; the log goes on."""
        self.lines: list[Heard] = []
        self.records: list[Fields] = []
        self.alarms: list[Alarm] = []
        self.bad: list[bytes] = []
        self.noise: list[bytes] = []
        self.answers: list[Fields] = []

    # ------------------------------------------------------------ the log

    def begin(self, folder: Path) -> None:
        """Forget what came before and keep all bytes from here on in a log in `folder`. Raises UserError."""
        self.forget()
        self._log = Capture(folder, self._clock.utc_now(), sync=Sync.CLOSE)
        self._digest = hashlib.sha256()

    def end(self) -> tuple[Path, str]:
        """Close the log -> its path and the SHA-256 of what came. Raises UserError when the disk fails."""
        assert self._log is not None, "begin() comes first"
        log, self._log = self._log, None
        log.close()
        return log.log_path, self._digest.hexdigest()

    # ------------------------------------------------------------ the line

    @property
    def board(self) -> Board:
        """The board file of what speaks here."""
        return self._target.board

    @property
    def drops(self) -> int:
        return self._line.drops

    @property
    def proven(self) -> bool:
        """The board has proved that it is there now and has the key."""
        return self._session.proven

    def pump(self) -> None:
        """Take what has come and answer it. Raises UserError when the port is gone for good."""
        drops = self._line.drops
        data = self._line.read()
        if self._line.drops != drops:
            self._session.port_changed()
        now_s = self._clock.now_s()
        if data:
            self._keep(data, self._clock.utc_now(), now_s)
        for event in self._session.feed(data, now_s):
            self._take(event)
        self._session.tick(now_s)
        self.send(self._session.output())

    def _keep(self, data: bytes, at: datetime, now_s: float) -> None:
        self._digest.update(data)
        if self._log is not None:
            self._log.add(data, at, now_s)
        for is_line, chunk in self._framer.feed(data):
            if is_line:
                try:
                    self._hear(Heard(self._rig.t_ms, chunk, ledger.decode_device(chunk)))
                except ledger.LineError:
                    continue  # the session tells of it

    def _hear(self, line: Heard) -> None:
        self.lines.append(line)
        if "seq" not in line.fields:
            self.boots.add(line.fields["boot"])
        if line.fields["kind"] == "status" and line.fields["state"] != "SPINNING":  # that one tells no time
            self._is_in(line.fields["state"], line.fields)

    def _is_in(self, state: str, fields: Fields) -> None:
        """A status may come before records that were written earlier."""
        at = (fields["boot"], fields["t"])
        if at >= self._state_at:
            self.state, self._state_at = state, at

    def _take(self, event: Event) -> None:
        if isinstance(event, Hello):
            self._greet(event)
        elif isinstance(event, Record):
            self._take_record(event)
        elif isinstance(event, Alarm):
            self.alarms.append(event)
        elif isinstance(event, Bad):
            self.bad.append(event.raw)
        elif isinstance(event, Noise):
            self.noise.append(event.raw)
        elif isinstance(event, Answer):
            self.answers.append(event.fields)

    def _greet(self, hello: Hello) -> None:
        self.hello = hello.fields
        if self._session.dev is None:
            before = hello.fields["next"] - 1 - hello.fields["unacked"]
            last = Identity(0, before, NOTHING.mac)  # what came before this bench is nobody's here
            for event in self._session.accept(hello, keys.board_key(hello.fields["dev"]), last):
                self._take(event)

    def _take_record(self, record: Record) -> None:
        fields = record.fields
        if record.new:
            self.records.append(fields)
            self._is_in(STATE_AFTER.get(fields["kind"], self.state), fields)
        else:
            self.repeats += 1
        if self.acks:
            self._session.committed(record)
        else:
            self._held.append(record)

    def give_acks(self) -> None:
        """Ack all that was withheld, and what comes from now on."""
        self.acks = True
        for record in self._held:
            self._session.committed(record)
        self._held.clear()

    # ------------------------------------------------------------ what tests ask and send

    def of(self, kind: str) -> list[Fields]:
        """Records of that kind, or ephemeral lines, since forget()."""
        kept = [record for record in self.records if record["kind"] == kind]
        return kept or [line.fields for line in self.lines if line.fields["kind"] == kind and "seq" not in line.fields]

    def kinds(self) -> list[str]:
        """Of the records since forget(), in order."""
        return [record["kind"] for record in self.records]

    def keys(self, said: str) -> list[str]:
        """Keys of which the terminal said that: shown, taken, refused, stuck."""
        return [key["key"] for key in self.of("key") if key["said"] == said]

    def sightings(self, seq: int) -> list[Heard]:
        """Each time that the record came."""
        return [line for line in self.lines if line.fields.get("seq") == seq]

    def order(self, cmd: str, *values: Any) -> None:
        """Send an order (docs/PROTOCOL.md, "From the host"). Raises ledger.LineError for values that none may have."""
        self._session.order(cmd, values)
        self._rig.settle()

    def ask(self) -> None:
        """Send a `hello?` with a new challenge."""
        self._session.renew(self._clock.now_s())
        self._rig.settle()

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        if data:
            if self._log is not None:
                self._log.sent(data)
            self._line.write(data)
