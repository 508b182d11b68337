"""Events as small ints, and the bits of an input snapshot."""

from tumbler.core import events as E
from tumbler.core import fields as F

from tests.core import kit

WITHOUT_ARG = (
    E.SPIN,
    E.NO_MORE,
    E.ENTRY,
    E.SUP_ON,
    E.SUP_OFF,
    E.COVER_OPENED,
    E.COVER_CLOSED,
    E.SPINS_DONE,
    E.SETTLED,
    E.HOST_NO_MORE,
    E.HOST_VOID,
    E.HOST_CORRECT,
    E.HOST_CLEAR,
    E.HOST_MAINTENANCE,
    E.TWO_KEYS,
)


def test_code_and_arg_come_back():
    def check(event, code, arg):
        assert E.code(event) == code and E.arg(event) == arg

    rows = [(event, event, 0) for event in WITHOUT_ARG]
    rows += [(E.DIGIT + 32 * digit, E.DIGIT, digit) for digit in range(1, 7)]
    rows += [(E.FAULT + 32 * index, E.FAULT, index) for index in range(len(F.FAULTS))]
    rows += [(E.STUCK + 32 * bit, E.STUCK, bit) for bit in range(9)]
    kit.cases(rows, check)


def test_codes_are_distinct_and_none_is_zero():
    codes = WITHOUT_ARG + (E.DIGIT, E.FAULT, E.STUCK)
    assert len(set(codes)) == len(codes)
    assert E.NONE == 0 and 0 not in codes
    assert max(codes) < E.ARG


def test_round_events_lie_below_EVENTS():
    for event in WITHOUT_ARG:
        assert (event < E.EVENTS) == (event != E.TWO_KEYS), event
    assert E.DIGIT < E.EVENTS and E.FAULT < E.EVENTS and E.STUCK >= E.EVENTS


def test_input_bits_do_not_overlap():
    bits = [E.KEY1 << n for n in range(6)]
    bits += [E.ENTRY_KEY, E.SPIN_KEY, E.NO_MORE_KEY, E.COVER_OPEN, E.SUPERVISOR, E.ESTOP, E.COVER2_OPEN]
    bits += [E.RELAY_FEEDBACK]
    assert sorted(bits) == [1 << n for n in range(14)]
    assert sum(bits[:9]) == E.DEALER_KEYS


def test_key_names_stand_by_bit_number():
    for bit, name in ((E.KEY1, "1"), (E.KEY1 << 5, "6"), (E.ENTRY_KEY, "entry"), (E.SPIN_KEY, "spin")):
        assert bit == 1 << E.KEY_NAMES.index(name), name
    assert E.NO_MORE_KEY == 1 << E.KEY_NAMES.index("no_more_bets")
    assert len(E.KEY_NAMES) == 9
