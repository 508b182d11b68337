"""The stream of states over a real port: each new one, in its order, and on after a break."""

import socket

import httpx2
import pytest
from sqlalchemy import insert, select

from host_tools.store.schema import records
from host_tools.view import connections, hub, serve
from host_tools.view.reading import Reader
from tests.host.store.chain import DEV, at
from tests.host.view.conftest import events
from tests.host.wait import wait_until


@pytest.fixture
def again(monkeypatch):
    """A hub that lost its table looks again soon."""
    monkeypatch.setattr(hub, "TRY_AGAIN_S", 0.02)


@pytest.fixture
def listening(still):
    with still.listening():
        yield still


def stream(view, last_id=None, client=None):
    headers = {} if last_id is None else {"last-event-id": str(last_id)}
    return (client or view.client).stream("GET", "/api/events", headers=headers)


def test_a_stream_begins_with_the_present_state_and_goes_on_with_each_new_one(listening, store, board):
    board.uncovered(batch=[])
    store.update_live(DEV, 1, "UNCOVERED", 1, None, at(0))
    with stream(listening) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        told = events(answer.iter_lines())
        first, state = next(told)
        while state["board"]["says"] != "UNCOVERED":
            first, state = next(told)
        store.update_live(DEV, 1, None, 1, (6, 1, 3), at(0))
        second, pressed = next(told)
        board.take("result", 1, (6, 1, 3), 4)
        third, result = next(told)
    assert [each["state"] for each in (state, pressed, result)] == ["uncovered", "uncovered", "result"]
    assert (state["numbers"], pressed["numbers"], pressed["result"]) == ([], [6, 1, 3], None)
    assert result["result"]["call"] == "1, 3, 6, total 10"
    assert first < second < third


def test_a_viewer_that_comes_back_gets_what_it_missed(listening, store):
    with stream(listening) as answer, stream(listening) as other:
        (last_id, _), watching = next(events(answer.iter_lines())), events(other.iter_lines())
        next(watching)
        told = []
        for number in (1, 2, 3):  # each is told to one viewer, so that none of them is passed over
            store.update_live(DEV, number, "IDLE", 0, None, at(0))
            told.append(next(watching))
    assert [state["board"]["boot"] for _, state in told] == [1, 2, 3]
    with stream(listening, last_id) as answer:
        missed = events(answer.iter_lines())
        assert [next(missed) for _ in told] == told
    with stream(listening, told[1][0]) as answer:
        assert next(events(answer.iter_lines())) == told[2]


def test_an_event_that_is_not_known_here_gives_the_present_state_alone(listening, store):
    with stream(listening) as answer:
        told = events(answer.iter_lines())
        next(told)
        store.update_live(DEV, 1, "IDLE", 0, None, at(0))
        present = next(told)
    with stream(listening, 12345) as answer:
        told = events(answer.iter_lines())
        assert next(told) == present
        store.update_live(DEV, 2, "IDLE", 0, None, at(0))
        following = next(told)
        assert (following[1]["board"]["boot"], following[0] > present[0]) == (2, True)


@pytest.mark.parametrize("last_id", ["x", "-1", "1.5", "9" * 30])
def test_an_event_id_that_is_none_is_refused(view, last_id):
    assert view.ask("GET", "/api/events", headers={"last-event-id": last_id}).status_code == 422


def test_ids_rise_over_a_restart(still, store):
    with still.listening(), stream(still) as answer:
        before, _ = next(events(answer.iter_lines()))
    with still.listening(), stream(still, before) as answer:
        after, state = next(events(answer.iter_lines()))
    assert after > before
    assert state["state"] == "away"


def test_a_board_that_falls_silent_is_told_as_away(listening, store):
    store.update_live(DEV, 1, "IDLE", 0, None, at(0))
    with stream(listening) as answer:
        told = (state["state"] for _, state in events(answer.iter_lines()))
        assert next(state for state in told if state == "idle")
        listening.seconds = 3.1
        assert next(told) == "away"


