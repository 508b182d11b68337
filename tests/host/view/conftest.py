"""A real store with a board's chain in it, and a reader of the table's state."""

import pytest

from host_tools.store import Store
from host_tools.store.database import Database
from host_tools.view.reading import Reader
from tests.host.store.chain import DEV, HOIANA, Chain, at


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/table.db"


@pytest.fixture
def store(url):
    opened = Store.open(url)
    opened.enrol(DEV, "T1", at(0))
    yield opened
    opened.close()


@pytest.fixture
def board(store):
    return Chain(store)


@pytest.fixture
def database(url, store):
    opened = Database(url, make=False)
    yield opened
    opened.close()


@pytest.fixture
def reader(database):
    return Reader(database, lambda _: DEV, HOIANA)
