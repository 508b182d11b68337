"""Emulated boards for the tests; they skip without MicroPython's UF2, or fail where TUMBLER_EMU_REQUIRED is set."""

import os
from collections.abc import Callable

import pytest

from host_tools.boards import load_board
from host_tools.emu.board import TEST_DEV, EmuBoard, firmware_files
from host_tools.emu.micropython import find_uf2
from host_tools.emu.program import Program
from host_tools.errors import UserError


@pytest.fixture(scope="session")
def uf2():
    """Path of MicroPython's UF2."""
    try:
        return find_uf2()
    except UserError as error:
        if os.environ.get("TUMBLER_EMU_REQUIRED"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture
def run_program(uf2) -> Callable[..., Program]:
    """run_program(source, **EmuBoard's keywords) -> Program: the firmware's files, but main.py is that source."""

    def run(source: str, **settings: object) -> Program:
        files = firmware_files(load_board("pico"), TEST_DEV) | {"main.py": source.encode()}
        return Program(EmuBoard("pico", uf2=uf2, files=files, **settings))

    return run
