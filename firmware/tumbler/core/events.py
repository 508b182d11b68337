"""Names of what the terminal can see and what can happen: bits of an input snapshot, and events with their argument.

An event is one small int, code + 32 * arg, so that a ring of them needs no memory while the motor runs.
"""

# Bits of one input snapshot; 1 = pressed, open, on or tripped (polarity is settled in the inputs room).
KEY1 = 1 << 0  # KEY1 << n is number key n + 1
ENTRY_KEY = 1 << 6
SPIN_KEY = 1 << 7
NO_MORE_KEY = 1 << 8
DEALER_KEYS = 0x1FF
COVER_OPEN = 1 << 9
SUPERVISOR = 1 << 10
ESTOP = 1 << 11
COVER2_OPEN = 1 << 12  # second, opposite cover contact; equals COVER_OPEN on boards without one
RELAY_FEEDBACK = 1 << 13  # the relay's own contact says on; 0 on boards without one
KEY_NAMES = ("1", "2", "3", "4", "5", "6", "entry", "spin", "no_more_bets")  # by bit number

# Events. arg is 0 unless said.
NONE = 0
SPIN = 1
NO_MORE = 2
ENTRY = 3
DIGIT = 4  # arg: 1 to 6
SUP_ON = 5
SUP_OFF = 6
COVER_OPENED = 7
COVER_CLOSED = 8
SPINS_DONE = 9  # the required spins were counted
SETTLED = 10  # dice at rest: sensor quiet and the minimum coast time over
FAULT = 11  # arg: index in fields.FAULTS
TRIPPED = 12  # the dead-man switched the relay off, and the loop was not late
HOST_NO_MORE = 13  # the host's orders; their fields travel beside the event
HOST_VOID = 14
HOST_CORRECT = 15
HOST_CLEAR = 16
HOST_MAINTENANCE = 17
EVENTS = 18

# Not for the round's table: the terminal answers them alike in every state.
TWO_KEYS = 20  # two dealer keys at once: neither counts
STUCK = 21  # arg: bit number of a dealer key held over 30 s

ARG = 32


def code(event: int) -> int:
    """The event without its argument."""
    return event & 31


def arg(event: int) -> int:
    """The argument of an event."""
    return event >> 5
