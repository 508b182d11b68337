"""The command line with the store of the test, in a file and in PostgreSQL."""

import pytest


@pytest.fixture
def tumbler(tumbler, url):
    """Runs `tumbler` with arguments on that store -> (exit code, stdout, stderr)."""
    return lambda *args: tumbler(*args, *([] if "--store" in args else ["--store", url]))
