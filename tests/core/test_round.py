"""The round's table: every (state, event) pair, the entry terminal, corrections, voids, faults and the host's orders.

Expected states and effects stand here as literals, read from the rules and docs/ROUND.md, not from the table.
"""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import round as R

# IDLE SPINNING COASTING BETTING CLOSED UNCOVERED RESULT FAULT
I, S, C, B, X, U, T, Z = range(8)  # noqa: E741  short, so that the table below reads as a table


def a_round(state, **given):
    r = R.Round(3)
    r.state, r.round, r.cover_open = state, 7, False
    r.open = state in (S, C, B, X, U)
    r.in_force = ("result", 1, 20) if state in (I, T) else ("uncovered", 1, 20)
    r.dice = (2, 2, 5) if state in (I, T) else ()
    r.fault_ref = (1, 21)
    r.causes = 1 << F.FAULTS.index("stall") if state == Z else 0
    r.order = order()
    for name, value in given.items():
        setattr(r, name, value)
    return r


def order(**given):
    o = {"by": "host:anna", "round": 7, "ref_boot": 1, "ref_seq": 20, "reason": "dispute", "dice": (1, 1, 1)}
    o.update(given)
    return o


def go(r, event, arg=0):
    """Dispatch -> (records as (kind, values), other effects by number)."""
    out = r.dispatch(event + E.ARG * arg)
    return [(e[1], e[2]) for e in out if e[0] == R.RECORD], [e for e in out if e[0] != R.RECORD]


def press(r, *digits):
    for d in digits:
        r.dispatch(E.DIGIT + E.ARG * d)


# Where each event leads from a plain round in each state (cover shut, no supervisor, empty window).
LEADS = {
    E.SPIN: (S, S, C, B, X, U, T, Z),
    E.NO_MORE: (I, S, C, X, X, U, T, Z),
    E.ENTRY: (I, S, C, B, X, U, T, Z),
    E.DIGIT: (I, S, C, B, X, U, T, Z),
    E.SUP_ON: (I, S, C, B, X, U, T, Z),
    E.SUP_OFF: (I, S, C, B, X, U, T, Z),
    E.COVER_OPENED: (I, I, I, I, U, U, T, Z),
    E.COVER_CLOSED: (I, S, C, B, X, U, I, Z),
    E.SPINS_DONE: (I, C, C, B, X, U, T, Z),
    E.SETTLED: (I, S, B, B, X, U, T, Z),
    E.TRIPPED: (I, I, C, B, X, U, T, Z),
    E.FAULT: (Z, Z, Z, Z, Z, Z, Z, Z),
    E.HOST_NO_MORE: (I, S, C, X, X, U, T, Z),
    E.HOST_VOID: (I, S, I, I, I, I, I, Z),
    E.HOST_CORRECT: (I, S, C, B, X, U, T, Z),
    E.HOST_CLEAR: (I, S, C, B, X, U, T, Z),
    E.HOST_MAINTENANCE: (I, S, C, B, X, U, T, Z),
}


def test_every_pair_leads_where_the_rules_say():
    for event, leads in LEADS.items():
        for state in range(8):
            r = a_round(state)
            r.dispatch(event + E.ARG * (1 if event == E.DIGIT else 0))
            assert r.state == leads[state], (event, F.STATES[state], F.STATES[r.state])


def test_every_event_but_none_has_eight_answers():
    assert R.TABLE[E.NONE] == ()
    for event in range(1, E.EVENTS):
        assert event in LEADS
        assert len(R.TABLE[event]) == 8


def test_relay_goes_on_only_from_idle_and_after_the_spin_record():
    for event in range(1, E.EVENTS):
        for state in range(8):
            r = a_round(state)
            kinds = [e[0] for e in r.dispatch(event + E.ARG)]
            if R.RELAY_ON in kinds:
                assert (event, state) == (E.SPIN, I)
                assert kinds.index(R.RECORD) < kinds.index(R.RELAY_ON)


def test_leaving_spinning_turns_the_relay_off_before_anything_is_written():
    for event in range(1, E.EVENTS):
        r = a_round(S)
        out = r.dispatch(event + E.ARG)
        if r.state != S:
            assert out[0][0] == R.RELAY_OFF, event


