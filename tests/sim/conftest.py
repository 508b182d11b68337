"""Boards for the tests of the simulator and of the whole firmware in it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from host_tools.boards import BOARDS_DIR
from host_tools.sim.board import FIRMWARE, SimBoard
from tests.sim.simhost import Sim

READY_MS = 1500  # from power-on until a round may begin: inputs known, the sensor quiet


@pytest.fixture
def start_sim(micropython: None, tmp_path: Path) -> Iterator[Callable[..., Sim]]:
    """start_sim(acks=True, **SimBoard's keywords) -> Sim in virtual time; all of them end with the test. Several
    boards of one test share their flash only if they are given the same state_dir."""
    running: list[Sim] = []

    def start(acks: bool = True, state_dir: Path | None = None, **settings: object) -> Sim:
        directory = state_dir or tmp_path / f"flash{len(running)}"
        running.append(Sim(SimBoard(directory, **({"clock": "virtual"} | settings)), acks))
        return running[-1]

    yield start
    for sim in running:
        sim.stop()


@pytest.fixture
def sim(start_sim: Callable[..., Sim]) -> Sim:
    """The firmware on a pico, ready for the first round."""
    sim = start_sim()
    sim.rig.step(READY_MS)
    return sim


@pytest.fixture
def pulse_board(tmp_path: Path) -> Path:
    """The board file of a pico with a pulse-driven relay."""
    text = (BOARDS_DIR / "pico.toml").read_text(encoding="utf-8")
    path = tmp_path / "pulse.toml"
    path.write_text(text.replace('board = "pico"', 'board = "pulse"').replace('drive = "level"', 'drive = "pulse"'))
    return path


@pytest.fixture
def run_program(start_sim: Callable[..., Sim], tmp_path: Path) -> Callable[..., Sim]:
    """run_program(source, **SimBoard's keywords) -> Sim; its main.py is that source, beside the firmware's rooms."""

    def run(source: str, **settings: object) -> Sim:
        firmware = tmp_path / "firmware"
        firmware.mkdir()
        (firmware / "tumbler").symlink_to(FIRMWARE / "tumbler")
        (firmware / "boot.py").write_text((FIRMWARE / "boot.py").read_text())
        (firmware / "main.py").write_text(source)
        return start_sim(acks=False, firmware=firmware, **settings)

    return run
