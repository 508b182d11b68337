"""The session against a board that does and does not keep to the protocol."""

import pytest
from tumbler.core import ledger

from host_tools.link.events import Answer, Bad, Identity, Noise, Record, Status
from host_tools.link.session import GAP_S, GAP_SIGHTINGS, Session
from tests.host.link.fake_board import KEY, FakeBoard
from tests.host.link.session_host import Host, meeting


def test_nothing_is_sent_to_a_port_that_gave_no_ledger_line():
    session = Session()
    session.tick(0)
    session.feed(b'MicroPython v1.28.0\r\n>>> \r\n{"sb":1,"cmd":"hello?","crc":"8F275C70"}\n', 1)
    session.tick(60)
    assert session.output() == b""


def test_the_first_ledger_line_is_answered_by_asking_who_it_is():
    session = Session(lambda: "0123456789abcdef")
    session.feed(FakeBoard().status(), 1)
    (line,) = session.output().splitlines()
    assert ledger.decode_command(line) == {"cmd": "hello?", "challenge": "0123456789abcdef"}


def test_records_are_taken_in_order_and_acked_once_for_all():
    board, host = meeting()
    before = len(board.heard)
    host.hear(b"".join(board.unacked()))
    assert host.stored == board.lines
    assert [(c["cmd"], c["seq"]) for c in board.heard[before:]] == [("ack", 6)]


def test_no_ack_goes_out_before_the_caller_committed():
    board, host = meeting()
    records = [e for e in host.session.feed(b"".join(board.unacked()), 60) if isinstance(e, Record)]
    assert len(records) == 6
    assert host.session.output() == b""
    host.session.committed(records[0])
    board.hear(host.session.output())
    assert board.acked == 1


def test_a_record_that_was_committed_comes_as_not_new_and_is_acked_again():
    board, host = meeting()
    host.hear(b"".join(board.lines))
    board.acked = 0
    host.hear(b"".join(board.lines))
    assert [event.new for event in host.of(Record)] == [True] * 6 + [False] * 6
    assert board.acked == 6


def test_a_host_that_comes_back_goes_on_after_its_last_record():
    board, host = meeting()
    host.hear(b"".join(board.lines[:3]))
    last = host.of(Record)[-1].identity
    assert last == Identity(1, 3, board.macs[2].hex())
    host = Host(board, last=last)
    host.hear(board.hello())
    assert [c["cmd"] for c in board.heard].count("welcome") == 2
    assert board.acked == 3
    host.hear(b"".join(board.unacked()))
    assert host.stored == board.lines[3:]


def test_a_record_after_a_gap_waits_for_the_resend():
    board, host = meeting()
    host.hear(b"".join(board.lines[:2] + board.lines[3:]))
    assert host.stored == board.lines[:2]
    host.hear(b"".join(board.unacked()))
    assert host.stored == board.lines
    assert host.alarms() == []


def test_a_gap_that_no_resend_fills_is_an_alarm_once():
    board, host = meeting()
    for _ in range(3 * GAP_SIGHTINGS):
        host.wait(GAP_S / (GAP_SIGHTINGS - 1))
        host.hear(board.lines[0] + b"".join(board.lines[2:]))
    assert host.stored == board.lines[:1]
    assert host.alarms() == ["gap"]


def test_a_gap_is_no_alarm_however_long_while_the_board_does_not_resend():
    board, host = meeting()
    host.hear(board.lines[2])
    host.wait(100 * GAP_S)
    host.hear(board.lines[2])
    assert host.alarms() == []


def test_a_board_that_resets_again_and_again_before_it_resends_is_no_gap():
    board, host = meeting()
    for boot in range(2, 3 * GAP_SIGHTINGS):
        board.start(boot)
        host.hear(board.status() + board.lines[0])  # its oldest record is out before its proof, when none is taken
        host.hear(board.lines[1])
        host.wait(GAP_S / (GAP_SIGHTINGS - 1))
    assert host.stored == [] and host.alarms() == []


@pytest.mark.parametrize("edit", ["dice", "swapped", "other key"])
def test_a_record_that_never_fits_the_chain_is_an_alarm_and_not_taken(edit):
    board, host = meeting()
    host.hear(b"".join(board.lines[:5]))
    forger = FakeBoard(key=bytes(32) if edit == "other key" else KEY)
    forger.start()
    forger.play(1, dice=(6, 6, 6))
    forged = {"dice": forger.lines[5], "other key": forger.lines[5]}.get(edit)
    if edit == "swapped":
        forger.lines[4:5] = []
        forger.macs[4:5] = []
        forged = forger.write("result", 1, (6, 6, 6), 4)
    elif edit == "dice":
        forger = FakeBoard()
        forger.start()
        forger.play(2)
        forged = forger.lines[5]
    host.hear(forged)
    assert host.stored == board.lines[:5]
    assert host.alarms() == ["chain"]


def test_a_record_of_an_earlier_boot_never_follows():
    board = FakeBoard(boot=2)
    board.start()
    _, host = meeting(board)
    host.hear(board.lines[0])
    board.boot = 1
    line = board.write("spin", 1, 3)
    board.boot = 2
    host.hear(line)
    assert host.alarms() == ["chain"]


def test_another_record_under_the_seq_of_the_last_one_is_an_alarm():
    board, host = meeting()
    host.hear(b"".join(board.lines))
    forger = FakeBoard()
    forger.start()
    forger.play(1, dice=(6, 6, 6))
    host.hear(forger.lines[-1])
    assert host.alarms() == ["chain"]
    assert host.stored == board.lines


