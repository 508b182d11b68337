"""The whole terminal without its hardware: one tick takes a snapshot of the inputs and does all that follows from it.

Sans-IO: time, inputs and spin count come in as numbers; the rooms (relay, display, signals, clock, journal) are handed
in, so that the same object runs on a board, on the unix port and in a simulator under CPython.
"""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import ledger, panel, ticks
from tumbler.core import mac as _mac
from tumbler.core import recovery as _recovery
from tumbler.core import round as R
from tumbler.core.journal import JournalError, JournalLost, JournalUnprotected, free_rounds
from tumbler.core.keys import Keys
from tumbler.core.link import Link
from tumbler.core.spin import SpinWatch

STATUS_MS = 1000
FEED_LIMIT_MS = 75  # a loop gap from here on explains a trip of the dead-man (80 ms) by a missed feed
STOP_EARLY_MS = 100  # the table stops a motor that runs too long before the dead-man's own limit does
LEAVE_MS = 300  # the answer to an order into maintenance goes out before the board resets
RELEASE_MS = 100  # a relay's contact has opened by then

ORDERS = {
    "no_more_bets": E.HOST_NO_MORE,
    "void": E.HOST_VOID,
    "correct": E.HOST_CORRECT,
    "clear": E.HOST_CLEAR,
    "maintenance": E.HOST_MAINTENANCE,
}


def _bit(code):
    return 1 << F.FAULTS.index(code)


def _fault(code):
    return E.FAULT + E.ARG * F.FAULTS.index(code)


FEED_LOST, RELAY_STUCK = _fault("feed_lost"), _fault("relay_stuck")
UNCOVER_LIMIT, JOURNAL, LOST = _fault("uncover_limit"), _fault("journal"), _fault("journal_lost")
MOTION_BITS = _bit("stall") | _bit("run_too_long") | _bit("rate") | _bit("motion") | _bit("coast_too_long")
UNPROTECTED = _fault("journal_unprotected")
NO_JOURNAL_BITS = _bit("journal") | _bit("journal_lost") | _bit("journal_unprotected")
RELAY_BITS = _bit("feed_lost") | _bit("relay_stuck")


