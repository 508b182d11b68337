"""The dealer's hands over HTTP: each does what its name says at the rig, and a real board has none."""

import socket
from contextlib import ExitStack
from threading import Event

import pytest

from host_tools.errors import UserError
from host_tools.rig import server
from host_tools.rig.server import RigServer
from host_tools.view import hands as hands_room
from host_tools.view.app import THREADS
from tests.host.store.chain import DEV
from tests.host.wait import no_thread_is_left


class Hands:
    """What is asked of a rig, in its order; the dice lie there while the cover is open."""

    def __init__(self):
        self.did = []
        self.seen = {"relay": False, "display": "BETS", "lamp": "on", "buzzer": False, "beeps": 3, "cover_open": False,
                     "supervisor_on": False, "drum_turns": False, "t_ms": 0}  # fmt: skip

    def call(self, do, args):
        if do == "dice":
            if not self.seen["cover_open"]:
                raise UserError("The cover is shut.")
            return [6, 1, 3]
        if do == "cover":
            self.seen["cover_open"] = args["is_open"]
        if do == "supervisor":
            self.seen["supervisor_on"] = args["on"]
        if do not in ("read", "step"):
            self.did.append((do, *args.values()))
        return self.seen


@pytest.fixture
def hands(still, tmp_path):
    made = Hands()
    with RigServer(made.call, tmp_path / "rig.sock") as rig, still.serving(rig=rig.path):
        yield made


@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5", "6", "entry", "spin", "no_more_bets"])
def test_a_key_is_tapped(hands, still, key):
    assert still.ask("POST", "/api/sim/keys", json={"key": key}).status_code == 200
    assert hands.did == [("press", key), ("release", key)]


def test_cover_and_supervisor_key_are_set(hands, still):
    for key, on in (("supervisor", True), ("cover", True), ("cover", False)):
        assert still.ask("POST", "/api/sim/keys", json={"key": key, "on": on}).status_code == 200
    assert hands.did == [("supervisor", True), ("cover", True), ("cover", False)]


def test_where_the_supervisor_key_stands_is_told_whoever_turned_it(hands, still):
    told = [still.ask("GET", "/api/sim/table").json()["supervisor_on"]]
    hands.call("supervisor", {"on": True})
    told.append(still.ask("GET", "/api/sim/table").json()["supervisor_on"])
    assert told == [False, True]


def test_the_dice_are_seen_only_while_the_cover_is_open_and_the_drum_at_rest(hands, still):
    def dice():
        return still.ask("GET", "/api/sim/table").json()["dice"]

    assert dice() is None
    still.ask("POST", "/api/sim/keys", json={"key": "cover", "on": True})
    assert dice() == [6, 1, 3]
    hands.seen["drum_turns"] = True
    assert dice() is None


@pytest.mark.parametrize("body", [{"key": "cover"}, {"key": "spin", "on": True}, {"key": "estop"}, {"key": 1}, {}])
def test_another_hand_is_refused(hands, still, body):
    assert still.ask("POST", "/api/sim/keys", json=body).status_code == 422
    assert hands.did == []


def test_a_page_of_another_site_cannot_work_the_keys(hands, still):
    for headers in ({"origin": "https://evil.example"}, {"content-type": "text/plain"}):
        refused = still.ask("POST", "/api/sim/keys", content='{"key": "spin"}', headers=headers)
        assert refused.status_code in (403, 422)
    assert hands.did == []


@pytest.mark.parametrize(
    "headers", [{"host": "t1.example"}, {"x-forwarded-for": "192.0.2.1"}, {"forwarded": "for=192.0.2.1"}]
)
def test_from_another_computer_the_keys_take_a_supervisor(hands, still, headers):
    """As the name that is asked for tells, or a proxy."""
    for by, status in ((None, 401), ("desk", 403), ("pit", 200)):
        assert still.ask("GET", "/api/sim/table", by, headers=headers).status_code == status
        assert still.ask("POST", "/api/sim/keys", by, json={"key": "spin"}, headers=headers).status_code == status
    assert hands.did == [("press", "spin"), ("release", "spin")]


def test_from_another_address_the_keys_take_a_supervisor(hands, still):
    still.client._transport.client = ("192.0.2.1", 1)
    assert still.ask("POST", "/api/sim/keys", json={"key": "spin"}).status_code == 401
    assert hands.did == []


def test_the_layout_says_whether_there_are_keys(hands, still):
    assert still.ask("GET", "/api/layout").json()["sim_keys"] is True


def test_a_real_board_has_no_such_paths(view):
    assert view.ask("GET", "/api/layout").json()["sim_keys"] is False
    assert view.ask("POST", "/api/sim/keys", json={"key": "spin"}).status_code in (404, 405)
    assert view.ask("GET", "/api/sim/table").status_code == 404
    assert not [path for path in view.ask("GET", "/api/openapi.json").json()["paths"] if "sim" in path]


def test_a_rig_that_is_gone_is_no_fault_of_the_server(still, tmp_path, capfd):
    with still.serving(rig=tmp_path / "gone.sock"):
        assert still.ask("GET", "/api/sim/table").status_code == 503
    assert "No rig answers" in capfd.readouterr().err


@pytest.fixture
def hung(tmp_path):
    """The socket of a rig whose board hangs."""
    asked, over = Event(), Event()

    def hang(*_):
        asked.set()
        over.wait()

    with RigServer(hang, tmp_path / "rig.sock") as rig:
        rig.asked = asked
        yield rig
        over.set()


@pytest.mark.parametrize(("room", "limit"), [(server, "ANSWER_S"), (hands_room, "LIMIT_S")])
def test_a_board_that_hangs_is_said_so_in_time(still, hung, monkeypatch, capfd, room, limit):
    monkeypatch.setattr(room, limit, 0.1)
    with still.serving(rig=hung.path):
        assert still.ask("GET", "/api/sim/table").status_code == 503
        assert still.ask("POST", "/api/sim/keys", json={"key": "spin"}).status_code == 503
    assert "does not answer: its board hangs" in capfd.readouterr().err


def test_a_tap_that_was_given_up_is_not_gone_on_with_once_the_board_answers(still, tmp_path, monkeypatch):
    monkeypatch.setattr(hands_room, "LIMIT_S", 0.1)
    made, go_on = Hands(), Event()

    def slow(do, args):
        go_on.wait(20)
        return made.call(do, args)

    # That of the connection to the rig, which is closed behind the last that is asked for.
    with RigServer(slow, tmp_path / "rig.sock") as rig, still.serving(rig=rig.path), no_thread_is_left("Thread-"):
        assert still.ask("POST", "/api/sim/keys", json={"key": "spin"}).status_code == 503
        go_on.set()
    assert made.did in ([], [("press", "spin")])


def test_a_board_that_hangs_holds_up_no_other_request_and_not_the_end(still, hung, monkeypatch):
    monkeypatch.setattr(server, "ANSWER_S", 60)
    with ExitStack() as waiting, no_thread_is_left("AnyIO worker"), still.listening(rig=hung.path):
        url = still.client.base_url
        for _ in range(2 * THREADS):
            one = waiting.enter_context(socket.create_connection((url.host, url.port)))
            one.sendall(b"GET /api/sim/table HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert hung.asked.wait(20)
        answer = still.ask("GET", "/api/wagers", "desk", params={"dev": DEV, "round": 1})
        assert answer.status_code == 200
