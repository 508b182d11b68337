"""Wagers over HTTP, against a real store, on a virtual clock."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from host_tools.settler.limits import Limit
from host_tools.settler.settle import Wager
from host_tools.store import listing
from host_tools.store.settling import wager_from
from host_tools.view import tokens, wagers
from tests.host.store.chain import DEV, HOIANA, Chain, at
from tests.host.wait import wait_until

SMALL = {"kind": "small", "stake_cents": 1000}
PAIR = {"kind": "combination", "selection": "6-1", "stake_cents": 500, "player": "Aroha"}


@pytest.fixture
def betting(view, board):
    """Bets are open in round 1, by a status of second 2; the clock stands there."""
    board.betting(batch=[])
    view.seconds = 2.0
    return view


def stored(store, number=1):
    return [(each.wager.wager_id, each.outcome) for each in store.list_wagers(DEV, number, None)]


@pytest.mark.parametrize(("by", "role"), [("desk", "wager"), ("pit", "supervisor")])
def test_a_token_tells_whose_it_is_and_its_role(view, by, role):
    assert view.ask("GET", "/api/token", by).json() == {"name": by, "role": role}
    assert view.ask("GET", "/api/token").status_code == 401


def test_a_batch_is_taken_as_it_was_given(betting, store):
    answer = betting.place(SMALL, PAIR)
    assert (answer.status_code, answer.json()) == (
        201,
        {
            "dev": DEV,
            "round": 1,
            "wagers": [
                {
                    "wager_id": "desk.k1.1", "player": "desk", "kind": "small", "selection": "", "stake_cents": 1000,
                    "accepted_at": "2026-03-01T12:00:02Z",
                },
                {
                    "wager_id": "desk.k1.2", "player": "Aroha", "kind": "combination", "selection": "1-6",
                    "stake_cents": 500, "accepted_at": "2026-03-01T12:00:02Z",
                },
            ],
        },
    )  # fmt: skip
    assert stored(store) == [("desk.k1.1", "open"), ("desk.k1.2", "open")]


def test_the_same_key_with_the_same_body_gives_the_same_answer_at_any_time(still, board, store):
    board.betting(batch=[])
    still.seconds = 2.0
    with still.serving():
        first = still.place(SMALL, PAIR)
        still.seconds = 2.5
        assert still.place(SMALL, PAIR).json() == first.json()
    board.take("bets_closed", 1, "dealer")
    still.seconds = 99.0
    with still.serving():  # another server
        again = still.place(SMALL, PAIR)
    assert (again.status_code, again.json()) == (201, first.json())
    assert len(stored(store)) == 2


@pytest.mark.parametrize("other", [[SMALL], [SMALL, PAIR, SMALL], [PAIR, SMALL], [SMALL, PAIR | {"stake_cents": 501}]])
def test_the_same_key_with_another_body_is_refused(betting, store, other):
    betting.place(SMALL, PAIR)
    answer = betting.place(*other)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert "Idempotency-Key was used for other wagers" in answer.json()["detail"]
    assert len(stored(store)) == 2


def test_a_key_names_one_batch_for_ever_so_in_the_next_round_it_is_refused(betting, board, store):
    assert betting.place(SMALL).status_code == 201
    board.take("bets_closed", 1, "dealer")
    board.take("uncovered", 1)
    board.take("result", 1, (1, 2, 3), 4)
    board.betting(2, batch=[])
    betting.seconds = float(board.seq)
    answer = betting.place(SMALL, number=2)
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        f"This Idempotency-Key was used for other wagers, in round 1 of board {DEV}: draw a new one for each batch.",
    )
    assert betting.place(SMALL, number=1).status_code == 201
    assert betting.place(SMALL, number=2, key="k2").status_code == 201
    assert (stored(store, 1), stored(store, 2)) == ([("desk.k1.1", "win")], [("desk.k2.1", "open")])


def test_a_key_that_another_view_of_the_store_used_meanwhile_takes_nothing(betting, board, store, monkeypatch):
    betting.place(SMALL)
    board.result(2, (1, 2, 3))
    board.betting(3, batch=[])
    betting.seconds = float(board.seq)
    look, looks = wagers._stored, []

    def too_early(*of):
        looks.append(of)
        return look(*of) if len(looks) > 1 else []

    monkeypatch.setattr(wagers, "_stored", too_early)
    assert betting.place(SMALL, number=3).status_code == 422
    assert stored(store, 3) == []


def test_after_a_restart_under_other_limits_a_retry_gets_the_answer_of_the_wager_that_was_taken(still, board, store):
    board.betting(batch=[])
    still.seconds = 2.0
    with still.serving():
        first = still.place(SMALL)
    with still.serving(paytable=replace(HOIANA, limits={"small": Limit(min_cents=5000)})):
        again = still.place(SMALL)
        assert (again.status_code, again.json()) == (201, first.json())
        assert still.place(SMALL | {"stake_cents": 999}).status_code == 422
        assert "minimum" in still.place(SMALL, key="k2").json()["detail"]
    assert stored(store) == [("desk.k1.1", "open")]


def test_when_its_board_was_replaced_a_desk_sees_its_wagers_and_a_retry_gets_its_answer(betting, board, store):
    first = betting.place(SMALL)
    betting.dev = "sim-0000000000b2-0001"
    new = Chain(store, betting.dev)
    store.enrol(betting.dev, "T1", at(5))
    new.take("boot", "0123456789abcdef", "1.28.0", "pico", "power", "production", DEV)
    wait_until(lambda: betting.ask("GET", "/api/state").json()["dev"] == betting.dev)
    again = betting.place(SMALL)
    assert (again.status_code, again.json()) == (201, first.json())
    assert [(each["wager_id"], each["outcome"], each["returned_cents"]) for each in betting.own()] == [
        ("desk.k1.1", "void", 1000)
    ]
    assert betting.place(PAIR).status_code == 422
    assert betting.place(SMALL, key="k2").status_code == 409
    new.betting(batch=[])
    betting.seconds = float(new.seq)
    assert betting.place(SMALL, dev=betting.dev).status_code == 422
    assert betting.place(SMALL, dev=betting.dev, key="k2").status_code == 201
    assert [each["wager_id"] for each in betting.own(dev=betting.dev)] == ["desk.k2.1"]


@pytest.mark.parametrize(("bodies", "statuses"), [([[SMALL]] * 6, {201}), ([[SMALL], [SMALL, PAIR]] * 3, {201, 422})])
def test_requests_under_one_key_at_the_same_moment_take_one_batch_and_get_its_answer(
    still, board, store, bodies, statuses
):
    board.betting(batch=[])
    still.seconds = 2.0
    with still.listening(), ThreadPoolExecutor(len(bodies)) as desks:
        together = Barrier(len(bodies))

        def place(body):
            together.wait()
            return still.place(*body)

        answers = list(desks.map(place, bodies))
    assert {answer.status_code for answer in answers} == statuses
    taken = [answer.json() for answer in answers if answer.status_code == 201]
    assert taken == [taken[0]] * (6 if len(statuses) == 1 else 3)
    assert [wager["wager_id"] for wager in taken[0]["wagers"]] == [wager_id for wager_id, _ in stored(store)]


def test_a_key_that_took_nothing_may_be_tried_again(betting, store):
    betting.seconds = 4.0
    assert betting.place(SMALL).status_code == 409
    betting.seconds = 2.0
    assert betting.place(SMALL).status_code == 201


def test_two_tokens_may_use_the_same_key_and_see_only_their_own(betting):
    assert betting.place(SMALL).status_code == betting.place(PAIR, by="other").status_code == 201
    assert [wager["wager_id"] for wager in betting.own()] == ["desk.k1.1"]
    assert [wager["wager_id"] for wager in betting.own("other")] == ["other.k1.1"]


@pytest.mark.parametrize(
    "headers", [{}, {"authorization": "Bearer"}, {"authorization": "Bearer x"}, {"authorization": "Basic ZGVzazpkZXNr"}]
)
def test_nobody_writes_or_lists_without_a_token(betting, store, headers):
    batch = {"dev": DEV, "round": 1, "wagers": [SMALL]}
    of_round = {"dev": DEV, "round": 1}
    for answer in (
        betting.ask("POST", "/api/wagers", json=batch, headers=headers | {"idempotency-key": "k1"}),
        betting.ask("GET", "/api/wagers", params=of_round, headers=headers),
        betting.ask("DELETE", "/api/wagers/desk.k1.1", params=of_round, headers=headers),
    ):
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert stored(store) == []


def test_a_supervisor_places_no_wagers(betting, store):
    answer = betting.place(SMALL, by="pit")
    assert (answer.status_code, stored(store)) == (403, [])
    assert "role wager is needed" in answer.json()["detail"]


def test_a_token_that_was_taken_back_is_refused_at_once(betting):
    assert betting.place(SMALL).status_code == 201
    tokens.revoke(betting.path, "desk")
    assert betting.place(SMALL, key="k2").status_code == 401
    assert betting.place(SMALL, by="other").status_code == 201


def test_one_millisecond_after_bets_closed_was_committed_a_wager_is_refused(betting, board, store):
    board.take("bets_closed", 1, "dealer", received_s=2.2, occurred_s=2.2)
    betting.seconds = 2.201
    answer = betting.place(SMALL)
    assert (answer.status_code, answer.headers["content-type"]) == (409, "application/problem+json")
    assert answer.json()["detail"] == (
        "No wager of this batch is taken in round 1: its bets are not open, the record in force is bets_closed; wait "
        "for the next round."
    )
    assert stored(store) == []


def test_a_wager_that_slipped_in_before_a_late_bets_closed_is_void_and_its_stake_goes_back(betting, board):
    """Bets were closed at 2.1 s; the record came at 2.4 s. What was taken between the two is late."""
    betting.seconds = 2.05
    betting.place(SMALL, key="intime")
    betting.seconds = 2.3
    assert betting.place(SMALL, key="late").status_code == 201
    board.take("bets_closed", 1, "dealer", received_s=2.4, occurred_s=2.1)
    assert [(each["wager_id"], each["outcome"], each["returned_cents"]) for each in betting.own()] == [
        ("desk.intime.1", "open", None),
        ("desk.late.1", "void", 1000),
    ]
    board.take("uncovered", 1)
    board.take("result", 1, (1, 2, 3), 4)
    assert [(each["outcome"], each["returned_cents"]) for each in betting.own()] == [("win", 2000), ("void", 1000)]


def test_the_lease_ends_over_http_too(betting):
    betting.seconds = 3.501
    answer = betting.place(SMALL)
    assert (answer.status_code, "1.501 s ago" in answer.json()["detail"]) == (409, True)


@pytest.mark.parametrize(
    ("wager", "said"),
    [
        (SMALL | {"stake_cents": 400}, "under the table's minimum"),
        (SMALL | {"stake_cents": 5500}, "over the table's maximum"),
        (SMALL | {"stake_cents": 750}, "not a multiple of 5.00"),
        ({"kind": "odd", "stake_cents": 500}, "does not cover odd"),
        ({"kind": "total", "selection": "3", "stake_cents": 500}, "a total from 4 to 17"),
        ({"kind": "red", "stake_cents": 500}, "kind 'red' is not one of"),
        (SMALL | {"player": "two\nlines"}, "printable"),
    ],
)
def test_a_wager_that_the_table_does_not_take_refuses_the_whole_batch(still, board, store, wager, said):
    limited = replace(HOIANA, limits={"all": Limit(500, 5000, 500)})
    board.betting(batch=[])
    still.seconds = 2.0
    with still.serving(paytable=limited):
        answer = still.place(SMALL, wager)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert said in answer.json()["detail"]
    assert stored(store) == []


@pytest.mark.parametrize("wager", [SMALL | {"stake_cents": 10.5}, SMALL | {"stake_cents": "1000"}, SMALL | {"x": 1},
                                   SMALL | {"stake_cents": 0}, SMALL | {"stake_cents": True}])  # fmt: skip
def test_a_body_that_is_not_as_documented_is_refused(betting, store, wager):
    assert betting.place(wager).status_code == 422
    assert stored(store) == []


def test_another_board_or_round_is_refused(betting, store):
    answer = betting.place(SMALL, dev="sim-0000000000b2-0001")
    assert (answer.status_code, "board of this table is" in answer.json()["detail"]) == (409, True)
    answer = betting.place(SMALL, number=2)
    assert (answer.status_code, "has not begun it" in answer.json()["detail"]) == (409, True)
    assert stored(store) == []


def test_an_own_wager_is_taken_back_while_bets_are_open(betting, board, store):
    betting.place(SMALL, PAIR)
    first = betting.withdraw("desk.k1.2")
    assert (first.status_code, first.json()["outcome"], first.json()["withdrawn_at"]) == (
        200, "withdrawn", "2026-03-01T12:00:02Z",
    )  # fmt: skip
    assert betting.withdraw("desk.k1.2").json() == first.json()
    board.take("bets_closed", 1, "dealer", occurred_s=3)
    late = betting.withdraw("desk.k1.1")
    assert (late.status_code, "bets are not open" in late.json()["detail"]) == (409, True)
    board.take("uncovered", 1)
    board.take("result", 1, (6, 6, 6), 4)
    assert [(each["outcome"], each["returned_cents"]) for each in betting.own()] == [("lose", 0), ("void", 500)]


def test_nobody_takes_back_the_wager_of_another(betting, store):
    betting.place(SMALL)
    assert betting.withdraw("desk.k1.1", by="other").status_code == 404
    assert betting.withdraw("desk.k1.9").status_code == 404
    assert stored(store) == [("desk.k1.1", "open")]


def test_the_name_of_who_took_it_back_is_kept(betting, store):
    betting.place(SMALL)
    betting.withdraw("desk.k1.1")
    (listed,) = store.list_wagers(DEV, 1, None)
    assert (listed.withdrawn_by, listed.withdrawn_at) == ("host:desk", at(2))


def test_a_withdrawal_behind_the_close_reads_open_before_the_dice_fall_and_keeps_when_it_was_asked(betting, board):
    betting.place(SMALL)
    betting.seconds = 2.3
    assert betting.withdraw("desk.k1.1").json()["outcome"] == "withdrawn"
    board.take("bets_closed", 1, "dealer", received_s=2.4, occurred_s=2.2)
    assert [(each["outcome"], each["withdrawn_at"]) for each in betting.own()] == [
        ("open", "2026-03-01T12:00:02.300000Z")
    ]


def test_the_list_of_a_token_and_taking_back_read_no_wager_of_others(betting, store, monkeypatch):
    store.place_wagers(
        DEV, 1, [Wager(f"x.{number}", "Ben", "big", "", 100) for number in range(300)], HOIANA, lambda: at(2)
    )
    betting.place(SMALL)
    read = []
    monkeypatch.setattr(listing, "wager_from", lambda row: read.append(row["wager_id"]) or wager_from(row))
    assert [each["wager_id"] for each in betting.own()] == ["desk.k1.1"]
    assert betting.withdraw("desk.k1.1").status_code == 200
    assert set(read) == {"desk.k1.1"}


def test_a_token_whose_name_begins_as_another_or_differs_in_case_alone_sees_only_its_own(betting):
    alike = ("Desk", "des", "desk-1", "desk_1")
    betting.token |= {name: tokens.make(betting.path, name, "wager") for name in alike}
    for name in ("desk", *alike):
        assert betting.place(SMALL, by=name).status_code == 201
    for name in ("desk", *alike):
        assert [each["wager_id"] for each in betting.own(name)] == [f"{name}.k1.1"]


def test_a_token_has_only_so_many_wagers_in_a_round_and_what_was_taken_is_answered_again(betting, store, monkeypatch):
    monkeypatch.setattr(wagers, "MOST_OF_ROUND", 3)
    first = betting.place(SMALL, PAIR)
    refused = betting.place(SMALL, PAIR, key="k2")
    assert (refused.status_code, refused.json()["detail"]) == (
        409, "No wager of this batch is taken in round 1: the token of desk may have 3 wagers in a round at most.",
    )  # fmt: skip
    assert betting.place(SMALL, key="k3").status_code == 201
    assert betting.place(SMALL, PAIR).json() == first.json()
    assert betting.place(SMALL, PAIR, by="other").status_code == 201
    assert len(stored(store)) == 5
