"""`tumbler flash` at a stand-in on a pty: a new board, what changed, cuts, and a board that plays."""

import dataclasses
import stat

import pytest
from tumbler.hw import guards

from host_tools import keys, repl
from host_tools.boards import load_board
from host_tools.build import build_files, firmware_id
from host_tools.flash import command, files, job
from host_tools.image import BLOCK_BYTES, guarded_blocks
from tests.host.flash import standin
from tests.host.flash.standin import CHIP, new_flash

PICO = load_board("pico")


def writes(board):
    """The files that were written, in order of their last piece."""
    closed = [code.split("_close('/")[1].split(".new'")[0] for code in board.runs if "_close('/" in code]
    return [path for path in closed if not path.startswith("ram/")]


def test_a_new_board_gets_guards_identity_and_files_and_its_hello_proves_them(
    used, plug_in, on_disk, built, flash_file
):
    assert f"Board {used.dev} runs firmware {firmware_id(built)} for pico, as its hello says." in used.said
    assert "41 of 41 files were copied, the others were there already." in used.said
    assert used.dev.startswith(f"{CHIP}-") and on_disk() == built
    path = keys.key_path(used.dev)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert used.key.hex() not in "".join(used.said)
    first = guarded_blocks(PICO)[0] * BLOCK_BYTES
    assert used.key in flash_file.read_bytes()[first : first + guards.IDENTITY_SECTORS * BLOCK_BYTES]


def test_guards_and_identity_come_before_any_file_and_main_comes_last(flashed):
    guarding = next(n for n, code in enumerate(flashed.runs) if "provision.guard()" in code)
    giving = next(n for n, code in enumerate(flashed.runs) if ".give(" in code)
    first = next(n for n, code in enumerate(flashed.runs) if "'/boot.py.new'" in code)
    assert guarding < giving < first
    assert flashed.runs[-3].count("_close('/main.py.new'") == 1  # then the last look, and the reset


def test_a_board_that_plays_this_firmware_is_left_alone(used, plug_in, flash):
    board = plug_in(key=used.key)
    code, out, _ = flash(board)
    assert (code, board.runs, board.resets) == (0, [], 0)
    assert "already: nothing was copied" in out


def test_in_maintenance_nothing_is_copied_twice_and_the_jumper_is_waited_for(used, plug_in, flash, flash_file):
    board = plug_in(jumper=True, jumper_out_at_reset=1)
    code, out, err = flash(board)
    assert code == 0, err
    assert "0 of 41 files were copied" in out and "take the maintenance jumper out" in out
    assert writes(board) == [] and flash_file.read_bytes() == used.flash


def test_only_what_changed_is_copied_with_the_program_away_meanwhile(plug_in, flash, flash_file, built, on_disk):
    old = built | {"tumbler/core/keys.mpy": b"old", "tumbler/core/gone.mpy": b"x", "tumbler/hw/relay.py": b"shadow"}
    new_flash(flash_file, old | {"notes.txt": b"a note"})
    board = plug_in(jumper=True, jumper_out_at_reset=1)
    code, out, err = flash(board)
    assert code == 0, err
    assert "2 of 41 files were copied" in out
    assert writes(board) == ["tumbler/core/keys.mpy", "main.py"]
    removed = [code.split("'")[1] for code in board.runs if code.startswith("os.remove")]
    assert removed == ["/main.py", "/tumbler/core/gone.mpy", "/tumbler/hw/relay.py"]
    assert on_disk() == built | {"notes.txt": b"a note"}


def test_a_new_board_cut_off_half_way_starts_nothing_and_the_next_run_finishes(plug_in, flash, on_disk, built):
    code, _, err = flash(plug_in(cut_at=60))
    assert code == 2 and err.splitlines()[-1].startswith("The board went away while its files were copied: plug it in")
    there = on_disk()
    assert there and "main.py" not in there
    assert all(data == built[path] for path, data in there.items() if not path.endswith(".new"))
    code, out, err = flash(plug_in())
    assert code == 0, err
    assert f"{41 - len([path for path in there if path in built])} of 41 files were copied" in out
    assert on_disk() == built
    assert len(list(keys.key_path("x").parent.iterdir())) == 1  # the identity of the first run stayed


def test_ctrl_c_half_way_says_how_the_board_is_left_and_the_next_run_finishes(
    used, newer, plug_in, flash, on_disk, monkeypatch
):
    monkeypatch.setattr(command, "build_files", lambda board: newer)

    def interrupt(*_):
        raise KeyboardInterrupt

    board = plug_in(jumper=True, jumper_out_at_reset=1)
    with monkeypatch.context() as patch:
        patch.setattr(files, "write_file", interrupt)
        code, out, _ = flash(board)
    assert code == 130 and out.splitlines()[-1].startswith("Interrupted: ") and "run the same command again" in out
    assert "main.py" not in on_disk()
    assert flash(board)[0] == 0
    assert on_disk() == newer