def test_nothing_is_said_while_spinning_but_what_ends_the_spin():
    for event in (E.SPIN, E.NO_MORE, E.ENTRY, E.DIGIT, E.SUP_ON, E.SUP_OFF, E.SETTLED, E.COVER_CLOSED):
        assert a_round(S).dispatch(event + E.ARG) == []


def test_spin_is_refused_with_the_cover_open_or_a_reason_to_hold():
    for given in ({"cover_open": True}, {"hold": "motion"}, {"hold": "full"}):
        r = a_round(I)
        for name, value in given.items():
            setattr(r, name, value)
        records, others = go(r, E.SPIN)
        assert (records, r.state, r.round) == ([], I, 7)
        assert (R.BEEP, R.REFUSED_TONE) in others


def test_a_whole_round():
    r = a_round(I)
    assert go(r, E.SPIN)[0] == [("spin", (3,))]
    assert (r.round, r.dice, r.open) == (8, (), True)
    assert go(r, E.SPINS_DONE) == ([], [(R.RELAY_OFF,)])
    r.spins = 4
    assert go(r, E.SETTLED)[0] == [("bets_open", (3,))]
    assert go(r, E.NO_MORE)[0] == [("bets_closed", ("dealer",))]
    assert go(r, E.COVER_OPENED)[0] == [("uncovered", ())]
    press(r, 6, 1, 3)
    assert go(r, E.ENTRY)[0] == [("result", ((6, 1, 3), 4))]
    assert (r.state, r.open, r.dice) == (T, False, (6, 1, 3))
    records, others = go(r, E.COVER_CLOSED)
    assert (records, others, r.state) == ([], [(R.METER,)], I)


def test_the_window_keeps_the_last_three_numbers_and_there_is_no_clear():
    r = a_round(U)
    press(r, 1, 2, 3, 4)
    assert r.window == (2, 3, 4)
    press(r, 5, 6, 6)
    assert r.window == (5, 6, 6)


def test_numbers_do_not_count_before_the_cover_opens_or_without_the_supervisor_after():
    for state in (I, S, C, B, X, T, Z):
        r = a_round(state)
        assert r.dispatch(E.DIGIT + E.ARG * 4) == []
        assert r.window == ()


def test_numbers_count_with_the_supervisor_in_idle_result_and_fault():
    for state in (I, T, Z):
        r = a_round(state, supervisor=True)
        press(r, 4)
        assert r.window == (4,)
    for state in (S, C, B, X):
        r = a_round(state, supervisor=True)
        press(r, 4)
        assert r.window == ()


def test_the_window_empties_when_the_key_turns():
    for event in (E.SUP_ON, E.SUP_OFF):
        r = a_round(U)
        press(r, 1, 2)
        r.dispatch(event)
        assert r.window == ()


def test_entry_with_fewer_than_three_numbers_is_refused_audibly_and_keeps_them():
    for digits in ((), (1,), (1, 2)):
        r = a_round(U)
        press(r, *digits)
        records, others = go(r, E.ENTRY)
        assert (records, r.state, r.window) == ([], U, digits)
        assert (R.BEEP, R.REFUSED_TONE) in others
        assert (R.KEY, "entry", "refused") in others


def test_supervisor_in_uncovered_one_number_voids_with_that_reason_and_two_are_refused():
    reasons = ("not_flat", "opened_early", "equipment", "wrong_entry", "dispute", "other")
    for n in range(1, 7):
        r = a_round(U, supervisor=True)
        press(r, n)
        assert go(r, E.ENTRY)[0] == [("void", (1, 20, "supervisor", reasons[n - 1]))]
        assert (r.state, r.open) == (I, False)
    r = a_round(U, supervisor=True)
    press(r, 1, 2)
    assert go(r, E.ENTRY)[0] == []
    assert r.state == U


def test_three_numbers_with_the_supervisor_on_are_a_result():
    r = a_round(U, supervisor=True, spins=None)
    press(r, 1, 1, 1)
    assert go(r, E.ENTRY)[0] == [("result", ((1, 1, 1), None))]


