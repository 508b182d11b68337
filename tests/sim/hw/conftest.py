"""Runs the hardware rooms, unchanged, under MicroPython on a recording `machine` and `rp2`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host_tools.boards import board_module, load_board

ROOT = Path(__file__).parents[3]
FAKES = Path(__file__).parent / "fakes"
MICROPYTHON = shutil.which("micropython", path=str(Path(sys.executable).parent))

PRELUDE = """
import gc, json, machine, sys
import tumbler_board as board

def taken(call, times=50):
    "Bytes of heap that call(i) takes in all, after a first call that may set things up."
    call(0)
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    for i in range(times):
        call(i)
    after = gc.mem_alloc()
    gc.enable()
    return after - before

def writes():
    return [[w >> 1, w & 1] for w in machine.writes[:machine.count[0]]]
"""

Run = Callable[..., Any]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Where MicroPython finds its modules: the fakes, the firmware, the pico's settings, what is built in."""
    (tmp_path / "tumbler_board.py").write_text(board_module(load_board("pico")), encoding="ascii")
    return {**os.environ, "MICROPYPATH": f"{FAKES}:{ROOT / 'firmware'}:{tmp_path}:.frozen"}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """run(script, SETTING=value, ...) -> what the script's `answer` holds, after a round trip through JSON.

    The board is the pico with the given settings replaced.
    """
    if MICROPYTHON is None:
        pytest.skip("there is no MicroPython unix port for this platform")

    def play(script: str, **settings: Any) -> Any:
        with (tmp_path / "tumbler_board.py").open("a", encoding="ascii") as module:
            module.writelines(f"{name} = {value!r}\n" for name, value in settings.items())
        command = [MICROPYTHON, "-X", "heapsize=192K", "-c", PRELUDE + script + "\nprint('\\n' + json.dumps(answer))"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return play
