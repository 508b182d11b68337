"""`tumbler sim` as a person runs it: in a terminal, until Ctrl-C or q."""

import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest
from rich.console import Console

from host_tools.rig import Seen
from host_tools.rig.server import connect
from host_tools.sim.board import REPOSITORY
from host_tools.sim.commands import screen, table_rows

pytestmark = pytest.mark.usefixtures("start_sim")  # which skips where there is no MicroPython
LIMIT_S = 20
EVERYTHING_SHOWN: Seen = {
    "t_ms": 0,
    "display": " 136",
    "lamp": "on",
    "relay": True,
    "drum_turns": True,
    "cover_open": True,
    "supervisor_on": True,
    "buzzer": False,
    "beeps": 12345,
}
COMMAND = (
    # Who starts the tests in the background ignores Ctrl-C, and so would the program.
    "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from pathlib import Path\nfrom host_tools.sim.commands import sim\n"
)


class Terminal:
    """A process at a terminal of its own; text is all it has written."""

    def __init__(self, call: str, argument: str):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND + call, argument],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=REPOSITORY,
            env=os.environ | {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'firmware'}", "COLUMNS": "200"},
            start_new_session=True,
        )
        os.close(slave)
        self.text = ""

    def read_until(self, pattern: str) -> re.Match[str]:
        """Read on until the text matches -> the match. Fails after LIMIT_S."""
        until = time.monotonic() + LIMIT_S
        while not (match := re.search(pattern, self.text)):
            assert select.select([self.master], [], [], max(0, until - time.monotonic()))[0], self.text
            self.text += os.read(self.master, 65536).decode(errors="replace")
        return match

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal(tmp_path):
    opened: list[Terminal] = []

    def start(call: str) -> Terminal:
        opened.append(Terminal(call, str(tmp_path / "state")))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_paths_are_printed_work_and_are_gone_at_the_end(terminal, end):
    screen = terminal("sim(state=Path(sys.argv[1]))")
    socket = screen.read_until(r"rig: +(\S+)\r")[1]
    assert "NOT FOR PLAY" in screen.text
    serial = screen.read_until(r"serial: (\S+)\r")[1]
    with connect(socket) as rig:
        rig.cover(True)
        assert rig.step(50)["cover_open"]
    line = os.open(serial, os.O_RDWR | os.O_NOCTTY)
    assert select.select([line], [], [], LIMIT_S)[0]
    assert os.read(line, 4096).startswith(b'{"sb":1,')
    os.close(line)
    screen.process.send_signal(end)
    assert screen.process.wait(LIMIT_S) == 0
    assert not os.path.exists(socket)


def test_a_person_plays_a_round_from_the_keyboard(terminal):
    screen = terminal("sim(state=Path(sys.argv[1]), keys=True, speed=5)")
    for _ in range(50):  # SPIN is refused until the board has known its inputs and a quiet drum for a while
        screen.text = ""
        screen.type("s")
        if screen.read_until(r"\[(WAIT| {4})\]")[1] == "WAIT":
            break
    screen.read_until(r"place your bets")
    screen.type("n")
    screen.read_until(r"SHUT")
    screen.type("c")
    dice = screen.read_until(r"the dice show (\d) (\d) (\d)").groups()
    screen.type("".join(dice))
    screen.read_until(rf"\[ {''.join(dice)}\]")
    screen.type("\nq")
    assert screen.process.wait(LIMIT_S) == 0


@pytest.mark.parametrize("state", ["/etc/passwd", "/etc/passwd/below", "x" * 300, "loop"])
def test_a_place_that_cannot_be_the_flash_is_one_sentence(tmp_path, state):
    (tmp_path / "loop").symlink_to("loop")
    done = subprocess.run(
        [sys.executable, "-m", "host_tools", "sim", "--state", state],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'firmware'}"},
        timeout=LIMIT_S,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot keep its flash in" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("width", "height"), [(36, 10), (40, 12), (60, 14), (59, 30), (100, 13), (200, 50)])
def test_the_whole_panel_with_its_help_fits_into_the_terminal(width, height):
    rows = table_rows(EVERYTHING_SHOWN, True, (1, 3, 6))
    console = Console(width=width, height=height, file=io.StringIO())
    console.print(screen(rows, width, height))
    lines = console.file.getvalue().splitlines()
    assert len(lines) <= height and max(map(len, lines)) <= width
    shown = " ".join(" ".join(lines).split())
    for part in ("NOT FOR PLAY", "[ 136]", "place your", "1 3 6", "PRESSED", "beeps", "q quit"):
        assert part in shown, part


def test_keys_without_a_terminal_are_refused_in_one_sentence(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", COMMAND + "sim(state=Path(sys.argv[1]), keys=True)", str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'firmware'}"},
        timeout=LIMIT_S,
    )
    assert done.returncode != 0
    assert "standard input is not a terminal" in done.stderr
    assert (done.stdout, list(tmp_path.iterdir())) == ("", [])
