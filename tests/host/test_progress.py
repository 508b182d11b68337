"""What shows how far work has come: on a terminal behind stderr alone, and never in a pipe."""

import io
import sys

import pytest

from host_tools.progress import bytes_read, files_written, waiting


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def shown(monkeypatch, stdout, stderr):
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.setattr(sys, "stderr", stderr)
    with bytes_read("Reading", 100) as advance:
        advance(100)
        print("a result")
    with waiting("Adding up"):
        pass
    return stdout.getvalue(), stderr.getvalue()


def test_a_pipe_holds_what_is_printed_and_nothing_else(monkeypatch):
    assert shown(monkeypatch, io.StringIO(), io.StringIO()) == ("a result\n", "")


def test_a_port_that_cannot_be_opened_draws_no_bar_of_files(monkeypatch):
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    with pytest.raises(OSError), files_written():
        raise OSError("no such port")
    assert err.getvalue() == ""
    with files_written() as told:
        told("main.py", 5, 10)
    assert "main.py" in err.getvalue()


def test_a_terminal_shows_it_and_piped_output_stays_in_its_pipe(monkeypatch):
    out, err = shown(monkeypatch, io.StringIO(), Terminal())
    assert out == "a result\n"
    assert "Reading" in err and "Adding up" in err and "a result" not in err
