"""The emulated board as a target of a run: what is refused, and a board that goes on by itself."""

import os
import subprocess
import sys

import pytest

from host_tools.emu.live import LiveBoard
from host_tools.errors import UserError
from host_tools.rig import CallRig
from tests.emu.test_board import ECHO


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("emu:/nowhere.uf2",), "there is no file /nowhere.uf2"),
        (("emu:Makefile",), "not a whole UF2"),
        (("emu", "--speed", "2"), "takes no --speed"),
    ],
)
def test_what_cannot_be_played_is_refused(args, says):
    command = [sys.executable, "-m", "host_tools", "run", "--target", *args]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert says in done.stderr


def test_boards_with_another_micropython_are_refused(uf2):
    command = [sys.executable, "-m", "host_tools", "run", "--target", "emu", "--board", "pico_w"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "RPI_PICO only" in done.stderr


def test_a_live_board_goes_on_by_itself_until_it_is_stopped(run_program):
    program = run_program(ECHO)
    program.board.after_step = None
    live = LiveBoard(program.board)
    rig = CallRig(live.call)
    port = os.open(live.serial_path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    os.write(port, b"hello\n")
    began_s = live.clock()
    rig.step(250)
    assert 0.25 <= live.clock() - began_s < 1
    assert b"said hello\r\n" in os.read(port, 4096)
    live.stop()
    with pytest.raises(UserError, match="stopped"):
        rig.read()
    os.close(port)
