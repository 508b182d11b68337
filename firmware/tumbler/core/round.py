"""The round of Tai-Sai as one transition table: events go in, effects come out; no clock, pin, file or line here.

Every (state, event) pair has its answer in TABLE below. docs/ROUND.md is generated from it. The rules: Gazette 1999 No 9
p 243 rules 6.1 (at least three spins under the cover, then the bets), 6.3 (uncover), 6.4 (enter the result).
"""

from tumbler.core import events as E
from tumbler.core import fields as F

IDLE, SPINNING, COASTING, BETTING, CLOSED, UNCOVERED, RESULT, FAULT = range(8)  # index in fields.STATES

# Effects, in the order in which the terminal must carry them out: (effect, ...)
RELAY_ON = 1
RELAY_OFF = 2
RECORD = 3  # kind, values without round: the round number is put first
METER = 4
KEY = 5  # name of the key, said
ANSWER = 6  # ok, why: to the host's order
BEEP = 7  # OK_TONE, REFUSED_TONE, BETS_TONE, FAULT_TONE
NEW_DEV = 8
MAINTENANCE = 9

OK_TONE, REFUSED_TONE, BETS_TONE, FAULT_TONE = 1, 2, 3, 4

POWER_LOST = F.FAULTS.index("power_lost")
OPENED_IN_FAULT = F.FAULTS.index("opened_in_fault")
JOURNAL_LOST = F.FAULTS.index("journal_lost")
IN_FORCE = ("result", "correction")  # a record that can still be corrected or voided after the round


class Round:
    """What the table knows. The terminal sets the inputs (spins, hold, standing, order) before it dispatches."""

    def __init__(self, required: int):
        self.required = required
        self.state = IDLE
        self.under = IDLE  # state of the round while state is FAULT
        self.round = 0  # last round begun
        self.open = False  # begun, and neither result nor void
        self.in_force = ("", 0, 0)  # kind, boot, seq of the record that stands for the last round
        self.dice: tuple = ()  # as entered last, until the next spin
        self.spins: "int | None" = None  # spins counted; None = not known (a power cut forgot them)
        self.window: tuple = ()  # last numbers pressed, at most 3
        self.supervisor = False
        self.cover_open = True  # until seen closed
        self.causes = 0  # bit n: fault n of fields.FAULTS came up and was not cleared
        self.fault_ref = (0, 0)  # boot, seq of the last fault record
        self.hold = ""  # why a spin may not begin now; "" = it may
        self.full = False  # no room in the journal for more than its reserve
        self.standing = 0  # bit n: the cause of fault n is still there
        self.order: dict = {}  # fields of the host's order while it is dispatched
        self.out: list = []  # effects

    def dispatch(self, event: int) -> list:
        """Answer one event -> list of effects, to be carried out in order (the list is reused: take it whole)."""
        self.out.clear()
        TABLE[E.code(event)][self.state](self, E.arg(event))
        return self.out

    def recorded(self, kind: str, boot: int, seq: int):
        """A record was journaled: what stands for the round now."""
        if kind == "fault":
            self.fault_ref = (boot, seq)
        elif kind not in ("boot", "clear", "meter"):
            self.in_force = (kind, boot, seq)

    def enter(self, state: int):
        self.state = state
        self.window = ()

    def record(self, kind, *values):
        self.out.append((RECORD, kind, values))

    def say(self, effect, *args):
        self.out.append((effect,) + args)

    def taken(self, key):
        self.say(KEY, key, "taken")
        self.say(BEEP, OK_TONE)

    def refused(self, key):
        self.say(KEY, key, "refused")
        self.say(BEEP, REFUSED_TONE)


# ---------------------------------------------------------------- answers


def ignore(r, arg):
    """Nothing: it neither shows, counts nor travels here."""


