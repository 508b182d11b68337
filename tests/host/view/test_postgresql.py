"""The view on PostgreSQL: a round is followed, a wager taken, taken back, and listed."""

import pytest

from tests.host.store.chain import DEV, at
from tests.host.view.conftest import events


@pytest.fixture
def url(postgresql_url):
    return postgresql_url


def test_a_round_on_postgresql(still, store, board):
    with still.listening(), still.client.stream("GET", "/api/events") as answer:
        told = events(answer.iter_lines())
        assert next(told)[1]["state"] == "away"
        board.betting(batch=[])
        still.seconds = 2.0
        state = next(state for _, state in told if state["wagers_open"])
        assert (state["state"], state["round"]) == ("place_bets", 1)
        assert still.place({"kind": "small", "stake_cents": 1000}).status_code == 201
        first = still.place({"kind": "big", "stake_cents": 500}, key="k2")
        assert still.place({"kind": "big", "stake_cents": 500}, key="k2").json() == first.json()
        assert still.withdraw("desk.k2.1").status_code == 200
        board.take("bets_closed", 1, "dealer", occurred_s=3)
        assert still.place({"kind": "big", "stake_cents": 500}, key="k3").status_code == 409
        board.take("uncovered", 1)
        store.update_live(DEV, 1, None, 1, (6, 1, 3), at(0))
        assert next(state for _, state in told if state["numbers"])["result"] is None
        board.take("result", 1, (6, 1, 3), 4)
        result = next(state["result"] for _, state in told if state["result"])
        assert (result["call"], result["side"]) == ("1, 3, 6, total 10", "small")
    with still.serving():
        assert [(each["outcome"], each["returned_cents"]) for each in still.own()] == [("win", 2000), ("void", 500)]
