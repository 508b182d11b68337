"""`tumbler flash` at the serial line of an emulated board with stock MicroPython, whose files are a real littlefs."""

import dataclasses

import pytest

from host_tools import keys, repl
from host_tools.boards import load_board
from host_tools.build import build_files, firmware_id
from host_tools.emu.board import TEST_DEV, EmuBoard
from host_tools.emu.flashcut import FlashCut
from host_tools.emu.live import LiveBoard
from host_tools.errors import UserError
from host_tools.flash import job, line
from host_tools.flash.job import Job
from host_tools.image import PORTS
from host_tools.run.target import DeviceTarget
from host_tools.uf2 import FLASH_START

PICO = load_board("pico")
BOARD = dataclasses.replace(PICO, journal=dataclasses.replace(PICO.journal, sectors=16))
DIPS_AT, PULLED_AT = 8, 25  # files


@pytest.fixture
def patient(monkeypatch, tmp_path):
    """Limits of the host for a board that is up to a hundred times as slow as one."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for room, name, seconds in (
        (repl, "TRY_S", 300),
        (repl, "ENTER_LIMIT_S", 300),
        (repl, "READ_S", 20),
        (repl, "ANSWER_LIMIT_S", 100),
        (line, "ANSWER_S", 600),
        (job, "COME_BACK_S", 1),
        (job, "HELLO_S", 1800),
    ):
        monkeypatch.setattr(room, name, seconds)


class Bench:
    """The emulated board on a pty, and jobs at it. said: what they said; copied: the files that they wrote."""

    def __init__(self, board, built):
        self.board, self.built = board, built
        self.said, self.copied = [], []
        self.at_file = {}
        self.live = LiveBoard(board)

    def job(self):
        self.copied.clear()
        return Job(BOARD, self.built, DeviceTarget(self.live.serial_path), self.said.append, self.told)

    def told(self, path, done, size):
        if done == size:
            self.copied.append(path)
            self.at_file.pop(len(self.copied), lambda: None)()


def test_a_board_that_was_cut_off_before_its_last_files_gets_only_these(uf2, emulated, patient):
    built = build_files(BOARD)
    missing = ("main.py", "tumbler/core/ticks.mpy")
    files = {path: data for path, data in built.items() if path not in missing} | {"dev.txt": TEST_DEV.encode()}
    bench = Bench(emulated(EmuBoard(BOARD, uf2=uf2, files=files)), built)
    try:
        assert bench.job().copy() is False
    finally:
        bench.live.stop()
    assert bench.copied == ["tumbler/core/ticks.mpy", "main.py"]  # and the board found the hash of the build
    assert bench.board.world.relay_edges == []


@pytest.mark.emu_full
def test_a_new_board_through_a_power_cut_and_a_pulled_cable_to_its_hello(uf2, emulated, patient, figure, monkeypatch):
    built = build_files(BOARD)
    board = emulated(EmuBoard(BOARD, uf2=uf2, files={}))
    start, size = PORTS["RPI_PICO"].address - FLASH_START, PORTS["RPI_PICO"].size
    board.device.mcu.flash[start : start + size] = b"\xff" * size  # never written: MicroPython makes its file system
    cut = FlashCut(board)
    board.after_step = lambda: cut.power_on() if cut.cut else None
    bench = Bench(board, built)
    bench.at_file = {DIPS_AT: lambda: cut.cut_in(2, torn=True), PULLED_AT: bench.live.stop}
    with pytest.raises(UserError, match="plug it in and run the same command again"):
        bench.job().run(None, None)
    assert any("was reset or unplugged while its files were copied" in said for said in bench.said)
    assert "power" in board.resets and "main.py" not in bench.copied
    board.reset("power")
    before = len(bench.copied)
    bench.live = LiveBoard(board)
    began_s = bench.live.clock()
    bench.job().run(None, None)
    figure(f"flash, last {len(bench.copied)} of {len(built)} files to hello", bench.live.clock() - began_s, "s", "none")
    assert 0 < len(bench.copied) <= len(built) - before + DIPS_AT and bench.copied[-1] == "main.py"
    dev = bench.said[-1].split("enrol ")[1].split()[0]
    assert f"Board {dev} runs firmware {firmware_id(built)} for pico, as its hello says." in bench.said
    assert bytes.fromhex(keys.key_path(dev).read_text()) in bytes(board.device.mcu.flash)
    monkeypatch.setattr(line, "LISTEN_S", 600)
    bench.job().run(None, None)
    bench.live.stop()
    assert "already: nothing was copied" in bench.said[-1] and bench.copied == []
    assert board.world.relay_edges == []
