"""What tests need from outside: MicroPython itself, for RP2040 and as the unix port, and a PostgreSQL server."""

import os
from contextlib import ExitStack

import pytest

from host_tools.emu.micropython import find_uf2
from host_tools.errors import UserError
from tests import postgresql
from tests.emu.summary import EMU_SUMMARY, EmuSummary


def pytest_configure(config: pytest.Config) -> None:
    config.stash[EMU_SUMMARY] = EmuSummary()
    config.pluginmanager.register(config.stash[EMU_SUMMARY])


@pytest.fixture(scope="session")
def uf2():
    """Path of MicroPython's UF2; without one a test skips, or fails where TUMBLER_EMU_REQUIRED is set."""
    try:
        return find_uf2()
    except UserError as error:
        if os.environ.get("TUMBLER_EMU_REQUIRED"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def micropython():
    """The unix port is there; without it a test skips."""
    from host_tools.sim.board import find_micropython

    try:
        find_micropython()
    except UserError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def postgresql_server():
    """PostgreSQL; without the package a test skips, or fails where TUMBLER_POSTGRESQL_REQUIRED is set."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgresql.running())
        except UserError as error:
            if os.environ.get("TUMBLER_POSTGRESQL_REQUIRED"):
                pytest.fail(str(error))
            pytest.skip(str(error))
        yield server


@pytest.fixture
def postgresql_url(postgresql_server):
    """The URL of an empty store in PostgreSQL."""
    postgresql_server.empty()
    return postgresql_server.url
