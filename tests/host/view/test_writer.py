"""What several people ask at one moment is written in one transaction, and each is answered for itself."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import event, insert, select, text
from sqlalchemy.exc import IntegrityError

from host_tools.errors import UserError
from host_tools.store import Refused, Store
from host_tools.store import database as databases
from host_tools.store.database import Database
from host_tools.store.schema import wagers
from host_tools.store.wagers import place
from host_tools.view.writer import Writer
from tests.host.store.chain import BIG, DEV, HOIANA, SMALL, Chain, at
from tests.host.wait import wait_until


@pytest.fixture
def impatient(monkeypatch):
    """Stores that are opened now do not wait for another writer."""
    monkeypatch.setattr(databases, "BUSY_TIMEOUT_S", 0)


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


class Steady:
    """A clock that each look at it moves on; who sleeps has `slept` called, and wakes when he wanted."""

    def __init__(self, step_s, slept=lambda: None):
        self.now_s, self.sleeps_s, self._step_s, self._slept = 0.0, [], step_s, slept

    def steady(self):
        self.now_s += self._step_s
        return self.now_s

    def sleep(self, seconds):
        self._slept()
        self.sleeps_s.append(seconds)
        self.now_s += seconds


def test_what_does_not_fit_into_a_tenth_of_a_second_waits_for_the_next_transaction(database, store, board, commits):
    board.betting(batch=[])
    clock = Steady(0.03)
    writer = Writer(database, lambda: at(2), clock.steady, clock.sleep)
    many = [SMALL._replace(wager_id=f"W{n}") for n in range(7)]
    assert set(together(writer, [placing(wager, lambda: at(2)) for wager in many])) == {None}
    assert len(stored(store)) == 7
    assert len(commits) == 3


def test_between_two_transactions_a_run_that_does_not_wait_at_all_can_write(url, database, store, board, impatient):
    """It is long enough for SQLite, which looks again in steps of up to 100 ms."""
    board.betting(batch=[])
    run = Store.open(url)
    clock = Steady(0.03, lambda: run.update_live(DEV, 1, "BETTING", 1, None, at(2)))
    writer = Writer(database, lambda: at(2), clock.steady, clock.sleep)
    together(writer, [placing(SMALL._replace(wager_id=f"W{n}"), lambda: at(2)) for n in range(7)])
    run.close()
    assert len(stored(store)) == 7
    assert len(clock.sleeps_s) == 2
    assert all(0.08 <= slept_s <= 0.12 for slept_s in clock.sleeps_s)


def test_one_that_comes_later_waits_for_nobody(database, store, board):
    board.betting(batch=[])
    clock = Steady(0.0)
    writer = Writer(database, lambda: at(2), clock.steady, clock.sleep)
    writer.do(DEV, 1, placing(SMALL, lambda: at(2)))
    clock.now_s += 1
    writer.do(DEV, 1, placing(BIG, lambda: at(2)))
    assert clock.sleeps_s == []


def test_when_the_lease_ends_behind_them_none_is_taken(database, store, board):
    """The process was stopped after each had been found good."""
    board.betting(batch=[])
    answers = together(Writer(database, lambda: at(3.501)), [placing(each, lambda: at(2)) for each in (SMALL, BIG)])
    assert all(isinstance(answer, Refused) and "1.501 s ago" in str(answer) for answer in answers)
    assert stored(store) == []


def test_a_fault_in_one_is_nobody_elses_and_leaves_nothing(database, store, board):
    board.betting(batch=[])

    def faulty(connection):
        placing(SMALL._replace(wager_id="W8"), lambda: at(2))(connection)
        raise KeyError("a fault of the program")

    def twice(connection):
        connection.execute(
            insert(wagers), [{**row, "wager_id": "W9"} for row in connection.execute(select(wagers)).mappings()] * 2
        )

    works = [placing(SMALL, lambda: at(2)), faulty, twice, placing(BIG, lambda: at(2))]
    answers = together(Writer(database, lambda: at(2)), works)
    assert [type(answer) for answer in answers] == [type(None), KeyError, IntegrityError, type(None)]
    assert stored(store) == ["W1", "W2"]


def test_a_store_that_fails_fails_for_all_who_were_written_with_it_and_the_next_begin_anew(database, store, board):
    """Its transaction may be over: what came behind would be written without one."""
    board.betting(batch=[])

    def broken(connection):
        connection.execute(text("ROLLBACK"))  # as SQLite does when its disk is full
        connection.execute(text("SELECT * FROM nothing"))

    works = [placing(SMALL, lambda: at(2)), broken, placing(BIG, lambda: at(2))]
    answers = together(Writer(database, lambda: at(2)), works)
    assert [type(answer) for answer in answers] == [UserError, UserError, type(None)]
    assert [str(answer) for answer in answers[:2] if "is damaged" not in str(answer)] == []
    assert stored(store) == ["W2"]


def test_a_store_that_is_held_by_another_program_fails_for_all_who_wait(url, store, board, impatient):
    board.betting(batch=[])
    other, mine = Database(url, make=False), Database(url, make=False)
    with other.writing():
        answers = together(Writer(mine, lambda: at(2)), [placing(each, lambda: at(2)) for each in (SMALL, BIG)])
    assert [("is busy" in str(answer), type(answer)) for answer in answers] == [(True, UserError)] * 2
    other.close()
    mine.close()


def test_no_wager_is_taken_at_the_table_once_the_file_of_the_store_was_removed(tmp_path):
    run = Store.open(f"sqlite:///{tmp_path}/t.db")
    run.enrol(DEV, "T1", at(0))
    Chain(run).betting(batch=[])
    with closing(Database(f"sqlite:///{tmp_path}/t.db", make=False)) as view:
        writer = Writer(view, lambda: at(2))
        writer.do(DEV, 1, placing(SMALL, lambda: at(2)))
        (tmp_path / "t.db").unlink()
        with pytest.raises(UserError, match="was removed, moved or replaced"):
            writer.do(DEV, 1, placing(BIG, lambda: at(2)))
    run.close()
