"""What the board does at power-on, for every point at which the power can go: docs/ROUND.md, last table."""

from tumbler.core import fields as F
from tumbler.core import recovery
from tumbler.core import round as R

MAC = "ab" * 16


def rec(kind, seq, **fields):
    fields.update({"kind": kind, "boot": 1, "seq": seq, "mac": MAC, "round": fields.get("round", 5)})
    return fields


ROUND = [
    rec("boot", 1),
    rec("spin", 2),
    rec("bets_open", 3),
    rec("bets_closed", 4),
    rec("uncovered", 5),
    rec("result", 6, dice=(1, 3, 6), spins=4),
    rec("meter", 7, rounds=5, spins=20, results=5, voids=0, corrections=0, faults=0),
]


def after(records):
    r = R.Round(3)
    found = recovery.Recovery()
    for record in records:
        found.fold(record)
    found.put(r)
    effects = recovery.power_on(r)
    return r, [(e[1], e[2]) for e in effects if e[0] == R.RECORD], found


def test_power_cut_after_each_record_of_a_round():
    wanted = (
        (1, R.IDLE, []),
        (2, R.IDLE, [("void", (1, 2, "board", "power_lost"))]),
        (3, R.FAULT, [("fault", ("BETTING", "power_lost"))]),
        (4, R.FAULT, [("fault", ("CLOSED", "power_lost"))]),
        (5, R.UNCOVERED, []),
        (6, R.RESULT, []),
        (7, R.IDLE, []),
    )
    for n, state, records in wanted:
        r, written, found = after(ROUND[:n])
        assert (r.state, written) == (state, records), n
        assert r.window == ()
        assert r.spins is None
        assert (found.boot, found.mac) == (1, MAC)


def test_in_power_lost_the_round_waits_under_the_fault():
    for n, under in ((3, R.BETTING), (4, R.CLOSED)):
        r = after(ROUND[:n])[0]
        assert (r.under, r.open, r.round) == (under, True, 5)


def test_a_second_power_cut_in_power_lost_writes_no_second_fault():
    records = ROUND[:4] + [rec("boot", 5), rec("fault", 6, code="power_lost")]
    r, written, _ = after(records)
    assert (r.state, r.under, written) == (R.FAULT, R.CLOSED, [])
    assert r.fault_ref == (1, 6)


def test_going_on_is_remembered():
    records = ROUND[:4] + [rec("fault", 5, code="power_lost"), rec("clear", 6, act="go_on")]
    r, written, _ = after(records)
    assert (r.state, r.under) == (R.FAULT, R.CLOSED)  # the power went again: attest again
    assert written == [("fault", ("CLOSED", "power_lost"))]


def test_an_uncleared_fault_survives_with_all_its_causes():
    records = ROUND[:2] + [rec("fault", 3, code="stall"), rec("fault", 4, code="estop")]
    r, written, _ = after(records)
    assert (r.state, written) == (R.FAULT, [])
    assert r.causes == 1 << F.FAULTS.index("stall") | 1 << F.FAULTS.index("estop")
    assert r.open


def test_a_cleared_fault_is_gone():
    records = ROUND[:2] + [rec("fault", 3, code="stall"), rec("void", 4), rec("clear", 5, act="clear")]
    r, written, _ = after(records)
    assert (r.state, r.open, written) == (R.IDLE, False, [])
    assert r.in_force == ("void", 1, 4)


def test_correction_stands_after_the_power_cut():
    records = ROUND[:6] + [rec("correction", 7, dice=(2, 2, 2))]
    r = after(records)[0]
    assert (r.state, r.dice, r.in_force) == (R.RESULT, (2, 2, 2), ("correction", 1, 7))


def test_correction_in_idle_does_not_bring_the_result_state_back():
    r = after(ROUND + [rec("correction", 8, dice=(2, 2, 2))])[0]
    assert (r.state, r.dice) == (R.IDLE, (2, 2, 2))


def test_totals_go_on_from_the_last_meter():
    records = ROUND + [
        rec("spin", 8, round=6),
        rec("void", 9, round=6),
        rec("fault", 10, round=6, code="estop"),
        rec("spin", 11, round=7),
        rec("result", 12, round=7, dice=(1, 1, 1), spins=None),
        rec("correction", 13, round=7, dice=(1, 1, 2)),
    ]
    found = after(records)[2]
    assert found.totals.values() == (7, 20, 6, 1, 1, 1)


def test_an_empty_journal_starts_idle_at_round_zero():
    r, written, found = after([])
    assert (r.state, r.round, written) == (R.IDLE, 0, [])
    assert (found.boot, found.mac) == (0, "0" * 32)
