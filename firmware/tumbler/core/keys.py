"""Debounced keys, cover, supervisor key and E-stop: a snapshot of all inputs per tick goes in, events come out.

Deferred debounce, one window per input: a press counts after it was seen without a break for 12 ms, a release after
25 ms (openings bounce longer). A spike is one sample at most and never lives to the end of a window; a tick that came
late has not seen what lay between, so it begins every running window anew. Nothing here allocates after __init__.
"""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import ticks

LATE_MS = 8  # a tick this long after the last is no witness of the time between; a tick is 2 ms
DISAGREE_MS = 50  # the two contacts of the cover may differ for so long while it moves
STUCK_MS = 30_000
INPUTS = 14  # bits of a snapshot
KEYS = 9  # the dealer's keys are its lowest bits
RING = 32  # a tick makes at most 14 events

COVER = E.COVER_OPEN | E.COVER2_OPEN
KEY_EVENTS = tuple([E.DIGIT + E.ARG * n for n in range(1, 7)]) + (E.ENTRY, E.SPIN, E.NO_MORE)  # by bit number
ESTOP_FAULT = E.FAULT + E.ARG * F.FAULTS.index("estop")
CONTACTS_FAULT = E.FAULT + E.ARG * F.FAULTS.index("cover_contacts")

AGREE, DIFFER, TOLD = 0, 1, 2  # what is known of the two contacts of the cover


