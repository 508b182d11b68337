"""What several people ask at one moment is written in one transaction, and each is answered for itself."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event

from host_tools.errors import UserError
from host_tools.store import Refused
from host_tools.store.wagers import place
from host_tools.view.writer import MOST_AT_ONCE, Writer
from tests.host.store.chain import BIG, DEV, HOIANA, SMALL, at
from tests.host.view.wait import wait_until


@pytest.fixture
def commits(database):
    """Grows with each commit."""
    seen = []
    event.listen(database.engine, "commit", seen.append)
    return seen


def placing(wager, clock):
    return lambda connection: place(connection, DEV, 1, [wager], HOIANA, clock)


def stored(store):
    return sorted(each.wager.wager_id for each in store.list_wagers(DEV, 1, None))


def together(writer, works):
    """All of them asked before the first is written -> what each raised, None for nothing."""

    def ask(work):
        try:
            writer.do(DEV, 1, work)
        except Exception as error:
            return error
        return None

    with ThreadPoolExecutor(len(works)) as people:
        with writer._writing:
            asked = [people.submit(ask, work) for work in works]
            wait_until(lambda: len(writer._waiting) == len(works))
        return [each.result() for each in asked]


def test_those_who_ask_together_share_one_transaction_and_one_refusal_is_nobody_elses(database, store, board, commits):
    board.betting(batch=[])
    writer = Writer(database, lambda: at(2))
    bad = BIG._replace(wager_id="W9", kind="odd")
    answers = together(writer, [placing(wager, lambda: at(2)) for wager in (SMALL, bad, BIG)])
    assert [type(answer) for answer in answers] == [type(None), Refused, type(None)]
    assert stored(store) == ["W1", "W2"]
    assert len(commits) == 1


def test_more_than_go_together_are_all_written(database, store, board, commits):
    board.betting(batch=[])
    writer = Writer(database, lambda: at(2))
    many = [SMALL._replace(wager_id=f"W{n}") for n in range(MOST_AT_ONCE + 5)]
    assert set(together(writer, [placing(wager, lambda: at(2)) for wager in many])) == {None}
    assert len(stored(store)) == MOST_AT_ONCE + 5
    assert len(commits) == 2


def test_when_the_lease_ends_behind_them_none_is_taken(database, store, board):
    """The process was stopped after each had been found good."""
    board.betting(batch=[])
    answers = together(Writer(database, lambda: at(3.501)), [placing(each, lambda: at(2)) for each in (SMALL, BIG)])
    assert all(isinstance(answer, Refused) and "1.501 s ago" in str(answer) for answer in answers)
    assert stored(store) == []


def test_a_store_that_fails_fails_for_all_of_them(database, store, board):
    board.betting(batch=[])

    def broken(_):
        raise UserError("The disk is full.")

    answers = together(Writer(database, lambda: at(2)), [placing(SMALL, lambda: at(2)), broken])
    assert [str(answer) for answer in answers] == ["The disk is full."] * 2
    assert stored(store) == []
    Writer(database, lambda: at(2)).do(DEV, 1, placing(SMALL, lambda: at(2)))
    assert stored(store) == ["W1"]
