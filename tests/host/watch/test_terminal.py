"""`tumbler watch` in a terminal of its own, by its bytes and signals: it draws, follows the size, stops and goes on,
keeps to NO_COLOR, and gives the terminal back."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

import pytest

from tests.host.view.process import environment

LIMIT_S = 60
ALTERNATE_ON, ALTERNATE_OFF = b"\x1b[?1049h", b"\x1b[?1049l"
COLOURS = re.compile(rb"[34]8;2;(\d+);(\d+);(\d+)")  # of text and of its ground: red, green, blue


class Terminal:
    """A terminal with the program in it; `said` is all that came out of it."""

    def __init__(self, url, folder, **changes):
        # Else it would believe them and not the terminal.
        env = {key: value for key, value in environment(folder).items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            command = [sys.executable, "-m", "host_tools", "watch", "--store", url]
            os.execve(sys.executable, command, env | {"TERM": "xterm-256color", "COLORTERM": "truecolor"} | changes)
        self.resize(80, 24)
        self.said = b""

    def close(self):
        os.close(self.terminal)
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)

    def resize(self, columns, lines):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def do(self, act):
        """Type bytes, or send a signal."""
        if isinstance(act, bytes):
            os.write(self.terminal, act)
        else:
            os.kill(self.child, act)

    def read_until(self, ready):
        """What comes out from now on until ready(it), or until the program ended."""
        said, end_s = b"", time.monotonic() + LIMIT_S
        while not ready(said):
            assert time.monotonic() < end_s, said
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    part = os.read(self.terminal, 65536)
                except OSError:  # Linux: nobody is at the other end any more
                    break
                if not part:
                    break
                said += part
        self.said += said
        return said

    def ended(self):
        """The exit code."""
        self.read_until(lambda _: False)
        _, status = os.waitpid(self.child, 0)
        self.child = 0
        return os.waitstatus_to_exitcode(status)

    def echoes(self):
        """Whether the terminal shows what is typed, as a shell wants it."""
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)


@pytest.fixture
def start(url, store, tmp_path):
    """start(**changes of the environment) -> the terminal in which the store is watched."""
    started = []

    def in_a_terminal(**changes):
        started.append(Terminal(url, tmp_path, **changes))
        return started[-1]

    yield in_a_terminal
    for each in started:
        each.close()


@pytest.mark.parametrize("end", [b"\x03", signal.SIGTERM])
def test_the_terminal_is_given_back(start, end):
    terminal = start()
    assert ALTERNATE_ON in terminal.read_until(lambda said: b"NOT FOR PLAY" in said)
    assert not terminal.echoes()
    terminal.do(end)
    assert terminal.ended() == 0
    assert (ALTERNATE_OFF in terminal.said, b"Traceback" in terminal.said) == (True, False)


def test_a_terminal_that_grows_is_filled(start, board):
    board.result(batch=[])
    terminal = start()
    terminal.read_until(lambda said: b"NOT FOR PLAY" in said and b"Q quit" in said)
    assert b"planned beforehand" not in terminal.said  # below the 24 lines
    terminal.resize(160, 60)
    terminal.read_until(lambda said: b"planned beforehand" in said)
    terminal.do(b"q")
    assert terminal.ended() == 0


@pytest.mark.parametrize("stop", [b"\x1a", signal.SIGTSTP])
def test_stopped_it_gives_the_terminal_back_and_going_on_it_shows_the_state_of_now(start, board, stop):
    board.result(1, (6, 1, 3), batch=[])
    terminal = start()
    terminal.read_until(lambda said: b"1, 3, 6, total 10" in said)
    terminal.do(stop)
    terminal.read_until(lambda said: ALTERNATE_OFF in said)
    _, status = os.waitpid(terminal.child, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert terminal.echoes()
    board.result(2, (5, 5, 5), batch=[])
    terminal.do(signal.SIGCONT)
    assert ALTERNATE_ON in terminal.read_until(lambda said: b"triple 5, total 15" in said)
    terminal.do(b"q")
    assert terminal.ended() == 0
    assert terminal.echoes()


@pytest.mark.parametrize("no_color", [None, "1"])
def test_no_color_leaves_the_marks_alone(start, board, no_color):
    board.result(batch=[])
    terminal = start(**({} if no_color is None else {"NO_COLOR": no_color}))
    terminal.read_until(lambda said: b"Q quit" in said and b">1-3<" in said)
    colours = set(COLOURS.findall(terminal.said))
    assert colours and all(len(set(each)) == 1 for each in colours) == (no_color is not None)
    terminal.do(b"q")
    assert terminal.ended() == 0


def test_a_terminal_on_which_nothing_can_be_drawn_is_one_sentence(start):
    terminal = start(TERM="dumb")
    assert terminal.ended() == 2
    said = terminal.said.decode()
    assert (said.count("\n"), "\x1b" in said) == (1, False)
    assert "TERM=dumb" in said and "tumbler table" in said
