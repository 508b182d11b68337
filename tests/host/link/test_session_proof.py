"""A board proves that it is there now: a recording, another key and a lost proof."""

from host_tools.link.events import NOTHING, Alarm, Hello
from host_tools.link.session import ASK_AGAIN_S, UNPROVEN_QUESTIONS, Session
from tests.host.link.fake_board import KEY, FakeBoard
from tests.host.link.session_host import Host, meeting


def played():
    """A board with one round."""
    board = FakeBoard()
    board.start()
    board.play(1)
    return board


def recording():
    """Every byte that a board once said to a host, welcomed and acked."""
    board = played()
    session = Session()
    said = board.status()
    session.feed(said, 1)
    said += board.hear(session.output())
    return said + b"".join(board.lines) + board.status("BETTING", 1)


def test_a_recording_that_is_played_back_gives_neither_record_nor_status():
    session = Session()
    said = recording()
    events = session.feed(said, 1)
    (hello,) = [event for event in events if isinstance(event, Hello)]
    assert session.accept(hello, KEY, NOTHING) == []
    sent = session.output()
    assert session.feed(said, 2) == [] and session.feed(said, 3) == []
    assert b"hello?" in sent and b"welcome" not in sent + session.output()


def test_what_never_proves_that_it_is_there_is_an_alarm():
    said = recording()
    session = Session()
    events = []
    for n in range(UNPROVEN_QUESTIONS + 3):
        for event in session.feed(said, n * (ASK_AGAIN_S + 1)):
            events.append(event)
            if isinstance(event, Hello) and session.dev is None:
                session.accept(event, KEY, NOTHING)
        session.tick(n * (ASK_AGAIN_S + 1))
        session.output()
    assert [event.code for event in events if isinstance(event, Alarm)] == ["no_proof"]


def test_a_board_with_another_key_is_not_welcomed_and_an_alarm():
    board = played()
    board.key = bytes(32)
    host = Host(board)
    host.hear(board.status())
    for _ in range(UNPROVEN_QUESTIONS + 1):
        host.wait(ASK_AGAIN_S)
    assert host.alarms() == ["no_proof"]
    assert board.heard == []


def test_a_proof_that_was_lost_is_asked_for_again():
    board = played()
    host = Host(board)
    host.session.feed(board.status(), host.now)
    hello = board.hear(host.session.output()).split(b"\n")[0] + b"\n"
    host.hear(hello + board.lines[0])
    assert host.stored == [] and board.heard == []
    host.wait(ASK_AGAIN_S)
    host.hear(b"".join(board.unacked()))
    assert host.stored == board.lines and host.alarms() == []


def test_after_the_port_came_back_nothing_is_taken_before_a_new_proof():
    board, host = meeting()
    host.session.port_changed()
    assert host.session.feed(board.lines[0] + board.status("BETTING", 1), host.now) == []
    host.hear(board.hear(host.session.output()))
    host.hear(b"".join(board.unacked()))
    assert host.stored == board.lines


def test_a_start_of_the_board_asks_for_a_new_proof():
    board, host = meeting()
    host.hear(b"".join(board.lines))
    board.start(boot=2)
    assert [type(e) for e in host.session.feed(board.hello() + board.unacked()[0], host.now)] == []
    host.hear(board.hear(host.session.output()))
    host.hear(b"".join(board.unacked()))
    assert host.stored == board.lines


def test_each_question_has_a_challenge_of_its_own():
    session = Session()
    session.feed(FakeBoard().status(), 0)
    first = session.output()
    session.tick(ASK_AGAIN_S)
    assert first != session.output() != b""
