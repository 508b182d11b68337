"""`tumbler provision` on the command line: what nobody lets in is one sentence."""

import os
import pty
import threading

import pytest

from host_tools import repl
from host_tools.errors import UserError


def test_a_port_that_is_not_there_is_one_sentence(tumbler):
    code, out, err = tumbler("provision", "--port", "/dev/nowhere", "--board", "pico")
    assert (code, out) == (2, "")
    assert err.startswith("There is no port /dev/nowhere: ") and len(err.splitlines()) == 1


@pytest.fixture
def line():
    """A serial line's two ends: what the board has of it, and the path of the other."""
    board, host = pty.openpty()
    yield board, os.ttyname(host)
    os.close(board)
    os.close(host)


def test_a_board_in_production_does_not_answer_and_nothing_of_it_is_printed(line, monkeypatch, capsys):
    monkeypatch.setattr(repl, "ENTER_LIMIT_S", 0.2)
    board, path = line
    os.write(board, b'{"sb":1,"dev":"x"}\r\n')
    with pytest.raises(UserError, match=r"could not enter raw repl.*maintenance jumper"):
        repl.Repl(path)
    assert capsys.readouterr().out == ""


def answer(board, replies):
    """The raw REPL's side of a conversation (MicroPython docs, "raw-paste mode", which this one refuses)."""
    heard = b""
    for ends_with, reply in replies:
        while not heard.endswith(ends_with):
            heard += os.read(board, 1)
        heard = b""
        os.write(board, reply)


@pytest.mark.parametrize(
    ("said", "failed", "result"), [(b"ready\r\n", b"", "ready"), (b"", b"Traceback\r\nOSError: 28\r\n", None)]
)
def test_what_runs_there_comes_back_or_its_last_word(line, said, failed, result):
    board, path = line
    replies = [
        (b"\x01", b"raw REPL; CTRL-B to exit\r\n>"),
        (b"\x05A\x01", b"R\x00"),
        (b"\x04", b"OK" + said + b"\x04" + failed + b"\x04>"),
    ]
    threading.Thread(target=answer, args=(board, replies), daemon=True).start()
    with repl.Repl(path) as console:
        if result is not None:
            assert console.run("print('ready')") == result
        else:
            with pytest.raises(UserError, match=r"could not do that \(OSError: 28\)") as refused:
                console.run("secret")
            assert "secret" not in str(refused.value)
