"""The server as a process: killed, started again, and interrupted while people watch."""

import time

import httpx2
import pytest

from tests.host.store.chain import DEV, at
from tests.host.view.conftest import events
from tests.host.view.process import Server


@pytest.fixture
def server(url, board, tmp_path):
    made = Server(url, DEV, tmp_path)
    yield made
    made.kill()


def watch(client, server, last_id=None):
    headers = {} if last_id is None else {"last-event-id": str(last_id)}
    return client.stream("GET", f"{server.url}/api/events", headers=headers)


def test_after_kill_9_and_a_restart_a_viewer_comes_back_to_the_right_state(server, board):
    with httpx2.Client(timeout=20) as client:
        board.betting(batch=[])
        with watch(client, server) as answer:
            told = events(answer.iter_lines())
            last_id = next(told_id for told_id, state in told if state["in_force"] == "1:2")
            server.kill()
            with pytest.raises(httpx2.HTTPError):
                for _ in told:
                    pass
        for kind, *values in (("bets_closed", 1, "dealer"), ("uncovered", 1), ("result", 1, (6, 1, 3), 4)):
            board.take(kind, *values)  # while nobody looks
        server.start()
        with watch(client, server, last_id) as answer:
            told = events(answer.iter_lines())
            next_id, state = next(told)
            assert (state["in_force"], state["result"]["call"]) == ("1:5", "1, 3, 6, total 10")
            assert next_id > last_id
            board.correct(1, (6, 1, 4))
            assert next(told)[1]["result"]["mark"] == "corrected"


def test_ctrl_c_ends_open_streams_at_once(server, store):
    store.update_live(DEV, 1, "IDLE", 0, None, at(0))
    with httpx2.Client(timeout=20) as client, watch(client, server) as answer:
        told = events(answer.iter_lines())
        next(told)
        began_s = time.monotonic()
        assert server.interrupt() == (0, "")
        for _ in told:  # what was under way, and then an end in order: one that is broken off raises
            pass
        assert time.monotonic() - began_s < 5