def test_a_result_entered_with_the_cover_already_back_ends_the_round():
    r = a_round(U, cover_open=False)
    press(r, 1, 1, 1)
    records, others = go(r, E.ENTRY)
    assert records[0][0] == "result"
    assert (R.METER,) in others
    assert r.state == I


def test_supervisor_corrects_or_voids_the_last_round_in_result_and_idle():
    for state in (I, T):
        r = a_round(state, supervisor=True)
        press(r, 1, 3, 6)
        assert go(r, E.ENTRY)[0] == [("correction", (1, 20, (1, 3, 6), "supervisor", "wrong_entry"))]
        assert (r.state, r.dice, r.window) == (state, (1, 3, 6), ())
        r = a_round(state, supervisor=True)
        press(r, 5)
        assert go(r, E.ENTRY)[0] == [("void", (1, 20, "supervisor", "dispute"))]
        assert r.state == I


def test_a_correction_to_the_same_dice_is_refused():
    r = a_round(T, supervisor=True)
    press(r, 5, 2, 2)
    assert go(r, E.ENTRY)[0] == []


def test_a_void_is_final():
    r = a_round(I, supervisor=True, in_force=("void", 1, 22))
    press(r, 1, 3, 6)
    assert go(r, E.ENTRY)[0] == []
    r = a_round(I, supervisor=True, in_force=("void", 1, 22))
    press(r, 5)
    assert go(r, E.ENTRY)[0] == []
    r = a_round(I, in_force=("void", 1, 22), order=order(ref_seq=22))
    assert go(r, E.HOST_VOID) == ([], [(R.ANSWER, False, "final")])
    assert go(r, E.HOST_CORRECT) == ([], [(R.ANSWER, False, "final")])


def test_before_the_first_round_there_is_nothing_to_correct():
    r = a_round(I, supervisor=True, in_force=("", 0, 0))
    press(r, 1, 3, 6)
    assert go(r, E.ENTRY)[0] == []


def test_opening_before_the_bets_are_closed_voids():
    for state in (S, C, B):
        r = a_round(state)
        records, others = go(r, E.COVER_OPENED)
        assert records == [("void", (1, 20, "board", "opened_early"))]
        assert (R.METER,) in others
        assert (r.state, r.cover_open) == (I, True)


def test_every_fault_is_recorded_once_with_the_state_it_came_up_in():
    for n in range(len(F.FAULTS)):
        for state in range(7):
            r = a_round(state)
            records, others = go(r, E.FAULT, n)
            assert records == [("fault", (F.STATES[state], F.FAULTS[n]))]
            assert others[0] == (R.RELAY_OFF,)
            assert (r.state, r.under) == (Z, state)
            assert go(r, E.FAULT, n)[0] == []


def fault(code, **given):
    return a_round(Z, causes=1 << F.FAULTS.index(code), supervisor=True, **given)


def test_a_fault_clears_only_by_the_supervisor_and_after_its_cause_is_gone():
    r = fault("estop")
    r.supervisor = False
    press(r, 1)
    assert go(r, E.ENTRY)[0] == []
    r = fault("estop", standing=1 << F.FAULTS.index("estop"))
    press(r, 1)
    assert go(r, E.ENTRY)[0] == []
    assert r.state == Z
    r.standing = 0
    assert go(r, E.ENTRY)[0] == [("clear", (1, 21, "supervisor", "clear"))]
    assert (r.state, r.causes) == (I, 0)


def test_clearing_with_a_round_open_voids_it_first():
    r = fault("stall", open=True, under=S)
    press(r, 1)
    records, others = go(r, E.ENTRY)
    assert records == [("void", (1, 20, "supervisor", "fault")), ("clear", (1, 21, "supervisor", "clear"))]
    assert (R.METER,) in others
    assert (r.state, r.open) == (I, False)