class Keys:
    """no_second_contact: the board has one cover contact, COVER2_OPEN is taken from COVER_OPEN. Times in ms.

    levels: debounced inputs (bits of events.py); until known the cover reads as open and all else as off.
    known: all inputs have been stable together once since the start. Then COVER_OPENED or COVER_CLOSED is told, and
    SUP_ON and the E-stop's fault if they are on.

    A dealer key that is down at that time, or was reported stuck, counts for nothing until it is seen released; it
    does not make other keys "two at once" either, so that one broken key leaves a terminal that can be cleared.
    """

    def __init__(self, no_second_contact: bool, press_ms: int = 12, release_ms: int = 25):
        self.levels = COVER
        self.known = False
        self._one_contact = no_second_contact
        self._press_ms = press_ms
        self._release_ms = release_ms
        self._last_ms = -1  # of the last tick; none yet
        self._first = 0  # the snapshot that must stay to become the first levels
        self._since_ms = [0] * INPUTS  # when the running window of an input began
        self._running = 0  # inputs with a running window
        self._held_ms = [0] * KEYS  # when a key went down
        self._fresh = 0  # keys that went down and have neither counted nor been refused
        self._ignored = 0  # keys that count for nothing until released
        self._stuck = 0  # keys reported stuck
        self._contacts = AGREE
        self._contacts_ms = 0
        self._calm = False  # the last snapshot was as the levels, and nothing runs that time alone could end
        self._ring = [0] * RING
        self._in = self._out = 0

    def update(self, now_ms: int, mask: int):
        """Take the snapshot of one tick."""
        if self._calm and mask == self.levels:  # nearly always: a tenth of a millisecond saved in each tick
            self._last_ms = now_ms
            return
        if self._one_contact:
            mask = mask | E.COVER2_OPEN if mask & E.COVER_OPEN else mask & ~E.COVER2_OPEN
        late = self._last_ms < 0 or ticks.diff(now_ms, self._last_ms) > LATE_MS
        self._last_ms = now_ms
        if not self.known:
            self._start(now_ms, mask, late)
            return
        before = self.levels
        self._debounce(now_ms, mask, late)
        if self.levels != before:
            self._tell(now_ms, before)
        if self._fresh:
            self._count_or_refuse(mask)
        if self.levels & E.DEALER_KEYS & ~self._stuck:
            self._watch_held(now_ms)
        self._watch_contacts(now_ms, mask & COVER, late)
        self._calm = self._contacts == AGREE and not (self._running or self._fresh or self.levels & E.DEALER_KEYS)

    def pop(self) -> int:
        """The oldest event not yet taken, 0 if there is none."""
        if self._out == self._in:
            return E.NONE
        event = self._ring[self._out]
        self._out = (self._out + 1) % RING
        return event

    def _put(self, event):
        self._ring[self._in] = event
        self._in = (self._in + 1) % RING
        if self._in == self._out:  # nobody takes them: the oldest goes
            self._out = (self._out + 1) % RING

    def _start(self, now_ms, mask, late):
        """Wait until every input has kept its level for a release time, then take the levels and tell them."""
        if late or mask != self._first:
            self._first = mask
            self._since_ms[0] = now_ms
        elif ticks.diff(now_ms, self._since_ms[0]) >= self._release_ms:
            self.known = True
            self.levels = mask
            self._ignored = mask & E.DEALER_KEYS
            for n in range(KEYS):
                self._held_ms[n] = now_ms
            if mask & E.ESTOP:
                self._put(ESTOP_FAULT)
            self._put(E.COVER_OPENED if mask & COVER else E.COVER_CLOSED)
            if mask & E.SUPERVISOR:
                self._put(E.SUP_ON)

    def _debounce(self, now_ms, mask, late):
        """Move the levels whose window is over; begin windows, and begin them anew after a late tick."""
        differ = mask ^ self.levels
        running = 0 if late else self._running
        self._running = differ
        if not differ:
            return
        for n in range(INPUTS):
            bit = 1 << n
            if not differ & bit:
                continue
            if not running & bit:
                self._since_ms[n] = now_ms
            elif ticks.diff(now_ms, self._since_ms[n]) >= (self._press_ms if mask & bit else self._release_ms):
                self.levels ^= bit
                self._running ^= bit

    def _tell(self, now_ms, before):
        """Events of the levels that moved in this tick; those that turn the motor off come first."""
        went_on = self.levels & ~before
        went_off = before & ~self.levels
        if went_on & E.ESTOP:
            self._put(ESTOP_FAULT)
        if self.levels & COVER and not before & COVER:
            self._put(E.COVER_OPENED)
        elif before & COVER and not self.levels & COVER:
            self._put(E.COVER_CLOSED)
        if went_on & E.SUPERVISOR:
            self._put(E.SUP_ON)
        elif went_off & E.SUPERVISOR:
            self._put(E.SUP_OFF)
        self._ignored &= ~went_off
        self._stuck &= ~went_off
        self._fresh |= went_on & E.DEALER_KEYS
        for n in range(KEYS):
            if went_on >> n & 1:
                self._held_ms[n] = now_ms

    def _count_or_refuse(self, mask):
        """A fresh key counts if it is the only one down; while another is on its way up or down, wait for that."""
        others = E.DEALER_KEYS & ~self._ignored & ~self._fresh
        if self._fresh & (self._fresh - 1) or self.levels & mask & others:
            self._put(E.TWO_KEYS)
            self._fresh = 0
        elif not (self.levels ^ mask) & others:
            for n in range(KEYS):
                if self._fresh >> n & 1:
                    self._put(KEY_EVENTS[n])
            self._fresh = 0

    def _watch_held(self, now_ms):
        for n in range(KEYS):
            bit = 1 << n
            if self.levels & bit & ~self._stuck and ticks.diff(now_ms, self._held_ms[n]) > STUCK_MS:
                self._stuck |= bit
                self._ignored |= bit
                self._put(E.STUCK + E.ARG * n)

    def _watch_contacts(self, now_ms, cover, late):
        """Fault if the cover's contacts differ without a break, taken from the snapshots: a contact that bounces
        beside one that is at rest agrees with it now and then."""
        if cover == 0 or cover == COVER:
            self._contacts = AGREE
        elif self._contacts == AGREE or (late and self._contacts == DIFFER):
            self._contacts = DIFFER
            self._contacts_ms = now_ms
        elif self._contacts == DIFFER and ticks.diff(now_ms, self._contacts_ms) > DISAGREE_MS:
            self._contacts = TOLD
            self._put(CONTACTS_FAULT)
