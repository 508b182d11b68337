"""`tumbler watch`: what is refused in one sentence, and that it gives the terminal back."""

import os
import pty
import select
import signal
import sys
import time

import pytest

from tests.host.store.chain import DEV, at
from tests.host.view.process import environment

REAL_DEV = "e6614c31d3b8a52f-9c1e"
LIMIT_S = 60
ALTERNATE_ON, ALTERNATE_OFF = b"\x1b[?1049h", b"\x1b[?1049l"


@pytest.fixture
def two_tables(url, store):
    store.enrol(REAL_DEV, "T2", at(0))
    return url


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "Say which table to show with --table NAME: this store has 2 (T1, T2)."),
        (("--dev", DEV, "--table", "T1"), "not both"),
        (("--dev", "no dev"), "is not the dev of a board"),
        (("--table", "T9"), "No board serves a table 'T9'"),
        (("--table", "T1", "--paytable", "nosuch"), "nosuch"),
        (("--table", "T1", "--language", "fr"), "'fr'"),
        (("--table", "T1", "--rig", "none.sock"), "No rig answers at none.sock"),
        (("--table", "T2", "--rig", "none.sock"), f"--rig works a simulated board alone, and {REAL_DEV} is shown"),
        (("--table", "T1"), "draws on a terminal, and here is none"),
    ],
)
def test_a_bad_option_is_one_sentence(tumbler, two_tables, given, said):
    code, out, err = tumbler("watch", "--store", two_tables, *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_there_must_be_a_store(tumbler, tmp_path):
    code, _, err = tumbler("watch", "--store", f"sqlite:///{tmp_path}/none.db")
    assert (code, "There is no store" in err, list(tmp_path.glob("none.db"))) == (2, True, [])


def in_a_terminal(url, folder):
    """`tumbler watch` in a terminal of its own -> process id, and the terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(
            sys.executable, [sys.executable, "-m", "host_tools", "watch", "--store", url],
            environment(folder) | {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"},
        )  # fmt: skip
    return child, terminal


def read_until(terminal, ready):
    """What comes out of the terminal until ready(it), or until its program ended."""
    said, end_s = b"", time.monotonic() + LIMIT_S
    while not ready(said):
        assert time.monotonic() < end_s, said
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # Linux: nobody is at the other end any more
                return said
            if not part:
                return said
            said += part
    return said


@pytest.mark.parametrize("end", [b"\x03", signal.SIGTERM])
def test_the_terminal_is_given_back(url, store, tmp_path, end):
    store.close()
    child, terminal = in_a_terminal(url, tmp_path)
    try:
        began = read_until(terminal, lambda said: b"NOT FOR PLAY" in said)
        assert ALTERNATE_ON in began
        if isinstance(end, bytes):
            os.write(terminal, end)
        else:
            os.kill(child, end)
        ended = read_until(terminal, lambda _: False)
        _, status = os.waitpid(child, 0)
        child = 0
        assert (os.waitstatus_to_exitcode(status), ALTERNATE_OFF in ended, b"Traceback" in ended) == (0, True, False)
    finally:
        os.close(terminal)
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