def test_a_watchdog_that_bites_meanwhile_is_borne(used, plug_in, flash, on_disk, newer, monkeypatch):
    monkeypatch.setattr(command, "build_files", lambda board: newer)
    monkeypatch.setattr(repl, "ANSWER_LIMIT_S", 1)
    board = plug_in(bite_at=9, jumper=True, jumper_out_at_reset=2)
    code, out, err = flash(board)
    assert code == 0, err
    assert "was reset or unplugged while its files were copied" in out
    assert on_disk() == newer and board.resets == 2


def test_a_board_that_is_reset_again_and_again_is_told(used, plug_in, flash, monkeypatch):
    monkeypatch.setattr(repl, "ANSWER_LIMIT_S", 0.5)
    board = plug_in(bite_at=2, bites=99, jumper=True)
    code, _, err = flash(board)
    assert code == 2 and "reset again and again" in err


@pytest.fixture
def update(used, flash, monkeypatch, newer):
    """What is built is not what the board plays -> the board's dev and key."""
    monkeypatch.setattr(command, "build_files", lambda board: newer)
    return used


def test_a_board_in_production_is_not_touched_without_an_order(update, plug_in, flash):
    board = plug_in(key=update.key)
    code, _, err = flash(board)
    assert code == 2 and f"Board {update.dev} is in production" in err and "--by NAME" in err and "jumper" in err
    assert board.runs == [] and board.resets == 0


def test_with_an_order_and_its_supervisor_key_it_goes_into_maintenance(update, plug_in, flash, newer, on_disk):
    board = plug_in(key=update.key)
    code, out, err = flash(board, "--by", "anna")
    assert code == 0, err
    assert f"Board {update.dev} goes into maintenance" in out and f"runs firmware {firmware_id(newer)}" in out
    assert writes(board) == ["tumbler_board.mpy", "main.py"] and on_disk() == newer


def test_a_board_that_leaves_the_bus_on_its_way_into_maintenance_is_waited_for(
    update, plug_in, flash, newer, on_disk, tmp_path, monkeypatch
):
    monkeypatch.setattr(job, "COME_BACK_S", 5)
    code, out, err = flash(plug_in(key=update.key, usb=tmp_path / "ttyACM0"), "--by", "anna")
    assert code == 0, err
    assert f"runs firmware {firmware_id(newer)}" in out and on_disk() == newer
    assert "was reset or unplugged while its files were copied" not in out


def test_a_board_that_plays_is_not_made_one_of_other_wires_from_afar(update, plug_in, flash, monkeypatch):
    """Its relay could hang on another pin."""
    monkeypatch.setattr(standin.Playing, "board_name", "table7")
    board = plug_in(key=update.key)
    code, _, err = flash(board, "--by", "anna")
    assert code == 2 and f"Board {update.dev} is wired as table7, not as pico" in err and "jumper" in err
    assert board.runs == [] and board.resets == 0


def test_without_its_supervisor_key_it_refuses_the_order(update, plug_in, flash):
    board = plug_in(key=update.key, supervisor=False)
    code, _, err = flash(board, "--by", "anna")
    assert code == 2 and "the supervisor key is not on" in err and board.runs == []


def test_with_another_key_the_order_is_not_believed(update, plug_in, flash):
    board = plug_in(key=bytes(range(1, 33)))
    code, _, err = flash(board, "--by", "anna")
    assert code == 2 and "key file" in err and board.runs == []


def test_a_journal_in_use_keeps_its_sectors(used, plug_in, flash, monkeypatch, flash_file):
    smaller = dataclasses.replace(PICO, journal=dataclasses.replace(PICO.journal, sectors=PICO.journal.sectors - 4))
    monkeypatch.setattr(command, "build_files", lambda board: build_files(smaller))
    code, _, err = flash(plug_in(jumper=True))
    assert code == 2 and "same [journal] sectors" in err
    assert flash_file.read_bytes() == used.flash


def test_a_file_system_made_anew_is_guarded_again_and_the_dev_stays(used, plug_in, flash, flash_file, on_disk, built):
    kept = used.flash[guarded_blocks(PICO)[0] * BLOCK_BYTES :]
    flash_file.write_bytes(b"\xff" * 8192 + used.flash[8192:])  # so that MicroPython makes it anew
    code, out, err = flash(plug_in())
    assert code == 0, err
    assert f"Board {used.dev} runs" in out and "provisioned" not in out
    assert flash_file.read_bytes()[guarded_blocks(PICO)[0] * BLOCK_BYTES :] == kept
    assert on_disk() == built
