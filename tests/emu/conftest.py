"""Emulated boards for the tests."""

from collections.abc import Callable, Iterator

import pytest

from host_tools.boards import Board, load_board
from host_tools.emu.board import TEST_DEV, EmuBoard, firmware_files
from host_tools.emu.program import Program

SECONDS_LIMIT = 25  # emulated; each takes up to half a minute


@pytest.fixture(scope="module")
def run_program(uf2, emulated) -> Callable[..., Program]:
    """run_program(source, **EmuBoard's keywords) -> Program: the firmware's files, but main.py is that source."""

    def run(source: str, board: Board | None = None, **settings: object) -> Program:
        board = board or load_board("pico")
        files = firmware_files(board, TEST_DEV) | {"main.py": source.encode()}
        return Program(emulated(EmuBoard(board, uf2=uf2, files=files, **settings)))

    return run


_seconds: list[float] = []  # emulated, of each board
_figures: list[str] = []
_left_out: list[pytest.Item] = []


@pytest.fixture(scope="module")
def emulated() -> Iterator[Callable[[EmuBoard], EmuBoard]]:
    """emulated(board) -> board, whose emulated time counts for the summary."""
    boards: list[EmuBoard] = []

    def count(board: EmuBoard) -> EmuBoard:
        boards.append(board)
        return board

    yield count
    _seconds.extend(board.clock.nanos / 1e9 for board in boards)


@pytest.fixture(scope="session")
def figure() -> Callable[[str, float, str, str], None]:
    """figure(what, value, unit, limit) notes one line for the summary; the test itself asserts."""

    def note(what: str, value: float, unit: str, limit: str) -> None:
        _figures.append(f"{what}: {value:g} {unit} (limit {limit})")

    return note


def pytest_deselected(items: list[pytest.Item]) -> None:
    _left_out.extend(item for item in items if item.get_closest_marker("emu_full"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _figures:
        terminalreporter.write_line(line)
    if _left_out:
        terminalreporter.write_line(
            f"{len(_left_out)} tests of the emulated board were left out, as they take long: make emu-full runs them"
        )
    if _seconds:
        terminalreporter.write_line(
            f"emulated boards: {sum(_seconds):.1f} s; without the emu_full tests {SECONDS_LIMIT} s are the limit"
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _left_out and sum(_seconds) > SECONDS_LIMIT and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
