"""What breaks when boards are flashed, at a stand-in on a pty: it is borne, or one sentence says what to do."""

import dataclasses
import errno
import re
import sys

import pytest
import serial
from littlefs import LittleFSError

from host_tools.boards import load_board
from host_tools.build import build_files
from host_tools.flash import command
from host_tools.link import port
from host_tools.link.port import Port
from host_tools.sim.board import SimBoard
from tests.host.flash import standin
from tests.host.flash.conftest import mounted
from tests.host.flash.standin import BANNER, PICO, new_flash
from tests.host.wait import wait_until


def refused(answer):
    """The sentence of a refusal, which is one line on stderr."""
    code, _, err = answer
    assert code == 2, err
    (sentence,) = [line for line in err.splitlines() if line.strip()]
    return sentence


@pytest.mark.parametrize(
    "trouble",
    [
        {"late_s": 1.2},
        {"greeting": b"MPY: soft reboot\r\nsensor 17\r\nsensor 18" + BANNER},
        {"paste": False},
    ],
    ids=["answers late", "banner of a start", "no raw paste"],
)
def test_a_raw_repl_that_is_slow_to_come_is_entered(trouble, used, newer, flash, plug_in, monkeypatch, on_disk):
    monkeypatch.setattr(command, "build_files", lambda board: newer)
    code, _, err = flash(plug_in(jumper=True, jumper_out_at_reset=1, **trouble))
    assert code == 0, err
    assert on_disk() == newer


@pytest.mark.parametrize("talk", [b"", b"tick\r\n"], ids=["silent", "talks on"])
def test_a_raw_repl_that_never_comes_is_one_sentence(talk, flash, plug_in):
    board = plug_in(mute=True, talk=talk)
    said = refused(flash(board))
    assert said.startswith(f"The board at {board.path} lets nobody in") and "fit the maintenance jumper" in said
    assert board.runs == []


@pytest.mark.parametrize(
    ("uname", "says"),
    [
        (("rp2", "rp2", "1.24.1", "v1.24.1", PICO[4]), r"has MicroPython 1\.24\.1, .*1\.25 or newer for RPI_PICO"),
        ((*PICO[:4], "Raspberry Pi Pico W with RP2040"), r"is for Raspberry Pi Pico W .*board file for RPI_PICO_W"),
        (
            (*PICO[:4], "Pimoroni Tiny 2040 with RP2040"),
            r"is for Pimoroni Tiny 2040 .* Raspberry Pi Pico: hold",
        ),
        (("rp2040", "rp2040", "9.2.1", "9.2.1", PICO[4]), r"not MicroPython for an RP2040: hold BOOTSEL"),
    ],
    ids=["too old", "pico_w", "unknown board", "CircuitPython"],
)
def test_another_micropython_is_refused_before_anything_is_written(uname, says, flash, plug_in, flash_file):
    new_flash(flash_file, {"notes.txt": b"a note"})
    before = flash_file.read_bytes()
    assert re.search(says, refused(flash(plug_in(uname=uname))))
    assert flash_file.read_bytes() == before


@pytest.mark.parametrize(
    "mine", [None, {"main.py": b"print('my own')"}], ids=["another micropython", "another program"]
)
def test_a_board_that_was_refused_runs_again(flash, plug_in, flash_file, mine):
    if mine is not None:
        new_flash(flash_file, mine)
    board = plug_in(jumper=True, uname=PICO if mine else (*PICO[:4], "Pimoroni Tiny 2040 with RP2040"))
    refused(flash(board))
    wait_until(lambda: board.resets)  # nobody waits for that
    board.stop()
    assert [code for code in board.runs if "machine.reset" in code] == board.runs[-1:]
    assert board.resets == 1


def test_with_the_jumper_too_a_board_of_other_wires_is_taken_only_when_they_were_changed(
    used, flash, plug_in, monkeypatch, on_disk
):
    """Its relay could hang on another pin; the jumper says nothing of that, it is fitted for every visit."""
    other = dataclasses.replace(load_board("pico"), name="table7")
    files = build_files(other)
    monkeypatch.setattr(command, "load_board", lambda name: other)
    monkeypatch.setattr(command, "build_files", lambda board: files)
    monkeypatch.setattr(standin.Playing, "board_name", "table7")
    before = on_disk()
    said = refused(flash(plug_in(jumper=True)))
    assert said.startswith("The firmware there is for board pico, not for table7: give --board pico")
    assert "--rewired" in said and on_disk() == before
    code, _, err = flash(plug_in(jumper=True, jumper_out_at_reset=1), "--rewired")
    assert code == 0, err
    assert on_disk() == files


