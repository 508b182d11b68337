"""`tumbler capture` as a process on a real pseudo terminal: signals, kill -9, a full disk, outputs that stand still."""

import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.host.link.fake_board import FakeBoard
from tests.host.run.table_bench import Wire, started

ROOT = Path(__file__).resolve().parents[3]
LIMIT_S = 30


class Process:
    """A capture of one end of a wire; the test has the other."""

    def __init__(self, folder, *args, **settings):
        self.folder = folder
        self.wire = Wire()
        self.written = b""
        self.settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | settings
        self.start(*args)

    def start(self, *args):
        command = [sys.executable, "-m", "host_tools", "capture", "--target", self.wire.device, "--out", "out", *args]
        env = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'firmware'}", "TERM": "xterm", "COLUMNS": "100"}
        self.process = subprocess.Popen(command, cwd=self.folder, env=env, **self.settings)

    @property
    def logs(self):
        return sorted((self.folder / "out").glob("*.log"))

    @property
    def kept(self):
        return b"".join(log.read_bytes() for log in self.logs)

    def say(self, data):
        """The board says this; what a pseudo terminal takes at once."""
        self.written += data
        os.write(self.wire.master, data)

    def until(self, true, what):
        """Wait until something is true."""
        end_s = time.monotonic() + LIMIT_S
        while not true():
            assert time.monotonic() < end_s, what
            assert self.process.poll() is None, self.process.communicate()
            select.select([], [], [], 0.005)

    def all_kept(self):
        self.until(lambda: len(self.kept) >= len(self.written), "what was written does not arrive in the files")

    def end(self, number=signal.SIGINT):
        """-> (exit code, stdout, stderr)."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, out, err

    def close(self):
        self.process.kill()
        self.process.wait()
        self.wire.cut()


@pytest.fixture
def capture(tmp_path):
    made = []

    def start(*args, **settings):
        made.append(Process(tmp_path, *args, **settings))
        return made[-1]

    yield start
    for one in made:
        one.close()


def lines(board, count):
    return [board.play(number) + board.status("RESULT", number) for number in range(1, count + 1)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_whole_and_the_board_got_nothing(capture, number):
    made = capture()
    board = started()
    made.say(board.hello() + b"\xffgarbage\r\n" + board.lines[0])
    for said in lines(board, 3):
        made.say(said)
        made.all_kept()
    code, out, err = made.end(number)
    assert code == 0
    assert made.kept == made.written
    assert not select.select([made.wire.master], [], [], 0)[0], "nothing was sent to the board"
    # On a pipe stdout has the board's lines alone, as a filter wants them.
    assert out.decode().splitlines() == made.written.decode("ascii", "backslashreplace").splitlines()
    said = err.decode()
    assert "Nobody acks: the board begins no new round after 20 more rounds" in said
    assert "16 records, 8 bytes of noise" in said and "Captured: " in said


def test_kill_9_loses_nothing_that_was_read_and_the_next_capture_goes_on(capture):
    """Killed in the midst of a stream: the files have what the port gave, and the port still has the rest."""
    made = capture("--quiet", "--rotate-size", "0.005")
    board = started()
    for said in lines(board, 6):
        made.say(said)
    made.all_kept()
    for said in lines(FakeBoard(), 3):
        made.say(said)
    made.process.kill()
    made.process.communicate()
    at_kill = made.kept
    made.start("--quiet")
    made.say(board.status("IDLE", 6))  # all before it may have been the read that was in hand
    made.until(lambda: made.kept.endswith(made.written[-50:]), "what the port still had is not read")
    assert made.end()[0] == 0
    assert made.written.startswith(at_kill)
    # One read may have been in hand: the time between two system calls.
    assert made.kept == made.written or len(made.written) - len(made.kept) <= 4096
    assert len(at_kill) >= len(b"".join(lines(started(), 6))), "what was known to be kept is there"


def test_a_full_disk_is_one_sentence_and_what_came_before_is_whole(capture):
    limit = 3000
    made = capture("--quiet", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    made.until(lambda: made.logs, "it does not start")
    board = started()
    for said in lines(board, 4):
        made.say(said)
    _, err = made.process.communicate(timeout=LIMIT_S)
    assert made.process.returncode == 2
    (sentence,) = [line for line in err.decode().splitlines() if "cannot be written" in line]
    assert "File too large" in sentence and "make room" in sentence
    assert made.kept == made.written[:limit]


def test_an_output_that_nobody_reads_does_not_hold_up_the_capture(capture):
    made = capture()
    board = started()
    for said in lines(board, 120):  # over what a pipe holds
        made.say(said)
        made.all_kept()
    assert len(made.written) > 100_000
    assert made.end()[0] == 0
    assert made.kept == made.written


def test_a_reader_that_has_seen_enough_ends_it_with_whole_files(capture):
    reading, writing = os.pipe()
    made = capture(stdout=writing)
    os.close(reading)
    os.close(writing)
    made.until(lambda: made.logs, "it does not start")
    made.say(started().lines[0])
    _, err = made.process.communicate(timeout=LIMIT_S)
    assert made.process.returncode == 1 and b"Traceback" not in err
    assert made.kept == made.written


def test_on_a_terminal_lines_have_colours_and_figures_stand_below(capture):
    screen, inside = pty.openpty()
    made = capture(stdout=inside, stderr=inside)
    os.close(inside)
    board = started()
    made.say(board.hello() + board.play(1) + b"Traceback\n")
    made.say(board.status("RESULT", 1))
    made.all_kept()
    seen = b""
    while b"RESULT" not in seen or b"B/s" not in seen or b"bytes of noise" not in seen:
        assert select.select([screen], [], [], LIMIT_S)[0], seen
        seen += os.read(screen, 65536)
    made.process.send_signal(signal.SIGINT)
    assert made.process.wait(LIMIT_S) == 0
    os.close(screen)
    assert b"\x1b[35mTraceback" in seen, "noise has a colour of its own"
    assert b"round 1 RESULT" in seen and b"room for 20 rounds" in seen
    assert b"1 missing" not in seen


def test_a_port_that_another_has_open_is_one_sentence(capture):
    made = capture()
    made.until(lambda: made.logs, "it does not start")
    first = made.process
    made.start()
    _, err = made.process.communicate(timeout=LIMIT_S)
    assert made.process.returncode == 2 and b"is busy: close the other program" in err
    made.process = first