@pytest.mark.parametrize("most", ["MOST_VIEWERS", "MOST_OF_ADDRESS"])
def test_more_viewers_than_there_is_room_for_are_told_to_come_back(still, monkeypatch, most):
    monkeypatch.setattr(hub, most, 1)
    with still.listening(), stream(still) as first:
        told = events(first.iter_lines())  # held, else the stream is closed
        next(told)
        refused = still.client.get("/api/events")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert still.client.get("/api/state").status_code == 200
        first.close()
        wait_until(lambda: watches(still))


def watches(view):
    """Whether there is room for one more viewer."""
    with stream(view) as answer:
        return answer.status_code == 200


def test_viewers_of_one_address_take_no_place_of_another(still, monkeypatch):
    monkeypatch.setattr(hub, "MOST_OF_ADDRESS", 1)
    with still.listening(), stream(still) as first:
        next(events(first.iter_lines()))
        way = httpx2.HTTPTransport(local_address="127.0.0.2")
        with (
            httpx2.Client(base_url=still.client.base_url, transport=way) as client,
            stream(still, client=client) as other,
        ):
            assert other.status_code == 200


def test_who_reads_nothing_is_dropped_and_the_others_get_every_event(still, store, monkeypatch):
    """A real connection with small buffers, whose other end asks for the events and goes to sleep."""
    monkeypatch.setattr(serve, "SEND_BYTES", 4096)
    monkeypatch.setattr(connections, "STALLED_S", 0.3)
    monkeypatch.setattr(hub, "MOST_VIEWERS", 2)
    with still.listening(), stream(still) as answer, socket.socket() as asleep:
        watching = events(answer.iter_lines())
        next(watching)
        url = still.client.base_url
        asleep.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asleep.connect((url.host, url.port))
        asleep.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        wait_until(lambda: not watches(still))
        told, boot = [], 0
        while not watches(still):
            boot += 1
            assert boot < 300, "it is never dropped"
            store.update_live(DEV, boot, "IDLE", 0, None, at(0))
            told.append(next(watching)[1]["board"]["boot"])
        assert told == list(range(1, boot + 1))


def test_a_fault_of_the_program_in_the_looking_is_told_as_away_until_it_is_over(
    again, still, store, board, monkeypatch, capfd
):
    faults = {}

    class Faulty(Reader):
        def read(self, now):
            return faults["nothing"] if faults else super().read(now)

    monkeypatch.setattr(serve, "Reader", Faulty)
    board.betting(batch=[])
    store.update_live(DEV, 1, "BETTING", 1, None, at(0))
    with still.listening(), stream(still) as answer:
        told = ((state["state"], state["wagers_open"]) for _, state in events(answer.iter_lines()))
        assert ("place_bets", True) in told
        faults["there"] = "one"
        assert next(told) == ("away", False)
        faults.clear()
        assert next(told) == ("place_bets", True)
    said = capfd.readouterr().err
    assert said == "The view cannot read the table (KeyError: 'nothing'): report it, please.\n"


@pytest.mark.parametrize("line", ["{}", "overwritten", "caf\u00e9"])
def test_a_record_that_was_overwritten_is_told_as_away_and_as_a_damaged_store(
    again, listening, store, board, database, capfd, line
):
    board.betting(batch=[])
    store.update_live(DEV, 1, "BETTING", 1, None, at(0))
    with stream(listening) as answer:
        told = (state["state"] for _, state in events(answer.iter_lines()))
        assert "place_bets" in told
        with database.writing() as connection:
            last = connection.execute(select(records).order_by(records.c.seq.desc()).limit(1)).mappings().one()
            values = {**last, "seq": last["seq"] + 1, "kind": "boot", "line": line}
            connection.execute(insert(records).values({each: values[each] for each in values if each != "id"}))
        assert next(state for state in told if state != "place_bets") == "away"
    assert "is damaged: end every program that uses it" in capfd.readouterr().err
