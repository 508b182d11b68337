"""Alarms of the session: which they are, that they say how to go on, and going on where that is possible."""

import pytest

from host_tools.link import alarms
from host_tools.link.events import NOTHING, Alarm, Answer, Hello, Identity, Record
from host_tools.link.session import MAX_BOUND_S, NEW_DEV_S, Session
from tests.host.link.fake_board import DEV, KEY, FakeBoard
from tests.host.link.session_host import Host, meeting

NEW = "sim-0000000000a1-77aa"


def behind(acked=4):
    """A board that had records acked which the host does not have."""
    board = FakeBoard()
    board.start()
    board.play(1)
    board.acked = acked
    return board


def test_store_behind_names_the_records_that_are_missing():
    _, host = meeting(behind())
    (alarm,) = host.of(Alarm)
    assert (alarm.code, alarm.missing) == ("store_behind", (1, 4))
    for text in ("1 to 4", "named gap", "confirm this", "cannot be checked"):
        assert text in alarm.why


def test_behind_a_confirmed_gap_the_board_is_served_from_its_oldest_record():
    board, host = meeting(behind(), last=Identity(0, 4, NOTHING.mac))
    host.hear(b"".join(board.unacked()))
    assert host.alarms() == []
    assert host.stored == board.lines[4:]
    assert board.acked == 6
    assert [(c["cmd"], c["seq"]) for c in board.heard] == [("welcome", 0), ("ack", 6)]


def test_behind_a_confirmed_gap_another_record_than_the_next_one_is_not_taken():
    board, host = meeting(behind(), last=Identity(0, 4, NOTHING.mac))
    host.hear(board.lines[5])
    assert host.stored == []


def test_a_record_of_the_gap_itself_is_not_new_and_is_not_acked():
    board, host = meeting(behind(), last=Identity(0, 4, NOTHING.mac))
    before = len(board.heard)
    host.hear(board.lines[3])
    assert [event.new for event in host.of(Record)] == [False]
    assert host.alarms() == [] and board.heard[before:] == []


def test_a_forged_first_record_behind_the_gap_is_found_by_the_one_after_it():
    board, host = meeting(behind(), last=Identity(0, 4, NOTHING.mac))
    forger = FakeBoard(first_seq=5, key=bytes(32))
    forger.write("uncovered", 1)
    (forged,) = host.session.feed(forger.lines[0], host.now)
    assert isinstance(forged, Record)
    (alarm,) = host.session.feed(board.lines[5], host.now)
    assert isinstance(alarm, Alarm) and alarm.code == "chain"


def test_a_gap_is_no_licence_for_a_first_record_of_any_mac():
    """Without a gap the chain begins with 16 zero bytes, and that is checked."""
    _, host = meeting()
    forger = FakeBoard(key=bytes(32))
    forger.start()
    host.hear(forger.lines[0])
    assert host.alarms() == ["chain"] and host.stored == []


def test_more_acked_than_the_gap_that_was_confirmed_is_behind_again():
    _, host = meeting(behind(acked=5), last=Identity(0, 4, NOTHING.mac))
    assert [(alarm.code, alarm.missing) for alarm in host.of(Alarm)] == [("store_behind", (5, 5))]


def test_a_refused_ack_is_an_alarm():
    board, host = meeting()
    host.hear(b"".join(board.unacked()))
    host.hear(board.answer(board.heard[-1], ok=False, why="bad_ack"))
    (alarm,) = host.of(Alarm)
    assert alarm.code == "ack_refused" and "seq 6" in alarm.why
    assert host.of(Answer) == []


def test_any_other_refusal_is_an_answer():
    board, host = meeting()
    host.session.order("maintenance", ("host:anna",))
    board.hear(host.session.output())
    host.hear(board.answer(board.heard[-1], ok=False, why="no_supervisor"))
    assert host.alarms() == [] and host.of(Answer)[0].fields["why"] == "no_supervisor"


def replacing(replaces=DEV):
    other = FakeBoard(dev=NEW)
    other.start(replaces=replaces)
    return other


def test_a_new_dev_of_the_same_board_is_told_from_an_exchanged_one():
    _, host = meeting()
    other = replacing()
    host.hear(other.hello() + other.status())
    assert host.alarms() == []
    host.hear(other.lines[0])
    (alarm,) = host.of(Alarm)
    assert alarm.code == "new_dev" and "lost its journal" in alarm.why and NEW in alarm.why