def test_what_a_board_calls_itself_cannot_steer_the_terminal(flash, plug_in):
    said = refused(flash(plug_in(uname=(*PICO[:4], "Pi\x1b[2J\x1b]0;title\x07"))))
    assert r"is for Pi\x1b[2J\x1b]0;title\x07, not for" in said


def test_an_exception_without_a_word_is_a_sentence(flash, plug_in, monkeypatch):
    board = plug_in()
    monkeypatch.setattr(board, "execute", lambda code: (b"", b"\n"))
    said = refused(flash(board))
    assert "What answers there is not MicroPython" in said


def test_a_flash_of_another_size_is_refused(flash, plug_in, flash_file):
    new_flash(flash_file, {}, "RPI_PICO_W")
    assert "keeps its files in 848 KiB and stock ones in 1408 KiB" in refused(flash(plug_in()))


def test_another_program_is_named_and_stays(flash, plug_in, flash_file, on_disk):
    mine = {"main.py": b"print('my own')", "servo.py": b"x = 1"}
    new_flash(flash_file, mine)
    said = refused(flash(plug_in(jumper=True)))
    assert "another program (main.py, servo.py)" in said and "mpremote fs rm :main.py" in said
    assert on_disk() == mine


def test_a_full_flash_is_told_before_a_file_is_changed(used, newer, flash, plug_in, flash_file, monkeypatch):
    disk, area = mounted(flash_file)
    with pytest.raises(LittleFSError, match="-28"):
        for n in range(300):
            with disk.open(f"log{n}", "wb") as file:
                file.write(bytes(4096))
    flash_file.write_bytes(area.buffer)
    board = plug_in(jumper=True)
    big = newer | {"tumbler/app.mpy": newer["tumbler/app.mpy"] + bytes(9000)}
    monkeypatch.setattr(command, "build_files", lambda board: big)
    said = refused(flash(board))
    assert "flash is full" in said and "no file of it was changed" in said
    assert not any("os.remove" in code for code in board.runs)


def test_a_file_in_the_journals_place_is_told_and_no_key_is_made(flash, plug_in, flash_file, tmp_path):
    new_flash(flash_file, {f"f{n}.bin": b"x" * 40_000 for n in range(30)})
    assert "lies where its journal belongs" in refused(flash(plug_in()))
    assert not (tmp_path / "config" / "tumbler").exists()


def test_a_port_that_somebody_has_is_told(flash, plug_in):
    board = plug_in(mute=True)
    other = Port(board.path)
    said = refused(flash(board))
    other.close()
    assert f"Port {board.path} is busy" in said


def test_a_port_that_one_may_not_open_names_the_group(flash, plug_in, monkeypatch):
    def refuse(*_, **__):
        raise serial.SerialException(errno.EACCES, "could not open port")

    board = plug_in(mute=True)
    monkeypatch.setattr(port, "_Serial", refuse)
    monkeypatch.setattr(sys, "platform", "linux")
    assert "dialout" in refused(flash(board))


def test_a_simulated_board_is_not_ordered_into_maintenance_for_nothing(micropython, tumbler, tmp_path):
    with SimBoard(tmp_path / "sim", dev="sim-0123456789ab-0001") as sim:
        sim.request("supervisor", on=True)
        said = refused(tumbler("flash", "--board", "pico", "--port", sim.serial_path, "--by", "anna"))
        assert said.startswith("Board sim-0123456789ab-0001 is simulated") and "give --port" in said


def test_no_port_and_a_bad_board_are_told_first(tumbler):
    assert refused(tumbler("flash", "--board", "pico", "--port", "/dev/nowhere")).startswith("There is no port")
    assert "nosuch" in refused(tumbler("flash", "--board", "nosuch"))
