"""That the cover stayed shut after a power cut is said at the keys only: no line of the host says it."""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import round as R
from tumbler.core.terminal import ORDERS

LOST = 1 << R.POWER_LOST


def after_power_cut(under):
    """A round whose bets stood when the power went; the cover is shut, its cause is gone, the supervisor key is on."""
    r = R.Round(3)
    r.round, r.open, r.in_force, r.fault_ref = 7, True, ("bets_open", 2, 20), (3, 22)
    r.state, r.under, r.causes = R.FAULT, under, LOST
    r.cover_open, r.supervisor = False, True
    return r


def order(cmd, seq=22):
    """Every field that any order may have, naming the fault or the record in force."""
    values = {"cmd": cmd, "round": 7, "ref_boot": 3 if seq == 22 else 2, "ref_seq": seq, "by": "host:anna"}
    values.update({"dice": (1, 3, 6), "reason": "other", "act": "go_on"})
    return values


def records(effects):
    return [effect[1:] for effect in effects if effect[0] == R.RECORD]


def test_the_keys_say_it():
    for under in (R.BETTING, R.CLOSED):
        r = after_power_cut(under)
        r.window = (2,)
        assert records(r.dispatch(E.ENTRY)) == [("clear", (3, 22, "supervisor", "go_on"))]
        assert r.state == under


def test_no_order_of_the_host_goes_on_with_the_round():
    for under in (R.BETTING, R.CLOSED):
        for cmd in ORDERS:
            for seq in (22, 20):
                r = after_power_cut(under)
                r.order = order(cmd, seq)
                said = records(r.dispatch(ORDERS[cmd]))
                assert [kind for kind, values in said if kind == "clear" and values[-1] != "clear"] == [], cmd
                assert r.state in (R.FAULT, R.IDLE), cmd
                if r.state == R.IDLE:  # cleared: the round is void
                    assert [kind for kind, _ in said] == ["void", "clear"] and not r.open


def test_no_line_of_the_host_has_a_field_for_it():
    for cmd in F.COMMANDS:
        for name, kind in F.COMMANDS[cmd]:
            assert name != "act" and kind != "act", cmd


def test_every_order_of_the_protocol_is_among_those_that_were_tried():
    assert sorted(ORDERS) == sorted([cmd for cmd in F.COMMANDS if cmd not in ("hello?", "welcome", "ack", "resend")])
