"""A store, in a file and in PostgreSQL, a board that writes into it, and the command line that names it."""

import pytest

from host_tools.store import Store
from tests.host.store.chain import DEV, Chain, at


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
def tumbler(tumbler, url):
    """Runs `tumbler` with arguments on that store -> (exit code, stdout, stderr)."""
    return lambda *args: tumbler(*args, *([] if "--store" in args else ["--store", url]))
