"""The rig's firmware onto its board, at the stand-in's REPL: all of it once, what changed later, and no other board."""

import pytest

from host_tools.boards import load_board
from host_tools.errors import UserError
from host_tools.rig.firmware import put_on, rig_files
from host_tools.rig.wiring import load_rig
from tests.host.flash.conftest import shorten


@pytest.fixture(scope="module")
def files():
    return rig_files(load_rig("pico"), load_board("pico"))


def test_it_is_copied_once_and_then_what_changed_with_main_py_last(plug_in, files, on_disk, monkeypatch):
    shorten(monkeypatch)
    board = plug_in(jumper=True)  # the stand-in would play a terminal
    told = []
    assert put_on(board.path, files, lambda: told.append(1)) == len(files) == len(told)
    assert on_disk() == files
    assert put_on(board.path, files, told.clear) == 0
    assert [code for code in board.runs if "machine.reset" in code]  # it was started
    changed = files | {"rig/app.mpy": b"another"}
    board.runs.clear()
    assert put_on(board.path, changed, told.clear) == 2
    assert on_disk() == changed
    steps = [code for code in board.runs if "main.py" in code or "app.mpy" in code]
    assert "remove" in steps[0] and "app.mpy" in steps[1] and "main.py" in steps[-1]


@pytest.mark.parametrize(
    ("uname", "says"),
    [(("rp2", "rp2", "1.24.1", "", ""), "has 1.24.1 and"), (("esp32", "esp32", "1.25.0", "", ""), "drag its .uf2")],
)
def test_another_micropython_is_refused_before_anything_is_written(plug_in, files, on_disk, monkeypatch, uname, says):
    shorten(monkeypatch)
    board = plug_in(jumper=True, uname=uname)
    with pytest.raises(UserError, match=says):
        put_on(board.path, files, lambda: None)
    assert on_disk() == {}
