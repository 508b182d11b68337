"""Enrolment, live rows, orders, alarms and owners."""

import pytest
from tumbler.core.ledger import encode_command

from host_tools.errors import UserError
from host_tools.store import owners
from host_tools.store.rows import Alarm, Enrolment, Live, Owner
from tests.host.store.chain import DEV, at

OTHER = "sim-0000000000b2-0001"
NONCE = "2aa9be83fd8d12c4"


# ---------------------------------------------------------------- enrolment


def test_nobody_serves_a_table_before_the_enrolment(store):
    assert store.table_of(DEV) is None and store.enrolments() == []


def test_a_board_that_moves_leaves_its_table(store):
    store.enrol(DEV, "T1", at(0))
    store.enrol(DEV, "T2", at(5))
    assert store.table_of(DEV) == "T2"
    assert store.enrolments() == [Enrolment(DEV, "T1", at(0), at(5)), Enrolment(DEV, "T2", at(5), None)]


def test_a_table_that_gets_another_board_loses_the_one_it_had(store):
    store.enrol(DEV, "T1", at(0))
    store.enrol(OTHER, "T1", at(5))
    assert (store.table_of(DEV), store.table_of(OTHER)) == (None, "T1")
    assert store.enrolments()[0].enrolled_to == at(5)


def test_a_swap_ends_both_enrolments(store):
    store.enrol(DEV, "T1", at(0))
    store.enrol(OTHER, "T2", at(0))
    store.enrol(DEV, "T2", at(5))
    assert (store.table_of(DEV), store.table_of(OTHER)) == ("T2", None)


def test_the_same_enrolment_again_changes_nothing(store):
    store.enrol(DEV, "T1", at(0))
    store.enrol(DEV, "T1", at(5))
    assert store.enrolments() == [Enrolment(DEV, "T1", at(0), None)]


# ---------------------------------------------------------------- live


def test_live_is_what_the_board_said_last(store):
    assert store.live(DEV) is None
    store.update_live(DEV, 3, "IDLE", 7, None, at(0))
    store.update_live(DEV, 4, "UNCOVERED", 8, None, at(1), 96)
    assert store.live(DEV) == Live(DEV, 4, "UNCOVERED", 8, (), at(1), 96)


def test_a_key_line_sets_the_window_and_a_status_of_the_same_state_keeps_it(store):
    store.update_live(DEV, 1, "UNCOVERED", 8, None, at(1), 96)
    store.update_live(DEV, 1, None, 8, (6, 1), at(2))
    assert store.live(DEV) == Live(DEV, 1, "UNCOVERED", 8, (6, 1), at(1), 96)
    store.update_live(DEV, 1, "UNCOVERED", 8, None, at(3))
    assert store.live(DEV).window == (6, 1)
    store.update_live(DEV, 1, "RESULT", 8, None, at(4))
    assert store.live(DEV).window == ()


def test_numbers_pressed_before_the_first_status_uncovered_stay_when_it_comes(store):
    store.update_live(DEV, 1, "BETTING", 8, None, at(1))
    store.update_live(DEV, 1, None, 8, (6, 1), at(2))
    store.update_live(DEV, 1, "UNCOVERED", 8, None, at(3))
    assert store.live(DEV).window == (6, 1)
    store.update_live(DEV, 1, "UNCOVERED", 9, None, at(4))
    assert store.live(DEV).window == ()


def test_a_key_line_before_the_first_status_is_not_kept(store):
    store.update_live(DEV, 1, None, 8, (6,), at(2))
    assert store.live(DEV) is None


# ---------------------------------------------------------------- orders


def queue_void(store, number=1):
    return store.queue_command(DEV, "void", "host:anna", at(0), round=number, ref_boot=1, ref_seq=5, reason="dispute")


def test_orders_go_out_one_by_one_and_get_their_answers(store):
    first, second = queue_void(store, 1), queue_void(store, 2)
    assert store.next_command(OTHER, at(1)) is None
    assert store.next_command(DEV, at(1)).id == first
    assert store.mark_sent(first, NONCE, 7)
    assert store.next_command(DEV, at(1)) is None  # the record in force changes with each
    assert store.command_in_flight(DEV).id == first
    assert store.answer_command(NONCE, 7, True, "done", at(3)).state == "done"
    assert store.next_command(DEV, at(1)).id == second
    assert store.mark_sent(second, NONCE, 8)
    assert store.answer_command(NONCE, 8, False, "not_in_force", at(2)).id == second
    assert store.command_in_flight(DEV) is None and store.next_command(DEV, at(1)) is None
    row = store.command(second)
    assert (row.state, row.answer, row.answered_at) == ("refused", "not_in_force", at(2))
    assert store.command(first).state == "done"


def test_an_order_that_was_sent_is_not_sent_again(store):
    queued = queue_void(store)
    assert store.mark_sent(queued, NONCE, 7)
    assert not store.mark_sent(queued, NONCE, 8)
    assert (store.command(queued).state, store.command(queued).n) == ("sent", 7)


