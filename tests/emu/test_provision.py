"""Provisioning over the serial line of an emulated board, by the host's own command path and mpremote's transport."""

import dataclasses

import pytest

from host_tools import keys, provision, repl
from host_tools.boards import load_board
from host_tools.build import build_files
from host_tools.emu.board import EmuBoard
from host_tools.emu.live import LiveBoard
from host_tools.image import PORTS, filesystem
from host_tools.sim.shims.drum import FLOATING, LOW
from host_tools.uf2 import FLASH_START

pytestmark = pytest.mark.emu_full
PICO = load_board("pico")
BOARD = dataclasses.replace(PICO, journal=dataclasses.replace(PICO.journal, sectors=16))


def test_a_board_whose_filesystem_has_no_guards_gets_guards_a_dev_and_a_key(uf2, emulated, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(repl, "ANSWER_LIMIT_S", 900)  # of the host; the board is some hundred times as slow
    monkeypatch.setattr(repl, "ENTER_LIMIT_S", 300)
    files, port = build_files(BOARD), PORTS["RPI_PICO"]
    board = emulated(EmuBoard(BOARD, uf2=uf2, files=files))
    area = bytearray(b"\xff" * port.size)
    for number, data in filesystem(files, port.size // 4096, ()).items():
        area[number * 4096 : (number + 1) * 4096] = data
    start = port.address - FLASH_START
    board.device.mcu.flash[start : start + port.size] = area
    board.world.set_outside(BOARD.pins.maintenance, LOW)
    live = LiveBoard(board)
    try:
        live.call("step", {"ms": 1500})
        with repl.Repl(live.serial_path) as console:
            said = provision.give_identity(console, BOARD)
    finally:
        live.stop()
    dev = said.split()[1]
    assert "is provisioned" in said and keys.key_path(dev).exists()
    assert bytes.fromhex(keys.key_path(dev).read_text()) in bytes(board.device.mcu.flash)
    board.world.set_outside(BOARD.pins.maintenance, FLOATING)
    board.usb.read()
    board.reset("power")
    heard = b""
    for _ in range(40):
        board.step(50)
        heard += board.usb.read()
        if b'"kind":"hello"' in heard:
            break
    assert f'"dev":"{dev}","boot":1,'.encode() in heard
