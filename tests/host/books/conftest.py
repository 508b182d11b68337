"""A store as `tumbler.db` of an empty folder, and a board that writes into it."""

import pytest

from host_tools.store import Store
from tests.host.store.chain import DEV, Chain, at


@pytest.fixture
def store(tmp_path):
    opened = Store.open(f"sqlite:///{tmp_path}/tumbler.db")
    opened.enrol(DEV, "T1", at(0))
    yield opened
    opened.close()


@pytest.fixture
def board(store):
    return Chain(store)
