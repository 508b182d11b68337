"""Emulated boards for the tests."""

from collections.abc import Callable, Iterator

import pytest

from host_tools.boards import Board, load_board
from host_tools.emu.board import TEST_DEV, EmuBoard, firmware_files
from host_tools.emu.program import Program
from tests.emu.summary import EMU_SUMMARY


@pytest.fixture(scope="module")
def run_program(uf2, emulated) -> Callable[..., Program]:
    """run_program(source, **EmuBoard's keywords) -> Program: the firmware's files, but main.py is that source."""

    def run(source: str, board: Board | None = None, **settings: object) -> Program:
        board = board or load_board("pico")
        files = firmware_files(board, TEST_DEV) | {"main.py": source.encode()}
        return Program(emulated(EmuBoard(board, uf2=uf2, files=files, **settings)))

    return run


@pytest.fixture(scope="module")
def emulated(request: pytest.FixtureRequest) -> Iterator[Callable[[EmuBoard], EmuBoard]]:
    """emulated(board) -> board, whose emulated time counts for the summary."""
    boards: list[EmuBoard] = []

    def count(board: EmuBoard) -> EmuBoard:
        boards.append(board)
        return board

    yield count
    request.config.stash[EMU_SUMMARY].seconds[request.path.name] += sum(board.clock.nanos / 1e9 for board in boards)


@pytest.fixture(scope="session")
def figure(request: pytest.FixtureRequest) -> Callable[[str, float, str, str], None]:
    """figure(what, value, unit, limit) notes one line for the summary; the test itself asserts."""

    def note(what: str, value: float, unit: str, limit: str) -> None:
        request.config.stash[EMU_SUMMARY].figures.append(f"{what}: {value:g} {unit} (limit {limit})")

    return note
