"""A real store of its own, in a file and in PostgreSQL (the fixture `url`), for the board that writes into it."""

import contextlib

import pytest

from host_tools.errors import UserError
from host_tools.store import Store, database


@pytest.fixture
def store(url):
    """Where a test ends, the money of every round must add up."""
    opened = Store.open(url)
    yield opened
    with contextlib.suppress(UserError):  # a test damaged its store
        for round_ in opened.rounds():
            staked, paid, returned, kept, unsettled = opened.balance(round_.dev, round_.round)
            assert staked + paid == returned + kept + unsettled, round_
    opened.close()


@pytest.fixture
def impatient(monkeypatch):
    """Stores that are opened now do not wait for another writer."""
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0)
