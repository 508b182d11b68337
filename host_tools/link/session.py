"""The host's side of docs/PROTOCOL.md without input, output or clock: bytes and times go in, events and bytes come out.

One session speaks with one dev, and takes nothing from it before it proved that it is there now. It sends nothing
before a ledger line came, so that a port with something else at its other end is left alone, and it acks nothing before
the caller said that it is durable.
"""

import secrets
from collections.abc import Callable
from typing import Any

from tumbler.core import ledger, mac
from tumbler.core.framer import Framer

from host_tools.keys import not_for_play
from host_tools.link import alarms
from host_tools.link.chain import Chain, Fit
from host_tools.link.events import (
    NOTHING,
    Alarm,
    Answer,
    Bad,
    Event,
    Fields,
    Hello,
    Identity,
    Key,
    Noise,
    Record,
    Status,
)
from host_tools.link.timemap import Moment, TimeMap

ASK_AGAIN_S = 2.0
# The board resends all it has every second that no ack moves; a gap that outlives this was never lost on the way.
GAP_S = 10.0
GAP_SIGHTINGS = 8
# Acked records that keep coming mean that the acks carry a nonce which is no longer the board's.
STALE_ACKS_S = 3.0
# A board repeats its hello every 2 s until it believes a welcome; so often it is not lost on the way but not believed.
# Hellos that come in one read, after this host was busy, were all written before the board could hear the first answer.
WELCOMES = 5
WELCOME_S = 1.0
# So often a challenge is not lost on the way: what speaks is a recording, or has another key.
UNPROVEN_QUESTIONS = 5
CHALLENGES = 8  # questions that may still be answered

# A new dev's boot record, which names the old one, follows its first hello at once and is sent again every second.
NEW_DEV_S = 5.0
# Over this the line is too slow for bets: nobody could say in time that they are still open.
MAX_BOUND_S = 0.5
# How often a board is asked again for its time: while it is not known to that, and else because clocks drift.
DOUBT_S = 20.0
RENEW_S = 600.0

_EPHEMERAL = {"key": Key, "answer": Answer}


