"""A real store in a file of its own, and a board that writes into it."""

import pytest

from host_tools.store import Store, database
from tests.host.store.chain import Chain


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/table.db"


@pytest.fixture
def store(url):
    opened = Store.open(url)
    yield opened
    opened.close()


@pytest.fixture
def board(store):
    return Chain(store)


@pytest.fixture
def impatient(monkeypatch):
    """Stores that are opened now do not wait for another writer."""
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0)