def start(r, arg):
    """SPIN: the record first, then the relay (rule 6.1)."""
    if r.hold or r.cover_open:
        return r.refused("spin")
    r.round += 1
    r.open = True
    r.dice = ()
    r.spins = None
    r.taken("spin")
    r.record("spin", r.required)
    r.enter(SPINNING)
    r.say(RELAY_ON)


def coast(r, arg):
    """Enough spins were counted: the motor goes off, the dice come to rest."""
    r.say(RELAY_OFF)
    r.enter(COASTING)


def open_bets(r, arg):
    """The dice are at rest: "Place your bets" (rule 6.1)."""
    r.record("bets_open", r.required)
    r.enter(BETTING)
    r.say(BEEP, BETS_TONE)


def close_bets(r, arg):
    r.record("bets_closed", "dealer")
    r.enter(CLOSED)
    r.taken("no_more_bets")


def void_early(r, arg):
    """The cover came off before the bets were closed: the round does not count."""
    r.cover_open = True
    r.say(RELAY_OFF)
    void(r, "board", "opened_early")


def trip(r, arg):
    """The dead-man went off without a cause that lasted, as a cover lifted for a moment: treated as an opening."""
    r.say(RELAY_OFF)
    void(r, "board", "opened_early")


def void(r, by, reason):
    r.record("void", r.in_force[1], r.in_force[2], by, reason)
    r.open = False
    r.dice = ()
    r.say(METER)
    r.say(BEEP, REFUSED_TONE if by == "board" else OK_TONE)
    r.enter(IDLE)


def uncover(r, arg):
    r.cover_open = True
    r.record("uncovered")
    r.enter(UNCOVERED)


def opened(r, arg):
    r.cover_open = True


def closed(r, arg):
    r.cover_open = False


def finish(r, arg):
    """The cover is back on: the round is over."""
    r.cover_open = False
    r.say(METER)
    r.enter(IDLE)


def opened_in_fault(r, arg):
    """Opened before the supervisor could attest that the cover stayed shut: going on is no longer possible."""
    r.cover_open = True
    if r.causes == 1 << POWER_LOST:
        add_fault(r, OPENED_IN_FAULT)


def supervisor_on(r, arg):
    r.supervisor = True
    r.window = ()


def supervisor_off(r, arg):
    r.supervisor = False
    r.window = ()


def digit(r, arg):
    """A sliding window of the last three numbers pressed (Gazette 1998 No 17 rule 3.3): there is no clear key."""
    r.window = (r.window + (arg,))[-3:]
    r.say(KEY, str(arg), "shown")
    r.say(BEEP, OK_TONE)


def digit_if_supervisor(r, arg):
    if r.supervisor:
        digit(r, arg)


def entry_uncovered(r, arg):
    if len(r.window) == 3:
        enter_result(r)
    elif r.supervisor and len(r.window) == 1:
        r.taken("entry")
        void(r, "supervisor", F.DEALER_REASONS[r.window[0] - 1])
    else:
        r.refused("entry")


def enter_result(r):
    r.dice = r.window
    r.record("result", r.dice, r.spins)
    r.open = False
    r.taken("entry")
    r.enter(RESULT)
    if not r.cover_open:  # put back before the entry: no closing will follow that could end the round
        finish(r, 0)


def entry_after(r, arg):
    """ENTRY in RESULT and IDLE: the supervisor corrects (three numbers) or voids (one) the last round."""
    if not r.supervisor or r.in_force[0] not in IN_FORCE:
        r.refused("entry")
    elif len(r.window) == 1:
        r.taken("entry")
        void(r, "supervisor", F.DEALER_REASONS[r.window[0] - 1])
    elif len(r.window) == 3 and sorted(r.window) != sorted(r.dice) and not r.full:
        r.taken("entry")
        correct(r, r.window, "supervisor", "wrong_entry")
    else:
        r.refused("entry")


def correct(r, dice, by, reason):
    r.record("correction", r.in_force[1], r.in_force[2], dice, by, reason)
    r.dice = tuple(dice)
    r.window = ()


