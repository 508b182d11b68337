"""MicroPython itself, for all tests that need it: for RP2040, and the unix port."""

import os

import pytest

from host_tools.emu.micropython import find_uf2
from host_tools.errors import UserError


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
