"""mpremote at the serial line of an emulated board: let in for maintenance, kept out in production."""

import os
import subprocess
import sys

import pytest

from host_tools.boards import load_board
from host_tools.emu.board import TEST_DEV, EmuBoard, firmware_files
from host_tools.emu.live import LiveBoard
from host_tools.rig import CallRig
from host_tools.sim.shims.drum import LOW

pytestmark = pytest.mark.emu_full
UPLOAD_BYTES = 40_000  # takes longer than the watchdog of the application would wait
WATCHDOG_S = 2
LIMIT_S = 1500  # of the host: the emulated board is up to 50 times as slow as a board, more on a busy machine


class Bench:
    def __init__(self, board):
        self.board, self.live = board, LiveBoard(board)
        self.rig = CallRig(self.live.call)

    def mpremote(self, *words):
        command = [sys.executable, "-m", "mpremote", "connect", self.live.serial_path, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)


@pytest.fixture
def live(uf2, emulated):
    boards = []

    def start(prepare=lambda board: None):
        files = firmware_files(load_board("pico"), TEST_DEV)
        board = emulated(EmuBoard("pico", uf2=uf2, files=files))
        prepare(board)
        boards.append(Bench(board))
        return boards[-1]

    yield start
    for bench in boards:
        bench.live.stop()


def test_in_maintenance_it_enters_copies_lists_and_resets_with_the_relay_off(live, tmp_path, figure):
    bench = live(lambda board: board.world.set_outside(board.board.pins.maintenance, LOW))
    bench.rig.step(1500)
    assert bench.mpremote("resume", "exec", "print(6 * 7)").stdout == "42\n"
    (tmp_path / "large.bin").write_bytes(os.urandom(UPLOAD_BYTES))
    began_s = bench.live.clock()
    done = bench.mpremote("resume", "fs", "cp", str(tmp_path / "large.bin"), ":large.bin")
    took_s = bench.live.clock() - began_s
    assert done.returncode == 0, done.stdout + done.stderr
    figure("copy of 40,000 bytes in maintenance", took_s, "s", "none")
    assert took_s > WATCHDOG_S
    listed = bench.mpremote("resume", "fs", "ls").stdout.split()
    assert listed[listed.index("large.bin") - 1] == str(UPLOAD_BYTES)
    assert bench.board.resets == []
    assert bench.mpremote("resume", "reset").returncode == 0
    bench.rig.step(1500)
    assert bench.board.resets == ["watchdog"]  # as machine.reset() works
    assert bench.board.world.relay_edges == []


def test_in_production_it_gets_no_repl_and_the_spin_ends_by_its_count(live):
    bench = live()
    bench.rig.step(2300)
    bench.rig.press("spin")
    bench.rig.step_until(lambda seen: seen["relay"], 600)
    bench.rig.release("spin")
    # On a pty it waits for its prompt as long as the board says anything, so it is ended here.
    command = [sys.executable, "-m", "mpremote", "connect", bench.live.serial_path, "exec", "print('let', 'in')"]
    tool = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    bench.rig.step_until(lambda seen: not seen["relay"], 6000)
    bench.rig.step(500)
    tool.terminate()
    said, _ = tool.communicate()
    assert b"let in" not in said
    assert [on for _, on in bench.board.world.relay_edges] == [True, False]
    assert bench.board.usb.sending() == 0  # it took what the tool sent
    assert bench.board.resets == []
    assert bench.rig.step(10)["display"] == "WAIT"