class Terminal:
    """board: settings (tumbler_board's constants); identity: dev, K, fw, mpy, board, mode.

    rooms: relay, display, signals, clock, collect() and maintenance().
    """

    def __init__(self, board, identity, journal, rooms):
        self.identity, self.journal, self.rooms = identity, journal, rooms
        self.keys = Keys(board.PIN_COVER2 < 0)
        self.watch = SpinWatch(
            board.PULSES_PER_SPIN,
            board.SPINS_REQUIRED,
            board.MIN_HZ,
            board.MAX_HZ,
            board.FIRST_PULSE_MS,
            board.RELAY_MAX_ON_MS - STOP_EARLY_MS,
            board.MIN_COAST_MS,
            board.MAX_COAST_MS,
        )
        self.round = R.Round(board.SPINS_REQUIRED)
        self.totals, self.marks = _recovery.Totals(), _recovery.Marks()
        self.link = Link(identity, journal, rooms.clock)
        self.uncover_limit_ms = board.UNCOVER_LIMIT_S * 1000
        self.mac = _mac.ZERO_MAC
        self.rkey = _mac.record_key(identity.k)
        self.journal_ok = True
        self.prepared = False  # the journal takes a whole round without an erase
        self.last_ms = self.status_ms = self.state_ms = self.off_ms = 0
        self.cause = "unknown"  # of the start
        self.motor = False  # commanded
        self.motor_due = False  # it starts in the next tick
        self.seen_state = -1
        self.gap_ms = 0
        self.spin_status = b""
        self.changed = True
        self.stuck = 0  # bits of keys reported stuck while the motor ran; said afterwards
        self.leaving = False  # into maintenance, LEAVE_MS after status_ms

    # ------------------------------------------------------------ power-on

    def power_on(self, now_ms: int, cause: str):
        """Read the journal, write the boot record, decide for the round that was going on. Relay is off."""
        self.last_ms = self.status_ms = self.state_ms = self.off_ms = now_ms
        i, self.cause = self.identity, cause
        try:
            self.journal.open(i.dev, i.replaces)
            found = _recovery.read(self.journal, i.dev, self.rkey)
        except JournalLost:
            return self._no_journal(LOST)
        except JournalUnprotected:
            return self._no_journal(UNPROTECTED)
        except JournalError:
            return self._no_journal(JOURNAL)
        if i.born and self.journal.next_seq == 1:
            return self._no_journal(LOST)
        self.totals, self.marks = found.totals, found.marks
        self.journal.keep = found.marks.first()
        self.mac = bytes.fromhex(found.mac)
        i.boot = found.boot + 1
        found.put(self.round)
        self._carry_out([(R.RECORD, "boot", self._boot_values())])
        if self.journal_ok:
            self._carry_out(_recovery.power_on(self.round))
            if self.round.state == R.IDLE and self.journal.next_seq - self.journal.keep > _recovery.MOST_RECORDS:
                self._carry_out([(R.METER,)])  # recovery needs nothing before it; many starts would fill the journal
        else:
            i.boot = 0  # the number was not used: what the host signs now must not be good at the next start
        self.changed = True

    def _no_journal(self, event):
        self.journal_ok = False
        self._carry_out(self.round.dispatch(event))

    def _boot_values(self):
        i = self.identity
        return (i.fw, i.mpy, i.board, self.cause, i.mode, None if i.born else i.replaces)

    def _new_dev(self):
        """The journal is gone: go on under another dev, whose first record names the old one."""
        i = self.identity
        try:
            i.new_dev()
        except OSError as e:
            raise JournalError("the new dev cannot be kept (%s)" % e)
        self.journal.open(i.dev, i.replaces)
        i.boot = 1
        self.mac = _mac.ZERO_MAC
        self.totals, self.marks = _recovery.Totals(), _recovery.Marks()
        self.link = Link(i, self.journal, self.rooms.clock)
        self.journal_ok = True
        r = self.round
        r.causes, r.round, r.in_force, r.fault_ref, r.open, r.dice = 0, 0, ("", 0, 0), (0, 0), False, ()
        self._record("boot", self._boot_values())
        self._record("clear", (0, 0, 0, "supervisor", "new_dev"))
        r.enter(R.IDLE)

    # ------------------------------------------------------------ one tick

    def tick(self, now_ms: int, mask: int, count: int):
        """One pass, every 2 ms. mask: input snapshot (events.py bits); count: pulses of the spin counter.

        Allocates nothing while SPINNING unless an event ends the spin.
        """
        gap = ticks.diff(now_ms, self.last_ms)
        self.last_ms = now_ms
        if gap > self.gap_ms:
            self.gap_ms = gap
        if self.motor_due and not mask & E.ESTOP:  # pressed meanwhile: its fault comes before the relay could close
            gap = 0  # spent on the record of the spin, before the relay closes
            self._relay_on(now_ms, count)
        self.keys.update(now_ms, mask)
        event = self.keys.pop()
        while event:
            self._event(event, now_ms)
            event = self.keys.pop()
        event = self.watch.update(now_ms, count)
        if event:
            self._event(event, now_ms)
        self._check_relay(gap, now_ms)
        r = self.round
        if r.state != self.seen_state:
            self.seen_state = r.state
            self.state_ms = now_ms
        elif r.state == R.CLOSED and ticks.diff(now_ms, self.state_ms) > self.uncover_limit_ms:
            self._event(UNCOVER_LIMIT, now_ms)
        if self.motor:
            self.rooms.relay.feed()
        if r.state != R.SPINNING:
            self._talk(now_ms)
        if r.state == R.IDLE and not self.prepared:
            self._prepare_journal(now_ms)
        if self.changed:
            self._show()
        self.rooms.display.tick(now_ms)
        self.rooms.signals.tick(now_ms)

    def _prepare_journal(self, now_ms):
        """Have it erase ahead; it may hold up the tick for as long as one erase takes."""
        self.journal.totals = self.totals.values()
        try:
            self.prepared = self.journal.prepare()
        except JournalError:
            self._journal_failed(now_ms)

    def _check_relay(self, gap, now_ms):
        """Does the relay do what the table thinks it does?"""
        on = self.rooms.relay.is_on()
        if self.motor:
            if not on:
                self._event(FEED_LOST if gap >= FEED_LIMIT_MS else E.TRIPPED, now_ms)
        elif on:
            self._event(RELAY_STUCK, now_ms)
        elif self.keys.levels & E.RELAY_FEEDBACK and not self.round.causes & _bit("relay_stuck"):
            if ticks.diff(now_ms, self.off_ms) > RELEASE_MS:
                self._event(RELAY_STUCK, now_ms)

    def _talk(self, now_ms):
        """Orders of the host and the status line; never while the motor runs."""
        try:
            order = self.link.poll(now_ms)
        except JournalError:
            return self._journal_failed(now_ms)
        if order is not None and self.journal_ok:
            self.round.order = order
            self._event(ORDERS[order["cmd"]], now_ms)
        if self.stuck:
            self._say_stuck()
        # An unprotected journal may be whole: no new dev on the host's word.
        if self.link.host_ahead and not self.round.causes & (_bit("journal_lost") | _bit("journal_unprotected")):
            self._event(LOST, now_ms)
        if ticks.diff(now_ms, self.status_ms) >= STATUS_MS:
            self.status_ms = now_ms
            self.link.say(self._status())
            self.prepared = False  # acks may have come
        elif self.leaving and ticks.diff(now_ms, self.status_ms) >= LEAVE_MS:
            self.leaving = False
            if self.round.state == R.IDLE:
                self.rooms.maintenance()

    def next_line(self, now_ms: int):
        """The next line for an idle serial room -> bytes or None. While SPINNING only the status prepared before."""
        if self.round.state != R.SPINNING:
            try:
                return self.link.take(now_ms)
            except JournalError:
                return self._journal_failed(now_ms)
        if ticks.diff(now_ms, self.status_ms) < STATUS_MS:
            return None
        self.status_ms = now_ms
        return self.spin_status

    # ------------------------------------------------------------ events and effects

    def _event(self, event, now_ms):
        self.changed = True
        if event == E.TWO_KEYS:
            return self.rooms.signals.beep(R.REFUSED_TONE)
        code = E.code(event)
        if code == E.STUCK:
            self.stuck |= 1 << E.arg(event)
            return None
        if code == E.SPIN:
            self.round.hold = self._hold(now_ms)
        elif code == E.ENTRY or code == E.HOST_CLEAR or code == E.HOST_CORRECT:
            self.round.standing = self._standing(now_ms)
            self.round.full = not free_rounds(self.journal.free())
        elif code == E.SETTLED:
            self.round.spins = self.watch.spins()
        effects = self.round.dispatch(event)
        if effects:
            self._carry_out(effects, now_ms)
        return None

    def _hold(self, now_ms):
        """Why no spin may begin now, "" if one may."""
        if not self.keys.known or self.keys.levels & (E.COVER_OPEN | E.COVER2_OPEN):
            return "cover"
        if self.keys.levels & (E.ESTOP | E.RELAY_FEEDBACK) or self.rooms.relay.is_on():
            return "fault"
        if not self.watch.quiet(now_ms):
            return "motion"
        if not free_rounds(self.journal.free()):
            return "full"
        return "" if self.prepared else "journal"

    def _standing(self, now_ms):
        """Bits of the faults whose cause is still there."""
        levels, bits = self.keys.levels, 0
        if levels & E.ESTOP:
            bits |= _bit("estop")
        if bool(levels & E.COVER_OPEN) != bool(levels & E.COVER2_OPEN):
            bits |= _bit("cover_contacts")
        if not self.watch.quiet(now_ms):
            bits |= MOTION_BITS
        if self.rooms.relay.is_on() or levels & E.RELAY_FEEDBACK:
            bits |= RELAY_BITS
        if not self.journal_ok:
            bits |= _bit("journal") | _bit("journal_unprotected")
        return bits

    def _carry_out(self, effects, now_ms=0):
        """Do the effects in order; a journal that fails stops them and is a fault, with the relay off."""
        try:
            for effect in effects:
                self._do(effect, now_ms)
        except JournalError:
            self._journal_failed(now_ms)

    def _journal_failed(self, now_ms):
        """A journal that cannot be trusted takes no more records; the power has to go off and on."""
        self.rooms.relay.off()
        self.journal_ok = False
        if not self.round.causes & NO_JOURNAL_BITS:
            self.changed = True
            self._carry_out(self.round.dispatch(JOURNAL), now_ms)

    def _do(self, effect, now_ms):
        what = effect[0]
        if what == R.RELAY_ON:
            self._prepare_spin()
        elif what == R.RELAY_OFF:
            self._relay_off(now_ms)
        elif what == R.RECORD:
            self._record(effect[1], effect[2] if effect[1] == "boot" else (self.round.round,) + effect[2])
        elif what == R.METER:
            self._record("meter", self.totals.values() + (min(self.gap_ms, F.UINT_MAX),))
            self.gap_ms = 0
        elif what == R.KEY:
            self._key(effect[1], effect[2])
        elif what == R.ANSWER:
            self.link.answer(self.round.order, effect[1], effect[2])
        elif what == R.BEEP:
            self.rooms.signals.beep(effect[1])
        elif what == R.NEW_DEV:
            self._new_dev()
        else:  # MAINTENANCE
            self.leaving, self.status_ms = True, now_ms

    def _record(self, kind, values):
        i, seq = self.identity, self.journal.next_seq
        if not self.journal_ok:
            raise JournalError("no journal")
        if kind == "spin":
            self.journal.check()
        line, mac = ledger.encode_record(kind, i.dev, i.boot, seq, self.rooms.clock.t(), values, self.rkey, self.mac)
        self.journal.totals = self.totals.values()
        self.prepared = False
        self.journal.append(line)
        self.mac = mac
        self.marks.note(kind, seq)
        self.journal.keep = self.marks.first()
        if not i.born:
            self._mark_born()
        self.totals.count(kind, values[2] if kind == "result" else None)
        self.round.recorded(kind, i.boot, seq)
        if kind == "meter":
            self.journal.check()

    def _mark_born(self):
        """The first record is kept: from now on a journal that is not there was lost."""
        try:
            self.identity.mark_born()
        except OSError as e:
            raise JournalError("that the journal has begun cannot be kept (%s)" % e)

    def _prepare_spin(self):
        """Everything that needs memory or time comes before the relay closes, which the next tick does: the record took
        up to 0.4 s of flash, and the times of the spin must not begin before it."""
        self.spin_status = self._status()
        self.rooms.display.show(panel.WAIT)
        self.rooms.collect()
        self.motor_due = True

    def _relay_on(self, now_ms, count):
        self.motor_due = False
        self.motor = True
        self.watch.start(now_ms, count)
        self.rooms.relay.on()

    def _relay_off(self, now_ms):
        self.motor_due = False
        self.rooms.relay.off()
        if self.motor:
            self.motor = False
            self.off_ms = now_ms
            self.watch.stop(now_ms)

    def _status(self):
        i, r = self.identity, self.round
        values = (self.journal.next_seq, F.STATES[r.state], r.round)
        return ledger.encode_ephemeral("status", i.dev, i.boot, self.rooms.clock.t(), values)

    def _key(self, name, said):
        """A key that counted or was refused, told to the host. Numbers come here only where they count."""
        i, r = self.identity, self.round
        values = (r.round, name, said, r.window)
        self.link.say(ledger.encode_ephemeral("key", i.dev, i.boot, self.rooms.clock.t(), values))

    def _say_stuck(self):
        for n in range(len(E.KEY_NAMES)):
            if self.stuck & (1 << n):
                self._key(E.KEY_NAMES[n], "stuck")
        self.stuck = 0

    def _show(self):
        self.changed = False
        r = self.round
        if r.state != R.SPINNING:
            full = self.journal_ok and not free_rounds(self.journal.free())
            self.rooms.display.show(panel.text(r, full))
        self.rooms.signals.lamp(panel.lamp(r))
