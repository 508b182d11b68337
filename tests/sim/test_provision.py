"""Provisioning from the command to the flash: the firmware's part runs on MicroPython, over a simulated flash."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from host_tools import keys, provision
from host_tools.boards import board_module, load_board
from host_tools.errors import UserError
from host_tools.image import filesystem
from host_tools.sim.board import FIRMWARE, FLASH, FLASH_BLOCKS, SHIMS, SimBoard, find_micropython
from tests.sim.conftest import READY_MS
from tests.sim.flashfile import BLOCK, FIRST, SECTORS, records
from tests.sim.simhost import Sim

PICO = load_board("pico")
CHIP = "e6614c31d3b8a52f"
# What a board has and the unix port has not: the chip's flash, its id and the watchdog's scratch.
BOARD = f"""
import rp2, world
rp2.Flash.path = "{FLASH}"
class Chip:
    unique_id = bytes.fromhex("{CHIP}")
    scratch = [0] * 8
world.the = Chip()
"""


class Board:
    """A board in maintenance: what is run there runs on MicroPython's unix port. said: all code that came."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.said = folder, ""
        (folder / "tumbler_board.py").write_text(board_module(PICO))
        self.new_filesystem(bytearray(b"\xff" * (FLASH_BLOCKS * BLOCK)))

    @property
    def flash(self) -> bytes:
        return (self.folder / FLASH).read_bytes()

    def new_filesystem(self, flash: bytearray, files: dict[str, bytes] | None = None) -> None:
        """Made anew, without guards; what else is on the flash stays."""
        for number, data in filesystem(files or {}, FLASH_BLOCKS, ()).items():
            flash[number * BLOCK : (number + 1) * BLOCK] = data
        (self.folder / FLASH).write_bytes(flash)

    def run(self, code: str) -> str:
        self.said += code + "\n"
        done = subprocess.run(
            [find_micropython(), "-c", BOARD + code],
            env={**os.environ, "MICROPYPATH": f"{SHIMS}:{FIRMWARE}:{self.folder}:.frozen"},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode:
            raise UserError((done.stdout + done.stderr).strip().splitlines()[-1])
        return done.stdout.strip()


@pytest.fixture
def board(micropython: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Board:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "board").mkdir()
    return Board(tmp_path / "board")


def dev_in(sentence: str) -> str:
    return sentence.split()[1]


def test_a_blank_board_gets_guards_a_dev_and_a_key_and_then_plays(board: Board) -> None:
    said = provision.give_identity(board, PICO)
    dev = dev_in(said)
    assert dev[:-4] == f"{CHIP}-" and "is provisioned" in said
    path = keys.key_path(dev)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = bytes.fromhex(path.read_text())
    assert len(key) == 32 and key.hex() not in said and key in board.flash
    sim = Sim(SimBoard(board.folder, clock="virtual"))
    try:
        seen = sim.rig.step(READY_MS)
        assert seen["lamp"] == "off"
        assert [(r["kind"], r["dev"], r["replaces"]) for r in records(board.folder)] == [("boot", dev, None)]
    finally:
        sim.stop()


def test_a_board_that_has_an_identity_keeps_it(board: Board) -> None:
    dev = dev_in(provision.give_identity(board, PICO))
    before, listed = board.flash, os.listdir(keys.key_path(dev).parent)
    with pytest.raises(UserError, match=rf"provisioned already, as {dev}: its identity stays"):
        provision.give_identity(board, PICO)
    assert board.flash == before and os.listdir(keys.key_path(dev).parent) == listed


def test_after_a_filesystem_made_anew_the_journal_is_guarded_again(board: Board) -> None:
    dev = dev_in(provision.give_identity(board, PICO))
    sim = Sim(SimBoard(board.folder, clock="virtual"))
    sim.rig.step(READY_MS)
    sim.stop()
    kept = board.flash[(FIRST - 2) * BLOCK :]
    board.new_filesystem(bytearray(board.flash), {"main.py": b"x" * 9000})
    assert provision.give_identity(board, PICO) == f"Board {dev}: its journal is guarded again."
    assert board.flash[(FIRST - 2) * BLOCK :] == kept
    sim = Sim(SimBoard(board.folder, clock="virtual"))
    sim.rig.step(READY_MS)
    sim.stop()
    assert [r["boot"] for r in records(board.folder)] == [1, 2]


@pytest.mark.parametrize("where", [40, FIRST + SECTORS - 1])
@pytest.mark.parametrize("magic", [b"TSI1", b"TSJ1"])
def test_a_journal_or_an_identity_at_another_place_stops_it(board: Board, magic: bytes, where: int) -> None:
    flash = bytearray(board.flash)
    flash[where * BLOCK : where * BLOCK + 4] = magic
    (board.folder / FLASH).write_bytes(flash)
    with pytest.raises(UserError, match="nothing was changed"):
        provision.give_identity(board, PICO)
    assert board.flash == flash and not keys.key_path("x").parent.exists()


def half_an_identity(board: Board) -> None:
    """What a power cut leaves of the first page of one that is being made."""
    flash = bytearray(board.flash)
    flash[(FIRST - 1) * BLOCK : (FIRST - 1) * BLOCK + 128] = b"TSI1" + bytes(124)
    (board.folder / FLASH).write_bytes(flash)


def test_a_power_cut_in_the_middle_of_giving_the_identity_is_mended_by_giving_one_again(board: Board) -> None:
    half_an_identity(board)
    assert "is provisioned" in provision.give_identity(board, PICO)


def test_a_power_cut_in_the_middle_of_a_first_start_is_mended_by_the_next_one(board: Board) -> None:
    (board.folder / "dev.txt").write_text("emu-0000000000b1-0001\n")
    board.run(provision.IMPORT + "provision.guard()")
    half_an_identity(board)
    assert board.run("from tumbler import app\nprint(app.kept(('',) * 4)[0].dev)") == "emu-0000000000b1-0001"


def test_a_copy_of_the_identity_that_fails_is_a_fault_of_the_journal_and_no_endless_reset(board: Board) -> None:
    dev = dev_in(provision.give_identity(board, PICO))
    flash = bytearray(board.flash)
    flash[(FIRST - 2) * BLOCK : (FIRST - 1) * BLOCK] = bytes(BLOCK)
    (board.folder / FLASH).write_bytes(flash)
    fails = f"""
whole = rp2.Flash.ioctl
rp2.Flash.ioctl = lambda flash, op, block: 0 if (op, block) == (6, {FIRST - 2}) else whole(flash, op, block)
from tumbler import app
who, journal = app.kept(("",) * 4)
try:
    journal.open(who.dev)
except app.JournalError as e:
    print(type(e).__name__, who.dev)
"""
    assert board.run(fails) == f"JournalError {dev}"
    assert board.flash == flash  # the other copy is as it was


def test_a_file_in_the_way_is_named_and_no_key_is_made(board: Board) -> None:
    full = {f"f{n}": b"x" * 40_000 for n in range(30)}  # all but a few blocks
    board.new_filesystem(bytearray(b"\xff" * (FLASH_BLOCKS * BLOCK)), full)
    with pytest.raises(UserError, match="A file on the board lies where its journal belongs"):
        provision.give_identity(board, PICO)
    assert not keys.key_path("x").parent.exists()


def test_firmware_for_another_board_is_refused(board: Board) -> None:
    with pytest.raises(UserError, match="for board pico, not pico_w: give --board pico"):
        provision.give_identity(board, load_board("pico_w"))


def test_something_else_that_answers_is_refused() -> None:
    class Other:
        def run(self, code: str) -> str:
            return "hello"

    with pytest.raises(UserError, match="is not this firmware"):
        provision.give_identity(Other(), PICO)


def test_a_board_that_does_not_take_its_identity_is_told(board: Board) -> None:
    class Forgetful(Board):
        def run(self, code: str) -> str:
            return "" if "give(" in code else super().run(code)

    board.__class__ = Forgetful
    with pytest.raises(UserError, match=r"did not take its identity .* remove the key file"):
        provision.give_identity(board, PICO)


def test_a_key_that_is_there_is_not_overwritten(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provision.secrets, "token_hex", lambda _: "9c1e")
    path = keys.keep_new_key(f"{CHIP}-9c1e", bytes(32))
    with pytest.raises(UserError, match="There is a key for board"):
        provision.give_identity(board, PICO)
    assert path.read_text() == "00" * 32 + "\n" and "give(" not in board.said