def test_going_on_after_a_power_cut_needs_the_cover_shut_and_no_other_cause():
    for under in (B, X):
        r = fault("power_lost", open=True, under=under)
        press(r, 2)
        assert go(r, E.ENTRY)[0] == [("clear", (1, 21, "supervisor", "go_on"))]
        assert (r.state, r.open, r.causes) == (under, True, 0)
    r = fault("power_lost", open=True, under=B, cover_open=True)
    press(r, 2)
    assert go(r, E.ENTRY)[0] == []
    r = fault("stall", open=True, under=B)
    press(r, 2)
    assert go(r, E.ENTRY)[0] == []


def test_opening_the_cover_in_power_lost_takes_going_on_away_for_good():
    r = fault("power_lost", open=True, under=X)
    assert go(r, E.COVER_OPENED)[0] == [("fault", ("FAULT", "opened_in_fault"))]
    r.dispatch(E.COVER_CLOSED)
    press(r, 2)
    assert go(r, E.ENTRY)[0] == []
    assert r.state == Z


def test_a_lost_journal_takes_only_a_new_dev():
    r = fault("journal_lost")
    press(r, 1)
    assert go(r, E.ENTRY)[0] == []
    r = fault("journal_lost")
    press(r, 3)
    assert (R.NEW_DEV,) in go(r, E.ENTRY)[1]
    r = fault("stall")
    press(r, 3)
    assert (R.NEW_DEV,) not in go(r, E.ENTRY)[1]


def test_a_fault_entry_takes_exactly_one_number():
    for digits in ((), (1, 1), (1, 1, 1)):
        r = fault("stall")
        press(r, *digits)
        assert go(r, E.ENTRY)[0] == []
        assert r.state == Z


def test_orders_must_name_the_record_in_force():
    cases = ((E.HOST_NO_MORE, B), (E.HOST_VOID, B), (E.HOST_VOID, T), (E.HOST_CORRECT, T), (E.HOST_CORRECT, I))
    for event, state in cases:
        for wrong in ({"round": 6}, {"ref_boot": 2}, {"ref_seq": 19}):
            r = a_round(state, order=order(**wrong))
            assert go(r, event) == ([], [(R.ANSWER, False, "not_in_force")])
            assert r.state == state


def test_orders_that_hold_are_recorded_under_the_name_of_who_gave_them():
    assert go(a_round(B), E.HOST_NO_MORE)[0] == [("bets_closed", ("host:anna",))]
    assert go(a_round(U), E.HOST_VOID)[0] == [("void", (1, 20, "host:anna", "dispute"))]
    assert go(a_round(T), E.HOST_CORRECT)[0] == [("correction", (1, 20, (1, 1, 1), "host:anna", "dispute"))]
    r = a_round(Z, order=order(ref_seq=21))
    assert go(r, E.HOST_CLEAR)[0] == [("clear", (1, 21, "host:anna", "clear"))]


def test_an_order_may_not_sign_as_the_keys():
    for event, state in ((E.HOST_VOID, T), (E.HOST_CLEAR, Z)):
        r = a_round(state, order=order(by="supervisor"))
        assert go(r, event) == ([], [(R.ANSWER, False, "bad_name")])


def test_the_host_cannot_attest_that_the_cover_stayed_shut():
    r = fault("power_lost", open=True, under=B, order=order(ref_seq=21))
    assert [kind for kind, _ in go(r, E.HOST_CLEAR)[0]] == ["void", "clear"]
    assert r.state == I


def test_host_clear_waits_for_the_cause_to_go():
    r = fault("estop", standing=1 << F.FAULTS.index("estop"), order=order(ref_seq=21))
    assert go(r, E.HOST_CLEAR) == ([], [(R.ANSWER, False, "cause_stands")])


def test_maintenance_needs_idle_and_the_supervisor_key():
    assert go(a_round(I), E.HOST_MAINTENANCE)[1] == [(R.ANSWER, False, "no_supervisor")]
    assert (R.MAINTENANCE,) in go(a_round(I, supervisor=True), E.HOST_MAINTENANCE)[1]
    for state in (S, C, B, X, U, T, Z):
        assert go(a_round(state, supervisor=True), E.HOST_MAINTENANCE)[1] == [(R.ANSWER, False, "not_now")]