def test_by_a_clock_far_behind_an_order_is_not_valid_for_hours(store):
    """The run keeps its time while a round is open; the clock of whoever gave the order was set an hour forward."""
    queued = store.queue_command(DEV, "maintenance", "host:anna", at(3600))
    assert store.next_command(DEV, at(0)) is None
    assert store.next_command(DEV, at(3539)) is None
    assert store.next_command(DEV, at(3541)).id == store.next_command(DEV, at(3660)).id == queued
    assert store.next_command(DEV, at(3661)) is None


def test_an_answer_to_nothing_and_a_second_answer_change_nothing(store):
    queued = queue_void(store)
    assert store.answer_command(NONCE, 7, True, "done", at(1)) is None
    store.mark_sent(queued, NONCE, 7)
    assert store.answer_command("0" * 16, 7, True, "done", at(1)) is None
    store.answer_command(NONCE, 7, False, "final", at(2))
    assert store.answer_command(NONCE, 7, True, "done", at(3)) is None
    assert store.command(queued).state == "refused"
    assert store.command(99) is None


@pytest.mark.parametrize(
    ("verb", "fields", "values"),
    [
        ("no_more_bets", {"round": 1, "ref_boot": 1, "ref_seq": 2}, (1, 1, 2, "host:anna")),
        (
            "correct",
            {"round": 1, "ref_boot": 1, "ref_seq": 5, "dice": [6, 1, 3], "reason": "wrong_entry"},
            (1, 1, 5, (6, 1, 3), "host:anna", "wrong_entry"),
        ),
        ("clear", {"round": 0, "ref_boot": 1, "ref_seq": 5}, (0, 1, 5, "host:anna")),
        ("maintenance", {}, ("host:anna",)),
    ],
)
def test_an_order_gives_its_values_as_the_line_takes_them(store, verb, fields, values):
    command = store.command(store.queue_command(DEV, verb, "host:anna", at(0), **fields))
    assert command.values == values
    assert encode_command(verb, NONCE, 1, command.values, bytes(32))


@pytest.mark.parametrize(
    ("verb", "by", "fields", "why"),
    [
        ("ack", "host:anna", {}, "no order 'ack'"),
        ("void", "host:anna", {"round": 1, "ref_boot": 1, "ref_seq": 5}, "reason"),
        ("void", "host:anna", {"round": 1, "ref_boot": 1, "ref_seq": 5, "reason": "bored"}, "reason"),
        (
            "correct",
            "host:anna",
            {"round": 1, "ref_boot": 1, "ref_seq": 5, "dice": [7, 1, 1], "reason": "other"},
            "dice",
        ),
        ("clear", "host:anna", {"round": 1, "ref_boot": 1, "ref_seq": 5, "reason": "other"}, "takes no reason"),
        ("maintenance", "anna", {}, "host:NAME"),
        ("maintenance", "host:", {}, "host:NAME"),
        ("maintenance", "host:" + "a" * 20, {}, "by"),
    ],
)
def test_an_order_that_could_not_be_sent_is_not_queued(store, verb, by, fields, why):
    with pytest.raises(UserError, match=why):
        store.queue_command(DEV, verb, by, at(0), **fields)
    assert store.next_command(DEV, at(1)) is None


# ---------------------------------------------------------------- alarms


def test_an_alarm_stands_until_it_is_confirmed(store):
    assert not store.settling_stopped(DEV)
    number = store.alarm(DEV, "gap", "A record is missing.", at(1))
    assert store.open_alarms() == [Alarm(number, DEV, "gap", "A record is missing.", at(1))]
    assert store.open_alarms(OTHER) == [] and not store.settling_stopped(OTHER)
    assert store.settling_stopped(DEV)
    assert store.confirm_alarm(number, "anna", at(2))
    assert not store.confirm_alarm(number, "bela", at(3))
    assert store.open_alarms() == [] and not store.settling_stopped(DEV)
    with store._db.reading() as connection:
        assert connection.exec_driver_sql("select confirmed_by from alarms").scalar() == "anna"


def test_the_same_alarm_is_raised_once_while_it_is_open(store):
    number = store.alarm(DEV, "gap", "A record is missing.", at(1))
    assert store.alarm(DEV, "gap", "A record is missing.", at(2)) == number
    assert store.alarm(DEV, "gap", "Another is missing.", at(2)) != number
    store.confirm_alarm(number, "anna", at(3))
    assert store.alarm(DEV, "gap", "A record is missing.", at(4)) != number


@pytest.mark.parametrize("reason", ["power_lost", "fault"])
def test_a_reason_that_is_the_boards_own_is_no_order(store, reason):
    with pytest.raises(UserError, match="reason"):
        store.queue_command(DEV, "void", "host:anna", at(0), round=1, ref_boot=1, ref_seq=5, reason=reason)


# ---------------------------------------------------------------- owners


def test_of_two_runs_that_saw_no_owner_at_once_one_has_it_and_the_other_sees_whose_it_is(store, monkeypatch):
    """As PostgreSQL lets them; SQLite takes one after the other."""
    first, second = (Owner(DEV, token * 16, "pit", 42, at(0), at(0), at(5)) for token in "ab")
    assert store.claim(first, None) is None
    seen, look = [None], owners._owner
    monkeypatch.setattr(owners, "_owner", lambda connection, dev: seen.pop() if seen else look(connection, dev))
    assert store.claim(second, None) == first
    store.renew(DEV, at(1), at(6))  # still the first one's
