"""The rig's firmware onto its board, at the stand-in's REPL: all of it once, what changed later, and no other board."""

import pytest

from host_tools.boards import load_board
from host_tools.errors import UserError
from host_tools.rig.firmware import put_on, rig_files
from host_tools.rig.wiring import load_rig
from tests.host.flash.conftest import shorten
from tests.host.flash.standin import new_flash


@pytest.fixture(scope="module")
def files():
    return rig_files(load_rig("pico"), load_board("pico"))


def test_it_is_copied_once_and_then_what_changed_with_main_py_last(plug_in, files, on_disk, monkeypatch):
    shorten(monkeypatch)
    board = plug_in(jumper=True)  # the stand-in would play a terminal
    told = []
    assert put_on(board.path, files, lambda path, done, size: told.append(path)) == len(files) == len(set(told))
    assert on_disk() == files
    assert put_on(board.path, files, lambda *_: None) == 0
    assert [code for code in board.runs if "machine.reset" in code]  # it was started
    changed = files | {"rig/app.mpy": b"another"}
    board.runs.clear()
    assert put_on(board.path, changed, lambda *_: None) == 2
    assert on_disk() == changed
    steps = [code for code in board.runs if "main.py" in code or "app.mpy" in code]
    assert "remove" in steps[0] and "app.mpy" in steps[1] and "main.py" in steps[-1]


def test_a_terminal_is_not_made_a_rig(used, plug_in, files, flash_file, monkeypatch):
    shorten(monkeypatch)
    board = plug_in(jumper=True)
    with pytest.raises(UserError, match=r"another program \(boot.py, main.py, tumbler/.*right port"):
        put_on(board.path, files, lambda *_: None)
    assert "machine.reset" in board.runs[-1]  # it runs again
    assert flash_file.read_bytes() == used.flash


def test_a_module_that_would_be_taken_for_one_of_the_rigs_goes(plug_in, files, flash_file, on_disk, monkeypatch):
    shorten(monkeypatch)
    new_flash(flash_file, files | {"rig/app.py": b"found before rig/app.mpy"})
    put_on(plug_in(jumper=True).path, files, lambda *_: None)
    assert on_disk() == files


@pytest.mark.parametrize(
    ("uname", "says"),
    [(("rp2", "rp2", "1.24.1", "", ""), "has 1.24.1 and"), (("esp32", "esp32", "1.25.0", "", ""), "drag its .uf2")],
)
def test_another_micropython_is_refused_before_anything_is_written(plug_in, files, on_disk, monkeypatch, uname, says):
    shorten(monkeypatch)
    board = plug_in(jumper=True, uname=uname)
    with pytest.raises(UserError, match=says):
        put_on(board.path, files, lambda *_: None)
    assert on_disk() == {}
