"""The loop of a run: port, capture, session, store, and the ack that follows the commit."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime

from host_tools import keys
from host_tools.capture import Capture
from host_tools.errors import UserError
from host_tools.link.alarms import AGAIN, NEW_DEV_ONLY
from host_tools.link.events import NOTHING, Alarm, Answer, Bad, Event, Fields, Hello, Key, Noise, Record, Status
from host_tools.link.port import LinkLost, Port
from host_tools.link.session import MAX_BOUND_S, Session
from host_tools.link.timemap import Moment
from host_tools.run.clock import RunClock, WallWatch
from host_tools.run.orders import Orders
from host_tools.run.ownership import Ownership
from host_tools.run.screen import Screen
from host_tools.run.target import Target
from host_tools.settler.settle import Wager
from host_tools.store import Arrived, Conflict, Gap, Ingested, Occurred, Refused, Settler, Store
from host_tools.words import plural

# A board says its status once a second, so this long without a line means that it is none, or one on a bad line.
NO_LINE_S = 8.0
# A question is answered within a tick, or once the motor is off.
NO_HELLO_S = 12.0
# The meter follows the end of a round, which a dealer may take long to reach.
LAST_METER_S = 3.0
# Records of one step that are committed together: the wait for the disk is that of one.
GROUP = 256


class TableRun:
    """One board at one table, until it is told to stop."""

    def __init__(
        self,
        target: Target,
        store: Store,
        settler: Settler,
        wagers: Sequence[Wager],
        capture: Capture,
        screen: Screen,
        clock: RunClock,
        session: Session | None = None,
    ) -> None:
        """`wagers` are placed anew in every round. Every moment of the run is on `clock`.

        session: a new one that draws its own challenges, unless they have to be the same every time.
        """
        self.records = self.bad_lines = self.noise_bytes = self.early_bytes = 0
        self.rounds: set[int] = set()
        self._target, self._store, self._settler, self._wagers = target, store, settler, wagers
        self._capture, self._screen, self._clock = capture, screen, clock
        self._session = session or Session()
        self._ownership = Ownership(store, screen.say)
        self._records: list[Record] = []  # came, and are not stored yet
        self._placed: set[int] = set()
        self._betting: int | None = None  # the round whose bets were open when the board wrote what came last
        self._refusal = ""
        self._orders = Orders(store, self._session, screen)
        self._opened_s = clock.now_s()
        self._wall = WallWatch(clock, screen.say)
        self._away: str | None = None  # the port on which our board was looked for in vain
        self._port_bytes = 0
        self._line_came = self._deaf_told = False
        self._crash_seen = self._prompt_seen = False
        self._after_last_s: float | None = None
        self._meter_came = False

    @property
    def dev(self) -> str | None:
        """The board of this run, None before it was met."""
        return self._session.dev

    def until(
        self, port: Port, rounds: int | None, stopping: Callable[[], bool], pause: Callable[[float], object]
    ) -> None:
        """Run on the open port until `rounds` rounds are settled (None: without end) or stopping() says so.

        pause(s) waits a moment. The port is closed in the end. Raises UserError when the board is not ours, not
        enrolled, or an alarm stops its settling.
        """
        try:
            self._opened_s = self._clock.now_s()
            while not stopping() and not self._finished(rounds):
                try:
                    self.step(port)
                except LinkLost as lost:
                    port.close()
                    if self._away is None:
                        self._screen.say(f"The port is gone ({lost}): waiting for the board to come back", "yellow")
                    again = self._come_back(stopping, pause)
                    if again is None:
                        return
                    port = again
        finally:
            port.close()
            self._ownership.release()

    def step(self, port: Port) -> None:
        """Read what came, act on it, send what is due. Raises LinkLost, UserError."""
        data = port.read()
        now = self._clock.now_s()
        at = self._clock.utc(now)
        self._port_bytes += len(data)
        if data:
            self._capture.add(data, at, now)
        try:
            for event in self._session.feed(data, now):
                self._take(event, now, at)
            self._store_records(at)
        except UserError:
            # A board that is behind this store learns that from the welcome, also when the run ends here.
            self._send(port)
            raise
        self._ownership.renew(now, at)
        if not port.waiting():
            # Whatever has arrived is read: should the bets be closed in it, they are known to be.
            self._place()
        self._session.tick(now)
        self._check_quiet(port, now)
        self._wall.check(now, self._round_open)
        self._target.check()
        self._orders.step(now, at)
        self._send(port)

    def _send(self, port: Port) -> None:
        out = self._session.output()
        if out:
            self._capture.sent(out)
            port.write(out)

    # ------------------------------------------------------------ the port

    def _come_back(self, stopping: Callable[[], bool], pause: Callable[[float], object]) -> Port | None:
        began_s = self._clock.now_s()
        port = None
        with self._screen.console.status("Waiting for the board") as status:
            while port is None and not stopping():
                pause(0.25)
                self._ownership.renew(self._clock.now_s(), self._clock.utc_now())
                waited_s = self._clock.now_s() - began_s
                status.update(f"Waiting for the board for {waited_s:.0f} s (Ctrl-C ends the run)")
                port = self._target.open_again()
        if port is not None:
            self._opened_s = self._clock.now_s()
            if self._away != port.device:
                self._screen.say(f"Port {port.device} is back after {self._opened_s - began_s:.1f} s", "yellow")
            self._line_came = self._deaf_told = self._crash_seen = self._prompt_seen = False
            self._port_bytes = 0
            self._betting = None
            self._session.port_changed()
        return port

    def _check_quiet(self, port: Port, now: float) -> None:
        """Until a board proved that it is there, on this port: is it one, and does it listen?

        Raises UserError for a port that never had our board, LinkLost for one that came back with something else.
        """
        if self._session.proven:
            if self._away is not None:
                self._away = None
                self._screen.say(f"Board {self._session.dev} is back on port {port.device}", "yellow")
            return
        open_s = now - self._opened_s
        if open_s < NO_LINE_S:
            return
        if self._line_came:
            if open_s >= NO_HELLO_S and not self._deaf_told:
                self._deaf_told = True
                self._screen.say(
                    "The board speaks but does not answer: it listens only while its motor is off; if this lasts, "
                    "its cable may carry one direction only",
                    "yellow",
                )
            return
        if self._crash_seen:
            what, mend = "its program ends with a traceback", "read that in the captured log"
        elif self._prompt_seen:
            what, mend = "MicroPython's prompt is there", "put the firmware onto the board"
        elif self._port_bytes:
            what, mend = "what it says are not ledger lines", "check with --target that it is the board's port"
        else:
            what, mend = (
                "nothing came",
                (
                    "check that the board has power and its firmware, that the cable carries data, and that no adapter "
                    "between them holds DTR off, for the board may wait for it"
                ),
            )
        why = f"{what} within {NO_LINE_S:.0f} s; {mend}"
        dev = self._session.dev
        if dev is None:
            raise UserError(f"This is not our board: {why}.")
        if self._away != port.device:
            self._screen.say(f"Port {port.device} is not that of board {dev}: {why}; it is looked for on", "yellow")
        self._away = port.device
        raise LinkLost(f"board {dev} is not behind {port.device}")

    def _round_open(self) -> bool:
        dev = self._session.dev
        return dev is not None and self._store.round_open(dev)

    # ------------------------------------------------------------ events

    def _take(self, event: Event, now: float, at: datetime) -> None:
        if isinstance(event, Record):
            self._records.append(event)
            if event.fields["kind"] in ("bets_closed", "void") and event.fields["round"] == self._betting:
                self._betting = None
            if len(self._records) >= GROUP:
                self._store_records(at)
            return
        # What comes behind records is said of a store that has them.
        self._store_records(at)
        if isinstance(event, Noise):
            if self._line_came:
                self.noise_bytes += len(event.raw)
            else:
                self.early_bytes += len(event.raw)
            self._crash_seen |= b"Traceback" in event.raw
            self._prompt_seen |= b">>>" in event.raw
            return
        if isinstance(event, Bad):
            self.bad_lines += 1
            return
        self._line_came = True
        if self._session.dev is None:
            if isinstance(event, Hello):
                self._meet(event, now, at)
        elif isinstance(event, Status):
            self._status(event.fields, event.moment, at)
        elif isinstance(event, Key):
            fields = event.fields
            self._store.update_live(fields["dev"], fields["boot"], None, fields["round"], fields["window"], at)
        elif isinstance(event, Answer):
            self._orders.answered(event.fields, at)
        elif isinstance(event, Alarm):
            self._alarm(event, at)

    def _meet(self, hello: Hello, now: float, at: datetime) -> None:
        """Take the board if this host knows it. Raises UserError saying how to make it known."""
        dev = hello.fields["dev"]
        if keys.not_for_play(dev) and self._store.table_of(dev) is None:
            self._store.enrol(dev, dev, at)  # a table of its own, which no other simulated board takes from it
        table = self._store.table_of(dev)
        if table is None:
            raise UserError(
                f"Board {dev} is not enrolled here: say which table it serves, and give its key, with "
                f"`tumbler enrol {dev} --table NAME --key FILE`."
            )
        self._refuse_stopped(dev)
        if not self._ownership.take(dev, now, at):
            return  # the board is asked again, and its next hello tries again
        if self._store.settle_due(dev, self._settler, at).count:
            self._screen.say("What waited for an alarm to be confirmed is settled now")
        key = keys.board_key(dev)
        self._screen.met(hello.fields, table)
        restoring = self._store.restoring(dev)
        if restoring:
            self._screen.say("The store is from a backup: the board is asked for all records that it still has")
        for event in self._session.accept(hello, key, self._store.last_identity(dev) or NOTHING, restoring):
            self._take(event, now, at)

    def _status(self, fields: Fields, moment: Moment | None, at: datetime) -> None:
        dev, number, state = fields["dev"], fields["round"], fields["state"]
        self._betting = None
        if state == "BETTING":
            earliest_s = None if moment is None else moment.earliest_s
            slow = _too_slow(moment)
            if self._wagers and number not in self._placed:
                why = slow or "they may have been closed when this host read that bets are open"
                self._refusal = f"No wager of this batch is taken in round {number}: {why}."
            if slow or earliest_s is None:
                return  # nobody can tell how old it is, so it renews no lease
            self._betting = number
            at = self._clock.utc(earliest_s)
        self._store.update_live(dev, fields["boot"], state, number, None, at, fields["next"])

    def _place(self) -> None:
        """Place the wagers when the last that the board said is that bets are open."""
        number, self._betting = self._betting, None
        dev = self._session.dev
        if dev is None or number is None or not self._wagers or number in self._placed:
            return
        try:
            count = self._store.place_wagers(dev, number, self._wagers, self._settler.paytable, self._clock.utc_now)
        except Refused as refused:
            # The record bets_open may still be on its way; the next status tries again.
            self._refusal = str(refused)
            return
        self._placed.add(number)
        self._refusal = ""
        said = (
            f"{plural(count, 'wager is', 'wagers are')} placed"
            if count
            else "the wagers of this file are placed already"
        )
        self._screen.say(f"Round {number}: {said}")

    def _store_records(self, at: datetime) -> None:
        """Commit the records that came, in one transaction; their ack goes out with the next that is sent.

        When one of them cannot be taken, each gets a transaction of its own, and those before it are kept.
        """
        records, self._records = self._records, []
        if not records:
            return
        try:
            self._commit(records, at)
        except (Conflict, Gap, UserError):
            if len(records) == 1:
                raise
            for record in records:
                self._commit([record], at)

    def _commit(self, records: Sequence[Record], at: datetime) -> None:
        dev = records[0].fields["dev"]
        batch = [Arrived(record.raw, record.fields, self._occurred(record)) for record in records]
        try:
            taken = self._store.ingest_all(dev, batch, at, self._settler)
        except (Conflict, Gap) as error:
            if len(records) > 1:
                raise
            why = (
                f"{error} One of the two was made by something else, or two boards have this dev: keep the capture "
                f"for the auditor. If a line was fed in from outside, stop that, {AGAIN}; if this comes back, "
                f"{NEW_DEV_ONLY}"
            )
            self._alarm(Alarm("conflict", why), at)
            return
        self._session.committed(records[-1])
        for record, done in zip(records, taken, strict=True):
            if done.new:
                self._show(record.fields, done)
        if any(done.note for done in taken):
            self._refuse_stopped(dev)

    def _occurred(self, record: Record) -> Occurred | None:
        if record.moment is None:
            return None
        bound_s = record.moment.bound_s
        bound_ms = None if bound_s is None else math.ceil(bound_s * 1000)
        return Occurred(self._clock.utc(record.moment.at_s), bound_ms)

    def _show(self, fields: Fields, done: Ingested) -> None:
        self.records += 1
        if done.kind in ("bets_closed", "void") and self._refusal:
            self._screen.say(self._refusal, "bold yellow")
            self._refusal = ""
        self._screen.record(fields, done)
        if done.kind in ("correction", "void") and done.round is not None:
            self._screen.overpaid(self._store.overpaid(fields["dev"], done.round))
        self._count(done.kind, done.round)

    def _count(self, kind: str, number: int | None) -> None:
        if kind in ("result", "void") and number is not None:
            self.rounds.add(number)
            self._meter_came = False
        elif kind == "meter":
            self._meter_came = True

    def _finished(self, rounds: int | None) -> bool:
        """Enough rounds, and the meter that ends the last one came or does not come."""
        if rounds is None or len(self.rounds) < rounds:
            return False
        if self._after_last_s is None:
            self._after_last_s = self._clock.now_s()
        return self._meter_came or self._clock.now_s() - self._after_last_s >= LAST_METER_S

    # ------------------------------------------------------------ alarms

    def _alarm(self, alarm: Alarm, at: datetime) -> None:
        dev = self._session.dev
        assert dev is not None, "only a board that was taken raises alarms"
        self._store.alarm(dev, alarm.code, alarm.why, at, alarm.missing)
        self._refuse_stopped(dev)

    def _refuse_stopped(self, dev: str) -> None:
        """Raises UserError when an open alarm stops the settling of the board."""
        if not self._store.settling_stopped(dev):
            return
        alarm = self._store.open_alarms(dev)[0]
        raise UserError(
            f"Settling of board {dev} is stopped by alarm {alarm.id} ({alarm.kind}): {alarm.text} The board keeps what "
            f"was not acked. To confirm: `tumbler alarms confirm {alarm.id} --by NAME`."
        )


def _too_slow(moment: Moment | None) -> str:
    """Why a status of this moment is too badly timed for bets; empty when it is not."""
    if moment is None or moment.bound_s is None:
        return "the board's time is not known yet, so nobody can tell how old its BETTING is"
    if moment.bound_s > MAX_BOUND_S:
        return (
            f"the line is too slow: the board's time is known to {moment.bound_s:.3f} s, over {MAX_BOUND_S:.3f} s; "
            "check the cable and what else keeps this computer busy"
        )
    return ""
