"""What a simulated target started is given back, also when only a part of it could be started."""

from typing import ClassVar

import pytest

from host_tools.errors import UserError
from host_tools.run import simtarget


class Board:
    """A board that only remembers whether it was stopped; the target must stop it whatever happens after it."""

    made: ClassVar[list] = []
    serial_path = "/dev/null"

    def __init__(self, *_, **__):
        self.stopped = False
        self.made.append(self)

    def stop(self):
        self.stopped = True

    def call(self, do, args):
        raise AssertionError("nobody plays yet")


@pytest.fixture
def target(tmp_path, monkeypatch):
    monkeypatch.setattr(simtarget, "SimBoard", Board)
    Board.made.clear()
    return simtarget.SimTarget(tmp_path, "pico", 1, 1.0, [], None, False)


def test_a_rig_that_cannot_start_is_one_sentence_and_the_board_is_stopped(target, tmp_path, monkeypatch):
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    monkeypatch.setattr(simtarget.tempfile, "tempdir", str(deep))  # too long for a socket's path
    with pytest.raises(UserError, match=r"rig's socket .* cannot be made"):
        target.open()
    target.close()
    assert [board.stopped for board in Board.made] == [True]
    assert list(deep.iterdir()) == []


def test_a_port_that_cannot_be_opened_stops_rig_and_board(target, tmp_path, monkeypatch):
    monkeypatch.setattr(simtarget.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(UserError, match="cannot be opened as a serial port"):
        target.open()
    target.close()
    target.close()
    assert [board.stopped for board in Board.made] == [True]
    assert not list(tmp_path.glob("tumbler-*"))