class Session:
    """feed() bytes and tick() the time, act on the events, send what output() gives."""

    def __init__(self, draw: Callable[[], str] = lambda: secrets.token_hex(8)) -> None:
        """draw() gives a challenge, 16 hex digits that nobody can foretell."""
        self.dev: str | None = None
        self._draw = draw
        self._framer = Framer()
        self._key = b""
        self._host_key = b""
        self._durable = NOTHING
        self._chain = Chain(b"", NOTHING)  # its tip is the last record that was handed out: durable soon
        self.proven = False  # in this boot and on this port
        self._challenges: dict[str, float] = {}  # when each went out
        self._unproven = 0  # questions without a proof
        self._last_hello: Fields | None = None
        self._early_proof: tuple[Fields, float] | None = None  # came before the caller gave the key
        self._nonce: str | None = None
        self._nonces: set[str] = set()  # seen in this boot
        self._n = 0
        self._welcomes = 0  # under this nonce, WELCOME_S apart
        self._welcomed_s = -WELCOME_S
        self._restoring = False  # the store was restored from a backup, and somebody answers for that
        self._resend_n: int | None = None  # of the line that asked for what is missing, under this nonce
        self._resent = False  # the board answered it: its hello says from where on it sends
        self._asked_twice = False  # in this boot, since the first answer was slow
        self._other_since: float | None = None  # another dev speaks
        self._boot: int | None = None  # of the last ephemeral line; resent records may be of earlier ones
        self._clocks: dict[int, TimeMap] = {}
        self._asked_s: float | None = None  # the oldest question without an answer
        self._asked_again_s = 0.0
        self._durable_when_asked = 0  # seq: an answer that knows less than this is not of the board that we knew
        self._moving = False
        self._late = False  # the last status was long under way, or the board's clock fell behind
        self._ack_due = False
        self._repeats_since: float | None = None
        self._gap: tuple[int, float, int] | None = None  # seq after the gap, first seen, how often
        self._alarmed: set[tuple[str, object]] = set()
        self._out: list[bytes] = []

    # ------------------------------------------------------------ in

    def feed(self, data: bytes, now: float) -> list[Event]:
        """Take bytes that arrived at `now` (s on any steady clock) and return what they mean, in order."""
        events: list[Event] = []
        for is_line, chunk in self._framer.feed(data):
            if not is_line:
                events.append(Noise(chunk))
                continue
            try:
                fields = ledger.decode_device(chunk)
            except ledger.LineError as error:
                events.append(Bad(chunk, str(error)))
                continue
            if self.dev in (None, fields["dev"]):
                self._line(chunk, fields, now, events)
            else:
                self._other_dev(chunk, fields, now, events)
        return events

    def tick(self, now: float) -> None:
        """Let time pass: a question is put again, but not while the motor runs and nobody listens."""
        if self._asked_s is not None:
            after_s = ASK_AGAIN_S
        elif self.proven:
            after_s = DOUBT_S if self._late or self._is_slow(now) else RENEW_S
        else:
            return
        if now - self._asked_again_s >= after_s and not self._moving:
            self._ask(now)

    def port_changed(self) -> None:
        """The port was opened anew: something else may be at its other end, so it is asked again."""
        self._boot = None
        self.proven = False
        self._other_since = None  # what was there before says nothing about what is there now

    # ------------------------------------------------------------ the caller's decisions

    def accept(self, hello: Hello, key: bytes, last: Identity, restoring: bool = False) -> list[Event]:
        """Go on with the board of this hello: `key` is its 32-byte K, `last` its last durable record (or NOTHING).

        A `last` with the mac of NOTHING ends a named gap: the record after it is taken whatever it was chained to.
        `restoring`: the store is from a backup, so the board is to send again all that it still has behind `last`.
        Answers the hello once the board's proof is right. Returns an Alarm when its journal and `last` cannot belong
        together.
        """
        self.dev = hello.fields["dev"]
        self._key, self._host_key = key, mac.host_key(key)
        self._durable, self._chain = last, Chain(key, last)
        self._durable_when_asked = last.seq
        self._restoring = restoring
        events: list[Event] = []
        if self._early_proof is not None:
            self._proof(*self._early_proof, events)
        return events

    def committed(self, record: Record) -> None:
        """The record is durable on this host: an ack for it, and so for all before it, goes out next."""
        if record.identity.seq > self._durable.seq:
            self._durable = record.identity
        self._ack_due = True

    def next_line(self) -> tuple[str, int] | None:
        """(nonce, n) of the next line to the board, None while no board is proven or its hello is under way."""
        return (self._nonce, self._n + 1) if self.proven and self._nonce is not None else None

    def order(self, cmd: str, values: tuple[Any, ...]) -> None:
        """Send an order (docs/PROTOCOL.md, "From the host") as next_line(), whose nonce and n the Answer will carry.

        Raises ledger.LineError for values that no order may have.
        """
        self._command(cmd, values)

    def renew(self, now: float) -> None:
        """Ask for a new nonce, after which no line under the old one is believed; not while the motor runs."""
        if self._asked_s is None and not self._moving:
            self._ask(now)

    def renewed(self, nonce: str | None) -> int | None:
        """The seq that was next when the board had drawn a nonce after `nonce`; None while that is not known."""
        if self._nonce in (None, nonce) or self._last_hello is None:
            return None
        return self._last_hello["next"]

    def output(self) -> bytes:
        """What is to be sent now; at most one ack, which covers all that was committed since the last one."""
        if self._ack_due and self._nonce is not None and self._durable.mac != NOTHING.mac:
            self._command("ack", self._durable)
        self._ack_due = False
        out = b"".join(self._out)
        self._out.clear()
        return out

    # ------------------------------------------------------------ lines

    def _line(self, raw: bytes, fields: Fields, now: float, events: list[Event]) -> None:
        if "seq" in fields:
            if self._boot is None and self._asked_s is None:
                self._ask(now)
            if self.proven:
                self._record(raw, fields, now, events)
            return
        clock = self._clocks.setdefault(fields["boot"], TimeMap(races=not_for_play(fields["dev"])))
        if fields["boot"] != self._boot:
            asked = self._boot is None and self._asked_s is not None  # when a record came before this line
            self._boot = fields["boot"]
            self._nonces = {fields["nonce"]} if fields["kind"] == "hello" and not asked else set()
            self._asked_twice = self.proven = False
            self._gap = None  # it sends its oldest record before its proof, when none is taken
            if not asked:
                self._ask(now)
        # While the motor runs, the board repeats a line that was written before: its t tells no time.
        self._moving = fields.get("state") == "SPINNING"
        if not self._moving:
            clock.seen(fields["t"], now)
        if fields["kind"] == "hello":
            self._hello(fields, now, events)
        elif fields["kind"] == "proof":
            self._proof(fields, now, events)
        elif self.dev is not None and not self.proven:
            return
        elif fields["kind"] == "answer" and not fields["ok"] and fields["why"] == "bad_ack":
            self._alarm(events, None, alarms.ack_refused(fields["dev"], self._durable))
        elif fields["kind"] == "answer" and (fields["nonce"], fields["n"]) == (self._nonce, self._resend_n):
            self._resent = True
        elif fields["kind"] == "status":
            moment = None if self._moving else self._moment(fields, now)
            self._late = moment is not None and now - moment.at_s > MAX_BOUND_S
            events.append(Status(fields, moment))
        else:
            events.append(_EPHEMERAL[fields["kind"]](fields))

    def _other_dev(self, raw: bytes, fields: Fields, now: float, events: list[Event]) -> None:
        """A board that lost its journal goes on as a new dev, and its first record says so; any other was put here.

        A later record tells nothing for NEW_DEV_S: the first may have been lost on the line, and comes again.
        """
        ours, dev = self.dev, fields["dev"]
        assert ours is not None, "only then another dev is another"
        events.append(Bad(raw, f"dev {dev} on the port of {ours}"))
        if self._other_since is None:
            self._other_since = now
        if fields.get("replaces") == ours and fields["seq"] == 1:
            self._alarm(events, dev, alarms.new_dev(ours, dev))
        elif fields.get("seq") == 1 or now - self._other_since >= NEW_DEV_S:
            self._alarm(events, dev, alarms.other_dev(ours, dev))

    def _ask(self, now: float) -> None:
        self._asked_again_s = now
        if self._asked_s is None:
            self._asked_s = now
            self._durable_when_asked = self._durable.seq
        # The question draws a new nonce: until it is known, what is signed with the old one would not be believed.
        self._nonce = None
        if self.dev is not None and not self.proven:
            self._unproven += 1
        challenge = self._draw()
        self._challenges[challenge] = now
        for old in list(self._challenges)[:-CHALLENGES]:
            del self._challenges[old]
        self._out.append(ledger.encode_command("hello?", None, None, (challenge,), None))

    def _hello(self, fields: Fields, now: float, events: list[Event]) -> None:
        if self._unproven > UNPROVEN_QUESTIONS:
            self._alarm(events, None, alarms.no_proof(self.dev))
        if self._asked_s is not None and fields["nonce"] in self._nonces:
            return  # written before the question reached the board
        # Within a boot only a question draws a new nonce, so this hello was written after it.
        self._nonces.add(fields["nonce"])
        self._last_hello = fields
        events.append(Hello(fields))
        if self._asked_s is None and self.proven:
            self._welcome(fields, now, events)

    def _proof(self, fields: Fields, now: float, events: list[Event]) -> None:
        """The answer to a challenge of ours, behind the hello whose nonce it covers."""
        hello = self._last_hello
        if hello is None or fields["challenge"] not in self._challenges:
            return
        if self.dev is None:
            self._early_proof = (fields, now)
            return
        if fields["proof"] != mac.proof(self._key, self.dev, fields["challenge"], hello["nonce"]):
            return  # of another key, or the hello in between was lost: the question stays open
        asked_s = self._challenges.pop(fields["challenge"])
        self._clocks[fields["boot"]].answered(fields["t"], asked_s, now)
        self.proven, self._unproven, self._asked_s = True, 0, None
        # A question put while the motor ran is answered only after it, which says too little about the board's clock.
        if self._is_slow(now) and not self._asked_twice:
            self._asked_twice = True
            self._ask(now)
        else:
            self._welcome(hello, now, events)

    def _welcome(self, fields: Fields, now: float, events: list[Event]) -> None:
        if fields["nonce"] != self._nonce:
            self._nonce, self._n, self._welcomes = fields["nonce"], 0, 0
            self._resend_n, self._resent = None, False
        next_seq, oldest = fields["next"], fields["next"] - fields["unacked"]
        behind = oldest > self._durable.seq + 1
        resend = behind and self._restoring and not self._resent
        # A record that is missing here cannot be named: the board then learns nothing that it did not know.
        self._command("resend" if resend else "welcome", NOTHING if self._durable.mac == NOTHING.mac else self._durable)
        self._resend_n = self._n if resend else None
        self._ack_due = False
        if now - self._welcomed_s >= WELCOME_S:
            self._welcomes, self._welcomed_s = self._welcomes + 1, now
        if self._welcomes > WELCOMES:
            self._alarm(events, None, alarms.not_believed(self.dev))
        if next_seq <= self._durable_when_asked:
            self._alarm(events, next_seq, alarms.journal_behind(self.dev, next_seq, self._durable_when_asked))
        elif behind and not resend:
            self._alarm(events, oldest, alarms.store_behind(self.dev, oldest, self._durable.seq))

    def _record(self, raw: bytes, fields: Fields, now: float, events: list[Event]) -> None:
        fit = self._chain.fit(raw, fields)
        if fit is Fit.EARLY:
            self._gap_seen(fields["seq"], now, events)
        elif fit is Fit.NEVER:
            self._alarm(events, fields["seq"], alarms.chain(self.dev, fields["seq"]))
        elif fit is Fit.NEXT:
            self._chain.take(fields)
            self._gap = None
            self._repeats_since = None
            events.append(Record(raw, fields, True, self._moment(fields, now)))
        else:
            events.append(Record(raw, fields, False, self._moment(fields, now)))
            self._repeated(now)

    def _gap_seen(self, seq: int, now: float, events: list[Event]) -> None:
        """A record after a gap: the board begins again at its oldest, so what is missing must come with the resend."""
        if self._resend_n is not None:
            return  # its next hello says from where on it has records
        if self._gap is None or self._gap[0] != seq:
            if self._gap is None or seq < self._gap[0]:
                self._gap = (seq, now, 1)
            return
        self._gap = (seq, self._gap[1], self._gap[2] + 1)
        if self._gap[2] >= GAP_SIGHTINGS and now - self._gap[1] >= GAP_S:
            missing = self._chain.tip.seq + 1
            self._alarm(events, missing, alarms.gap(self.dev, missing, seq))

    def _repeated(self, now: float) -> None:
        if self._repeats_since is None:
            self._repeats_since = now
        elif now - self._repeats_since >= STALE_ACKS_S and self._asked_s is None:
            self._repeats_since = None
            self._ask(now)

    def _moment(self, fields: Fields, now: float) -> Moment | None:
        clock = self._clocks.get(fields["boot"])
        moment = None if clock is None else clock.moment(fields["t"])
        if moment is None or moment.at_s <= now:
            return moment
        # No line was written after it arrived, whatever the clocks say.
        return Moment(now, None if moment.bound_s is None else max(0.0, moment.bound_s - (moment.at_s - now)))

    def _is_slow(self, now: float) -> bool:
        """The board's time is not known well enough for bets."""
        clock = None if self._boot is None else self._clocks.get(self._boot)
        bound_s = None if clock is None else clock.bound_s(now)
        return bound_s is None or bound_s > MAX_BOUND_S

    def _alarm(self, events: list[Event], what: object, alarm: Alarm) -> None:
        """Report once: the board sends the same again and again."""
        if (alarm.code, what) not in self._alarmed:
            self._alarmed.add((alarm.code, what))
            events.append(alarm)

    def _command(self, cmd: str, values: tuple[Any, ...]) -> None:
        self._n += 1
        self._out.append(ledger.encode_command(cmd, self._nonce, self._n, values, self._host_key))