@pytest.mark.parametrize("replaces", [None, "sim-0000000000c3-0001"])
def test_a_board_whose_first_record_does_not_name_ours_was_exchanged(replaces):
    _, host = meeting()
    host.hear(replacing(replaces).lines[0])
    (alarm,) = host.of(Alarm)
    assert alarm.code == "other_dev" and "exchanged" in alarm.why


def test_another_board_that_sends_no_record_was_exchanged_too():
    _, host = meeting()
    other = replacing()
    host.hear(other.status())
    host.now += NEW_DEV_S - 0.1
    host.hear(other.status())
    assert host.alarms() == []
    host.now += 0.2
    host.hear(other.status())
    assert host.alarms() == ["other_dev"]


def test_only_a_first_record_can_name_the_dev_before():
    _, host = meeting()
    other = replacing()
    host.hear(other.start(replaces=DEV))
    host.now += NEW_DEV_S + 0.1
    host.hear(other.start(replaces=DEV))
    assert host.alarms() == ["other_dev"]


def test_a_new_dev_gets_its_time_anew_when_the_cable_was_away():
    _, host = meeting()
    other = replacing(DEV)
    host.hear(other.status())
    host.now += NEW_DEV_S + 1.0
    host.session.port_changed()
    host.hear(other.status())
    assert host.alarms() == []
    host.hear(other.lines[0])
    assert host.alarms() == ["new_dev"]


def test_a_first_record_that_was_lost_on_the_line_does_not_make_the_new_dev_a_stranger():
    """The record after it came first."""
    _, host = meeting()
    other = replacing(DEV)
    host.hear(other.write("clear", 0, 0, 0, "supervisor", "new_dev"))
    assert host.alarms() == []
    host.now += 1.0
    host.hear(b"".join(other.lines))
    assert host.alarms() == ["new_dev"]


IDENTITY = Identity(1, 6, "ab" * 16)


@pytest.mark.parametrize(
    ("alarm", "how"),
    [
        (alarms.new_dev(DEV, NEW), "Enrol"),
        (alarms.other_dev(DEV, NEW), "Put board"),
        (alarms.ack_refused(DEV, IDENTITY), "nothing but a new dev"),
        (alarms.not_believed(DEV), "Move that key file away"),
        (alarms.journal_behind(DEV, 3, 40), "takes a new dev with 3"),
        (alarms.no_proof(DEV), "Look what is plugged in"),
        (alarms.store_behind(DEV, 5, 0), "start with that one"),
        (alarms.chain(DEV, 4), "nothing but a new dev"),
        (alarms.gap(DEV, 4, 5), "Check the cable"),
    ],
)
def test_every_alarm_says_how_to_go_on(alarm, how):
    assert how in alarm.why and "onfirm" in alarm.why and DEV in alarm.why


def test_after_a_slow_answer_the_clock_is_asked_once_more():
    """Asked while the motor ran: the answer came only 12 s later, which bounds the board's clock by 12 s."""
    board = FakeBoard()
    board.start()
    session = Session()
    host = Host(board, session=session)
    host.session.feed(board.status("SPINNING", 1), host.now)
    asked = host.session.output()
    host.now += 12
    board.t_ms += 12_000
    host.hear(board.status("COASTING", 1) + board.hear(asked))
    board.t_ms += 1
    host.hear(board.unacked()[0])
    (record,) = host.of(Record)
    assert record.moment is not None and record.moment.bound_s is not None and record.moment.bound_s < MAX_BOUND_S
    assert board.nonces == 2


def test_a_line_that_is_always_slow_is_not_asked_for_ever():
    board = FakeBoard()
    board.start()
    session = Session()
    data = board.status()
    now, questions, hellos = 0.0, 0, 0
    for _ in range(20):
        for event in session.feed(data, now):
            if isinstance(event, Hello):
                hellos += 1
                if session.dev is None:
                    session.accept(event, KEY, NOTHING)
        out = session.output()
        questions += out.count(b"hello?")
        now += 4
        board.t_ms += 4000
        data = board.hear(out)
    assert (questions, hellos) == (2, 2)