def test_a_store_that_is_older_than_the_acks_is_an_alarm():
    board = FakeBoard()
    board.start()
    board.play(1)
    board.acked = 4
    _, host = meeting(board)
    assert host.alarms() == ["store_behind"]


def test_a_journal_that_is_behind_the_store_is_an_alarm():
    board = FakeBoard()
    board.start()
    _, host = meeting(board, last=Identity(7, 40, "ab" * 16))
    assert host.alarms() == ["journal_behind"]
    assert board.lost


def test_a_hello_that_was_written_before_the_last_records_is_no_alarm():
    board, host = meeting()
    early = board.hello()
    board.play(2)
    host.hear(b"".join(board.unacked()))
    host.hear(early)
    assert host.alarms() == []


def test_an_answer_that_was_written_before_the_last_records_is_no_alarm():
    board, host = meeting()
    host.hear(b"".join(board.unacked()))
    host.session.port_changed()
    host.session.feed(board.status(), host.now)
    answer = board.hear(host.session.output())
    board.play(2)
    host.hear(b"".join(board.unacked()))
    host.hear(answer)
    host.hear(b"".join(board.unacked()))
    assert host.alarms() == []
    assert board.acked == board.next_seq - 1


def test_a_second_board_on_the_port_is_an_alarm_and_leaves_the_first_chain_whole():
    board, host = meeting()
    other = FakeBoard(dev="sim-0000000000b2-1111")
    other.start()
    host.hear(board.lines[0] + other.hello() + other.lines[0] + b"".join(board.lines[1:]))
    assert host.stored == board.lines
    assert host.alarms() == ["other_dev"]


def test_a_board_that_believes_no_welcome_is_an_alarm():
    board, host = meeting()
    for _ in range(10):
        host.now += 2
        host.hear(board.hello())
    assert host.alarms() == ["not_believed"]


def test_hellos_that_waited_while_the_host_was_busy_are_no_board_that_believes_nothing():
    board, host = meeting()
    host.now += 20
    host.hear(b"".join(board.hello() for _ in range(10)))
    assert host.alarms() == []


def test_a_lost_question_is_asked_again_but_not_while_the_motor_runs():
    session = Session()
    board = FakeBoard()
    session.feed(board.status("SPINNING", 1), 0)
    assert session.output()
    session.tick(10)
    assert session.output() == b""
    session.feed(board.status("BETTING", 1), 11)
    session.tick(11)
    assert session.output().startswith(b'{"sb":1,"cmd":"hello?",')


def test_acks_under_a_nonce_that_is_no_longer_the_boards_lead_to_a_new_question():
    board, host = meeting()
    host.hear(b"".join(board.lines))
    board.nonces += 1  # drawn for somebody else
    board.acked = 0
    for _ in range(4):
        host.now += 1
        for event in host.session.feed(board.lines[0], host.now):
            host.session.committed(event)
        out = host.session.output()
        if b"hello?" in out:
            host.hear(board.hear(out))
            break
    assert board.acked == 6


def test_an_order_carries_the_nonce_and_its_answer_names_it():
    board, host = meeting()
    order = host.session.next_line()
    host.session.order("no_more_bets", (1, 1, 3, "host:anna"))
    board.hear(host.session.output())
    assert (board.heard[-1]["cmd"], board.heard[-1]["by"]) == ("no_more_bets", "host:anna")
    host.hear(board.answer(board.heard[-1], ok=False, why="not_in_force"))
    answer = host.of(Answer)[-1].fields
    assert (answer["nonce"], answer["n"]) == order
    assert (answer["ok"], answer["why"]) == (False, "not_in_force")


def test_no_order_goes_out_before_a_proof_on_this_port():
    assert Session().next_line() is None
    _, host = meeting()
    assert host.session.next_line() is not None
    host.session.port_changed()
    assert host.session.next_line() is None


def test_a_new_nonce_that_was_asked_for_tells_how_far_the_records_go():
    board, host = meeting()
    old, _ = host.session.next_line()
    assert host.session.renewed(old) is None
    host.session.renew(200.0)
    assert host.session.next_line() is None
    host.hear(board.hear(host.session.output()))
    assert host.session.renewed(old) == board.next_seq
    assert host.session.next_line()[0] != old


def test_no_new_nonce_is_asked_for_while_the_motor_runs():
    board, host = meeting()
    host.session.output()
    host.hear(board.status("SPINNING", 1))
    host.session.renew(200.0)
    assert host.session.output() == b"" and host.session.next_line() is not None


def test_after_the_port_came_back_the_chain_goes_on():
    board, host = meeting()
    host.hear(b"".join(board.lines[:2]) + board.lines[2][:40])
    board.nonces += 1  # drawn for somebody else, meanwhile
    host.session.port_changed()
    host.hear(board.status())
    host.hear(b"".join(board.unacked()))
    assert host.stored == board.lines
    assert board.acked == 6


def test_noise_and_broken_lines_are_told_apart_from_status():
    board, host = meeting()
    broken = board.status().replace(b"IDLE", b"IDEL")
    host.hear(b"Traceback (most recent call last):\n" + broken + board.status())
    assert host.of(Noise)[-1].raw == b"Traceback (most recent call last):"
    assert [event.why for event in host.of(Bad)] == ["crc wrong"]
    assert isinstance(host.events[-1], Status)