def entry_fault(r, arg):
    """1 = clear, 2 = the cover stayed shut, go on, 3 = new dev; only the supervisor."""
    if not r.supervisor or len(r.window) != 1:
        return r.refused("entry")
    what = r.window[0]
    if what == 1 and can_clear(r):
        r.taken("entry")
        clear(r, "supervisor")
    elif what == 2 and can_go_on(r):
        r.taken("entry")
        r.record("clear", r.fault_ref[0], r.fault_ref[1], "supervisor", "go_on")
        r.causes = 0
        r.enter(r.under)
    elif what == 3 and r.causes & (1 << JOURNAL_LOST) and not r.causes & r.standing:
        r.taken("entry")
        r.say(NEW_DEV)
    else:
        r.refused("entry")


def can_clear(r):
    """Clear only after every cause was seen gone; a lost journal needs a new dev."""
    return not r.causes & (r.standing | 1 << JOURNAL_LOST)


def can_go_on(r):
    return r.causes == 1 << POWER_LOST and r.under in (BETTING, CLOSED) and not r.cover_open


def clear(r, by):
    if r.open:
        r.record("void", r.in_force[1], r.in_force[2], by, "fault")
        r.open = False
        r.dice = ()
    r.record("clear", r.fault_ref[0], r.fault_ref[1], by, "clear")
    r.causes = 0
    r.say(METER)
    r.enter(IDLE)


def fault(r, arg):
    """Anything that must stop the table: relay off first, then the record; latched until the supervisor clears it."""
    r.say(RELAY_OFF)
    r.under = r.state
    add_fault(r, arg)
    r.enter(FAULT)


def add_fault(r, arg):
    if not r.causes & (1 << arg):
        r.causes |= 1 << arg
        r.say(BEEP, FAULT_TONE)  # first: it must be heard also when the journal is what failed
        r.record("fault", F.STATES[r.state], F.FAULTS[arg])


def another_fault(r, arg):
    r.say(RELAY_OFF)
    add_fault(r, arg)


def refuse_spin(r, arg):
    r.refused("spin")


def refuse_no_more(r, arg):
    r.refused("no_more_bets")


def refuse_entry(r, arg):
    r.refused("entry")


# ---------------------------------------------------------------- the host's orders (compare and set)


def not_now(r, arg):
    r.say(ANSWER, False, "not_now")


def _signed(r):
    """Is the order signed as the host's, not as the keys? Says no otherwise."""
    if r.order["by"].startswith("host:"):
        return True
    r.say(ANSWER, False, "bad_name")
    return False


def _stands(r):
    """Does the order name the record in force? Says no otherwise."""
    o = r.order
    if not _signed(r):
        return False
    if (o["round"], o["ref_boot"], o["ref_seq"]) != (r.round, r.in_force[1], r.in_force[2]):
        r.say(ANSWER, False, "not_in_force")
    elif r.in_force[0] == "void":
        r.say(ANSWER, False, "final")
    else:
        return True
    return False


def host_close(r, arg):
    if _stands(r):
        r.record("bets_closed", r.order["by"])
        r.enter(CLOSED)
        r.say(ANSWER, True, "done")


def host_void(r, arg):
    if _stands(r):
        void(r, r.order["by"], r.order["reason"])
        r.say(ANSWER, True, "done")


def host_correct(r, arg):
    if _stands(r):
        if sorted(r.order["dice"]) == sorted(r.dice) or r.full:
            return r.say(ANSWER, False, "full" if r.full else "same_dice")
        correct(r, r.order["dice"], r.order["by"], r.order["reason"])
        r.say(ANSWER, True, "done")


