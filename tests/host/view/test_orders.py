"""Orders over HTTP: queued for the run of the board, and followed to their end."""

import pytest

from tests.host.store.chain import DEV, at

VOID = {"verb": "void", "dev": DEV, "round": 1, "boot": 1, "seq": 5, "reason": "dispute"}


def test_a_void_is_queued_by_its_name_and_told_as_the_board_answers_it(view, store):
    view.seconds = 7.0
    answer = view.ask("POST", "/api/orders", "pit", json=VOID)
    assert answer.status_code == 202
    order = answer.json()
    assert (order["state"], order["by"], order["says"]) == ("queued", "host:pit", "waits for `tumbler run`")
    command = store.next_command(DEV, at(8))
    assert (command.id, command.verb, command.round, command.ref_boot, command.ref_seq, command.reason) == (
        order["id"], "void", 1, 1, 5, "dispute",
    )  # fmt: skip
    store.mark_sent(command.id, "0" * 16, 1)
    store.answer_command("0" * 16, 1, False, "not_in_force", at(8))
    ended = view.ask("GET", f"/api/orders/{order['id']}", "pit").json()
    assert (ended["state"], ended["answer"]) == ("refused", "not_in_force")
    assert ended["says"].startswith("refused by the board (not_in_force): another record is in force")


@pytest.mark.parametrize(
    "body",
    [
        {**VOID, "verb": "correct", "dice": [1, 3, 6], "reason": "wrong_entry"},
        {"verb": "clear", "dev": DEV, "round": 1, "boot": 1, "seq": 5},
    ],
)
def test_corrections_and_clears_are_queued(view, store, body):
    assert view.ask("POST", "/api/orders", "pit", json=body).status_code == 202
    command = store.next_command(DEV, at(0))
    assert (command.verb, command.dice and list(command.dice)) == (body["verb"], body.get("dice"))


@pytest.mark.parametrize(
    "body",
    [
        {**VOID, "reason": None},
        {**VOID, "dice": [1, 2, 3]},
        {**VOID, "verb": "correct"},
        {**VOID, "verb": "correct", "dice": [1, 2]},
        {**VOID, "verb": "correct", "dice": [1, 2, 7]},
        {**VOID, "verb": "maintenance"},
        {**VOID, "verb": "go_on"},
        {**VOID, "reason": "power_lost"},
    ],
)
def test_an_order_that_could_not_be_sent_is_refused(view, store, body):
    assert view.ask("POST", "/api/orders", "pit", json=body).status_code == 422
    assert store.last_commands(None, 1) == []


@pytest.mark.parametrize(("by", "status"), [(None, 401), ("desk", 403)])
def test_only_a_supervisor_orders(view, store, by, status):
    assert view.ask("POST", "/api/orders", by, json=VOID).status_code == status
    assert view.ask("GET", "/api/orders/1", by).status_code == status
    assert store.last_commands(None, 1) == []


def test_an_order_for_another_board_is_neither_taken_nor_shown(view, store):
    other = "sim-0000000000b2-0001"
    assert view.ask("POST", "/api/orders", "pit", json={**VOID, "dev": other}).status_code == 409
    number = store.queue_command(other, "clear", "host:anna", at(0), round=1, ref_boot=1, ref_seq=1)
    assert view.ask("GET", f"/api/orders/{number}", "pit").status_code == 404


def test_an_order_that_nobody_sent_is_told_as_expired(view):
    number = view.ask("POST", "/api/orders", "pit", json=VOID).json()["id"]
    view.seconds = 61.0
    assert view.ask("GET", f"/api/orders/{number}", "pit").json()["says"] == "expired, it never reached the board"
