"""The command line as a process: what the terminal, the pipe or the surroundings can do to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SETTLE = ["settle", "--dice", "1,3,6", "--wagers", "w.csv"]
LIMIT_S = 30


@pytest.fixture
def tumbler(tmp_path):
    """tumbler(*arguments, **of subprocess.run) -> a finished process that ran in a folder with a wager file."""
    (tmp_path / "w.csv").write_text("wager_id,player,kind,selection,stake\nA,Ågot,small,,10.00\n", encoding="utf-8")

    def run(*args, env=None, **settings):
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | settings
        env = {"PYTHONPATH": f"{ROOT}:{ROOT / 'firmware'}"} | (env or {})
        command = [sys.executable, "-m", "host_tools", *args]
        return subprocess.run(command, cwd=tmp_path, env=os.environ | env, timeout=LIMIT_S, text=True, **settings)

    return run


def test_an_encoding_without_frames_or_dots_ends_nothing(tumbler):
    done = tumbler(*SETTLE, env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "total 10" in done.stdout and "\\xc5got" in done.stdout and "+--" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("args", [SETTLE, ["--version"], ["boards", "module", "pico"]])
def test_an_output_that_is_full_is_one_sentence(tumbler, args, unbuffered):
    with open("/dev/full", "w") as full:
        done = tumbler(*args, stdout=full, env={"PYTHONUNBUFFERED": unbuffered})
    assert done.returncode == 2
    assert done.stderr.startswith("The output cannot be written") and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("args", [SETTLE, ["--version"], ["boards", "module", "pico"]])
def test_a_reader_that_has_seen_enough_ends_it_quietly(tumbler, args, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    done = tumbler(*args, stdout=writing, env={"PYTHONUNBUFFERED": unbuffered})
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_ctrl_c_while_it_starts_is_no_traceback(tumbler, tmp_path):
    """Here the first package that takes long to import is one in whose midst Ctrl-C comes."""
    (tmp_path / "typer").mkdir()
    # Who starts the tests in the background ignores Ctrl-C, and so would the program.
    (tmp_path / "typer" / "__init__.py").write_text(
        "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
    )
    done = tumbler("paytables", env={"PYTHONPATH": f"{tmp_path}:{ROOT}:{ROOT / 'firmware'}"})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