def host_clear(r, arg):
    o = r.order
    if not _signed(r):
        return
    if (o["round"], o["ref_boot"], o["ref_seq"]) != (r.round, r.fault_ref[0], r.fault_ref[1]):
        r.say(ANSWER, False, "not_in_force")
    elif not can_clear(r):
        r.say(ANSWER, False, "cause_stands")
    else:
        clear(r, o["by"])
        r.say(ANSWER, True, "done")


def host_maintenance(r, arg):
    if not _signed(r):
        return
    if not r.supervisor:
        r.say(ANSWER, False, "no_supervisor")
    else:
        r.say(ANSWER, True, "done")
        r.say(MAINTENANCE)


# ---------------------------------------------------------------- the table

# fmt: off
_ROWS = (
    # event               IDLE                 SPINNING        COASTING        BETTING         CLOSED          UNCOVERED       RESULT               FAULT
    (E.SPIN,             (start,               ignore,         refuse_spin,    refuse_spin,    refuse_spin,    refuse_spin,    refuse_spin,         refuse_spin)),
    (E.NO_MORE,          (refuse_no_more,      ignore,         refuse_no_more, close_bets,     refuse_no_more, refuse_no_more, refuse_no_more,      refuse_no_more)),
    (E.ENTRY,            (entry_after,         ignore,         refuse_entry,   refuse_entry,   refuse_entry,   entry_uncovered, entry_after,        entry_fault)),
    (E.DIGIT,            (digit_if_supervisor, ignore,         ignore,         ignore,         ignore,         digit,          digit_if_supervisor, digit_if_supervisor)),
    (E.SUP_ON,           (supervisor_on,       supervisor_on,  supervisor_on,  supervisor_on,  supervisor_on,  supervisor_on,  supervisor_on,       supervisor_on)),
    (E.SUP_OFF,          (supervisor_off,      supervisor_off, supervisor_off, supervisor_off, supervisor_off, supervisor_off, supervisor_off,      supervisor_off)),
    (E.COVER_OPENED,     (opened,              void_early,     void_early,     void_early,     uncover,        opened,         opened,              opened_in_fault)),
    (E.COVER_CLOSED,     (closed,              closed,         closed,         closed,         closed,         closed,         finish,              closed)),
    (E.SPINS_DONE,       (ignore,              coast,          ignore,         ignore,         ignore,         ignore,         ignore,              ignore)),
    (E.SETTLED,          (ignore,              ignore,         open_bets,      ignore,         ignore,         ignore,         ignore,              ignore)),
    (E.TRIPPED,          (ignore,              trip,           ignore,         ignore,         ignore,         ignore,         ignore,              ignore)),
    (E.FAULT,            (fault,               fault,          fault,          fault,          fault,          fault,          fault,               another_fault)),
    (E.HOST_NO_MORE,     (not_now,             not_now,        not_now,        host_close,     not_now,        not_now,        not_now,             not_now)),
    (E.HOST_VOID,        (host_void,           not_now,        host_void,      host_void,      host_void,      host_void,      host_void,           not_now)),
    (E.HOST_CORRECT,     (host_correct,        not_now,        not_now,        not_now,        not_now,        not_now,        host_correct,        not_now)),
    (E.HOST_CLEAR,       (not_now,             not_now,        not_now,        not_now,        not_now,        not_now,        not_now,             host_clear)),
    (E.HOST_MAINTENANCE, (host_maintenance,    not_now,        not_now,        not_now,        not_now,        not_now,        not_now,             not_now)),
)
# fmt: on


def _table():
    """Rows by event number. Raises ValueError where an answer is missing or stands twice."""
    rows = dict(_ROWS)
    if len(rows) != len(_ROWS) or sorted(rows) != list(range(1, E.EVENTS)):
        raise ValueError("one row for each event is wanted")
    if [row for row in rows.values() if len(row) != len(F.STATES)]:
        raise ValueError("one answer for each state is wanted")
    return ((),) + tuple([rows[event] for event in range(1, E.EVENTS)])  # NONE is no event


TABLE = _table()
