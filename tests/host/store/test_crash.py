"""The host dies at every statement of a transaction: after the next start it is there exactly once, or not at all."""

import functools
import os
import shutil
import sys
from itertools import count

import pytest
from sqlalchemy import Engine, event

from host_tools.store import Store
from host_tools.store.rows import InForce
from tests.host.store.chain import BATCH, DEV, HOIANA, SETTLER, Chain, at, figures
from tests.host.store.test_ingest import contents

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
SURVIVED, KILLED = 0, 9


def in_child_that_dies(fatal, work):
    """Do `work` in a child that dies before statement number `fatal`, a commit counting as one -> its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        left = fatal

        def die(*_):
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(KILLED)

        event.listen(Engine, "before_cursor_execute", die)
        event.listen(Engine, "commit", die)
        work()
        status = SURVIVED
    finally:
        os._exit(status)


def deaths(anew, work):
    """Every way to die: yields the URL of the store after each, until the work gets through without dying."""
    fatal = 0
    while True:
        fatal += 1
        url = anew()
        status = in_child_that_dies(fatal, functools.partial(work, url))
        assert status in (SURVIVED, KILLED)
        yield url
        if status == SURVIVED:
            return


@pytest.fixture
def prepared(url, tmp_path, request):
    """What gives the URL of a closed store, another or a new one each time, made ready by functions of the test, and
    its board."""

    def make(*steps):
        def fill(filled):
            store = Store.open(filled)
            board = Chain(store)
            for step in steps:
                step(board)
            store.close()
            return board

        board = fill(url)
        copies = count()

        def copied():
            path = tmp_path / f"died{next(copies)}.db"
            shutil.copy(url.removeprefix("sqlite:///"), path)
            return f"sqlite:///{path}"

        def emptied():
            request.getfixturevalue("postgresql_server").empty()
            fill(url)
            return url

        return (copied if url.startswith("sqlite") else emptied), board

    return make


def ingest_at_every_death(anew, board, kind, values):
    """-> the tables after each death, taking the record again as the board would send it again; and how many deaths."""
    raw, fields = board.line(kind, *values)

    def take(url):
        board.store = Store.open(url)
        board.give(raw, fields)

    after = []
    for died in deaths(anew, take):
        store = Store.open(died)
        came_through = store.last_identity(DEV).seq == fields["seq"]
        board.store = store
        assert board.give(raw, fields).new is not came_through
        after.append((figures(store.settlements(DEV, 1)), store.balance(DEV, 1)[2], contents(store)["records"]))
        store.close()
    return after


def test_a_result_is_settled_exactly_once_wherever_the_host_dies(prepared):
    anew, board = prepared(lambda board: board.uncovered())
    after = ingest_at_every_death(anew, board, "result", (1, (6, 1, 3), 4))
    assert len(after) > 10
    assert all(state == after[0] for state in after)
    assert after[0][0] == [
        ("W1", "settle", "win", 1000, 2000),
        ("W2", "settle", "lose", 0, 0),
        ("W3", "settle", "win", 2500, 3000),
        ("W4", "settle", "lose", 0, 0),
    ]


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_correction_is_entered_exactly_once_wherever_the_host_dies(prepared):
    anew, board = prepared(lambda board: board.result())
    values = (1, 1, 5, (3, 3, 6), "supervisor", "wrong_entry")
    after = ingest_at_every_death(anew, board, "correction", values)
    assert len(after) > 10
    assert all(state == after[0] for state in after)
    assert len(after[0][0]) == 12 and after[0][1] == 8500


@pytest.mark.parametrize(
    "take",
    [
        lambda store: store.place_wagers(DEV, 1, BATCH, HOIANA, lambda: at(2)),
        lambda store: store.place_file(DEV, 1, enumerate(BATCH, 2), "w.csv", HOIANA, lambda: at(2), lambda: None),
    ],
    ids=["batch", "file"],
)
def test_wagers_are_taken_all_or_none_wherever_the_host_dies(prepared, take):
    anew, _ = prepared(lambda board: board.betting(batch=[]))
    counts = []
    for died in deaths(anew, lambda url: take(Store.open(url))):
        store = Store.open(died)
        counts.append(len(contents(store)["wagers"]))
        store.close()
    assert counts[:-1] == [0] * (len(counts) - 1) and counts[-1] == 4 and len(counts) > 6


def test_a_new_store_is_whole_or_made_anew_wherever_the_host_dies(tmp_path):
    """The tables and the schema version are one transaction too."""
    fatal, status = 0, KILLED
    while status == KILLED:
        fatal += 1
        url = f"sqlite:///{tmp_path}/new{fatal}.db"
        status = in_child_that_dies(fatal, functools.partial(Store.open, url))
        Store.open(url).close()
    assert status == SURVIVED and fatal > 20


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_an_adjustment_and_its_entries_are_there_together_or_not_at_all_wherever_the_host_dies(prepared):
    anew, _ = prepared(lambda board: board.result(), lambda board: board.take("spin", 2, 3))
    given = (DEV, 1, InForce((1, 5), None), (3, 3, 6), "dispute", "host:anna", SETTLER, at(90))
    after = []
    for died in deaths(anew, lambda url: Store.open(url).adjust(*given)):
        store = Store.open(died)
        after.append((len(store.adjustments(DEV, 1)), len(store.settlements(DEV, 1)), store.round(DEV, 1).adjustment))
        if after[-1][0] == 0:
            store.adjust(*given)
        assert [row[4] for row in figures(store.settlements(DEV, 1))[-4:]] == [0, 4000, 0, 4500]
        assert store.balance(DEV, 1).returned_cents == 8500
        store.close()
    assert set(after) == {(0, 4, None), (1, 12, 1)} and len(after) > 10
