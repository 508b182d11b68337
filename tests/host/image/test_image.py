"""Images: read back with littlefs they hold the firmware, beside MicroPython as it was; nothing else gets one."""

from __future__ import annotations

import os
import struct
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tumbler.hw import identity

from host_tools.boards import board_names, load_board
from host_tools.build import build_files
from host_tools.errors import UserError
from host_tools.image import DEV_FILE, PORTS, add_filesystem, check_micropython, filesystem
from host_tools.uf2 import read_uf2
from tests.host.conftest import Tumbler
from tests.host.image.fake_uf2 import AREAS, FLASH, Area, files_of, flash_of, micropython, stock, uf2

DEV = "emu-0000000000b1-0001"
PICO = load_board("pico")


@pytest.fixture
def tumbler(tumbler: Tumbler, tmp_path: Path) -> Tumbler:
    """Runs `tumbler image` with arguments in a folder with stock.uf2 -> (exit code, stdout, stderr)."""
    (tmp_path / "stock.uf2").write_bytes(stock("pico"))
    return partial(tumbler, "image")


def refusal(data: bytes, board: str = "pico") -> str:
    with pytest.raises(UserError) as caught:
        check_micropython(read_uf2(data, "some.uf2"), "some.uf2", load_board(board))
    message = str(caught.value)
    assert message.startswith("some.uf2") and message.endswith(".") and "\n" not in message
    return message


# ---------------------------------------------------------------- what it gives


def test_the_image_holds_micropython_as_it_was_and_the_firmware(tumbler: Tumbler, tmp_path: Path) -> None:
    code, out, err = tumbler("--board", "pico", "--micropython", "stock.uf2", "--dev", DEV, "--out", "new.uf2")
    assert (code, err) == (0, "")
    assert "MicroPython v1.25.0" in out and f"Identity {DEV}, not for play." in out
    pages = flash_of((tmp_path / "new.uf2").read_bytes())
    before = flash_of(stock("pico"))
    assert {address: pages[address] for address in before} == before
    assert files_of(pages, "pico") == build_files(PICO) | {"dev.txt": b"emu-0000000000b1-0001\n"}
    assert sorted(os.listdir(tmp_path)) == ["new.uf2", "stock.uf2"]


def test_without_an_identity_there_is_none(tumbler: Tumbler, tmp_path: Path) -> None:
    code, out, _ = tumbler("--board", "pico", "--micropython", "stock.uf2", "--out", "new.uf2")
    assert code == 0 and "No identity is in it" in out
    assert files_of(flash_of((tmp_path / "new.uf2").read_bytes()), "pico") == build_files(PICO)


@pytest.mark.parametrize("name", list(AREAS))
def test_each_board_gets_its_files_where_its_micropython_looks(name: str) -> None:
    board = load_board(name)
    pages = read_uf2(stock(name), "some.uf2")
    assert check_micropython(pages, "some.uf2", board) == "v1.25.0"
    assert files_of(add_filesystem(pages, board, {"a/b.txt": b"x"}), name) == {"a/b.txt": b"x"}


def test_every_bundled_board_has_its_area() -> None:
    assert {load_board(name).micropython for name in board_names()} == set(PORTS)
    for name, (sdk_board, start, size) in AREAS.items():
        port = PORTS[load_board(name).micropython]
        assert (port.pico_board, port.address, port.size) == (sdk_board, start, size)


def test_only_whole_sectors_are_written_and_unused_ones_left_out() -> None:
    before = read_uf2(stock("pico"), "some.uf2")
    added = set(add_filesystem(before, PICO, build_files(PICO))) - set(before)
    sectors = {address & ~0xFFF for address in added}
    assert added == {sector + page for sector in sectors for page in range(0, 4096, 256)}
    assert min(sectors) >= 0x100A0000 and max(sectors) < 0x10200000
    assert len(sectors) < 352 // 4


def test_the_same_files_give_the_same_blocks_in_whatever_order() -> None:
    files = {"b/c": b"1" * 5000, "a": b"2", "b/a": b""}
    assert filesystem(files, 64, range(50, 64)) == filesystem(dict(reversed(files.items())), 64, range(50, 64))


@pytest.mark.parametrize("name", list(AREAS))
def test_guards_own_the_end_of_the_area_and_what_they_guard_is_left_out(name: str) -> None:
    board, (_, start, size) = load_board(name), AREAS[name]
    pages = add_filesystem({}, board, build_files(board))
    sectors = board.journal.sectors + 2
    first = size // 4096 - sectors
    owned = Area(pages, name).guards()
    assert owned == {f"{number:03d}": first + number for number in range(sectors)}
    assert max(pages) < start + first * 4096


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.binary(max_size=30_000), max_size=20))
def test_files_of_any_size_leave_the_guarded_blocks_alone(files: dict[str, bytes]) -> None:
    guarded = [20, 3, 9, 63, 40, 41, 42]
    blocks = filesystem(files, 352, guarded)
    assert not set(blocks) & set(guarded)
    pages = {
        0x100A0000 + 4096 * n + at: data[at : at + 256] for n, data in blocks.items() for at in range(0, 4096, 256)
    }
    assert list(Area(pages, "pico").guards().values()) == guarded
    assert files_of(pages, "pico") == files


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.from_regex("([a-z]{1,6}/){0,2}[a-z]{1,6}[.]mpy", fullmatch=True), st.binary(max_size=9000)))
def test_any_files_are_read_back_as_they_were(files: dict[str, bytes]) -> None:
    assert files_of(add_filesystem({}, PICO, files), "pico") == files


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 9000)), max_size=60), st.integers(0, 3))
def test_an_image_over_a_used_flash_shows_nothing_of_the_older_filesystem(
    changes: list[tuple[str, int]], folders: int
) -> None:
    guarded = list(range(100, 112))
    used = Area(add_filesystem({}, PICO, {"tumbler/a.mpy": b"1", "lib/b.mpy": b"2"}), "pico")
    for number in range(folders):
        used.disk.mkdir(f"more{number}")
    for name, size in changes:  # directories are written over and over, and move
        with used.disk.open(f"tumbler/{name}", "wb") as file:
            file.write(b"old" * (size // 3))
    used.disk.unmount()
    files = {"tumbler/a.mpy": b"new", "main.py": b"x" * 5000}
    pages = {0x100A0000 + at: bytes(used.buffer[at : at + 256]) for at in range(0, len(used.buffer), 256)}
    for number, data in filesystem(files, 352, guarded).items():
        pages |= {0x100A0000 + 4096 * number + at: data[at : at + 256] for at in range(0, 4096, 256)}
    assert files_of(pages, "pico") == files
    assert list(Area(pages, "pico").guards().values()) == guarded


def test_the_identity_lies_where_the_firmware_looks() -> None:
    assert DEV_FILE == identity.FILE


# ---------------------------------------------------------------- what is refused


def test_a_program_that_is_not_micropython_is_refused() -> None:
    message = refusal(uf2(micropython(name="blink")))
    assert "holds no MicroPython; give the .uf2 of MicroPython 1.25 or newer for RPI_PICO" in message


def test_a_program_that_says_nothing_of_itself_is_refused() -> None:
    assert "holds no MicroPython" in refusal(uf2(bytes(4096)))


@pytest.mark.parametrize("version", ["v1.24.1", "v0.99.0", "", "1.30", "vX.Y"])
def test_a_micropython_that_is_too_old_or_of_no_known_version_is_refused(version: str) -> None:
    assert f"MicroPython {version!r}, which this firmware is not for" in refusal(uf2(micropython(version=version)))


@pytest.mark.parametrize("version", ["v1.25.0", "v1.28.0", "v1.30.0-preview.12.g0123456789", "v2.0.0"])
def test_newer_micropythons_are_taken(version: str) -> None:
    assert check_micropython(read_uf2(uf2(micropython(version=version)), "x"), "x", PICO) == version


def test_micropython_for_another_board_is_refused() -> None:
    assert "for the board 'pico'; give the .uf2" in refusal(stock("pico"), "waveshare_rp2040_zero")
    assert "for the board 'pico_w'; give the .uf2" in refusal(stock("pico_w"), "pico")


@pytest.mark.parametrize("area", [(0x100C0000, 1408 * 1024), (0x100A0000, 1024 * 1024)])
def test_micropython_with_another_flash_for_files_is_refused(area: tuple[int, int]) -> None:
    assert "keeps its files elsewhere than stock ones" in refusal(uf2(micropython(area=area)))


def test_micropython_that_reaches_into_the_files_is_refused() -> None:
    whole = micropython()
    just = whole.ljust(0xA0000, b"\0")
    assert check_micropython(read_uf2(uf2(just), "x"), "x", PICO) == "v1.25.0"
    message = refusal(uf2(just + b"x"))
    assert "reaches to 0x100a0100 and the files begin at 0x100a0000" in message


def test_micropython_that_formats_its_flash_for_a_usb_drive_is_refused() -> None:
    """rp2's main.c then runs _boot_fat.py, which makes a new FAT filesystem of what it cannot mount."""
    message = refusal(stock("arduino_nano_rp2040", extra=bytes(250) + b"Board MSC\0"), "arduino_nano_rp2040")
    assert "USB drive" in message and "MICROPY_HW_USB_MSC set to 0" in message


def test_a_board_whose_micropython_is_not_known_is_refused() -> None:
    with pytest.raises(UserError, match=r"MicroPython PIMORONI_TINY2040, and where .* RPI_PICO_W"):
        check_micropython(read_uf2(stock("pico"), "x"), "x", replace(PICO, micropython="PIMORONI_TINY2040"))


@settings(max_examples=400, deadline=None)
@given(st.integers(0x100, 0x4FF), st.binary(min_size=1, max_size=8))
def test_a_damaged_table_of_facts_gives_a_version_or_a_sentence(at: int, put: bytes) -> None:
    flash = bytearray(micropython())
    flash[at : at + len(put)] = put
    pages = read_uf2(uf2(bytes(flash)), "some.uf2")
    try:
        assert check_micropython(pages, "some.uf2", PICO).startswith("v")
    except UserError as error:
        assert str(error).startswith("some.uf2") and "\n" not in str(error)


@pytest.mark.parametrize("first", [0, FLASH - 4, FLASH + 0x7FE, 0xFFFFFFFF])
@pytest.mark.parametrize("size", [-4, 0, 2, 4096, 2**31])
def test_a_table_of_facts_that_points_elsewhere_is_refused(first: int, size: int) -> None:
    flash = bytearray(micropython())
    struct.pack_into("<2I", flash, 0x1D8, first, (first + size) % 2**32)
    assert "holds no MicroPython" in refusal(uf2(bytes(flash)))


def test_a_table_of_facts_without_its_end_mark_is_refused() -> None:
    flash = bytearray(micropython())
    flash[0x1E4] ^= 1
    assert "holds no MicroPython" in refusal(uf2(bytes(flash)))


@pytest.mark.parametrize(("entries", "good"), [(1024, True), (1025, False)])
def test_a_table_of_facts_beyond_all_measure_is_not_read(entries: int, good: bool) -> None:
    known = struct.unpack("<4I", micropython()[0x200:0x210])
    table = struct.pack(f"<{entries}I", *[known[n % 4] for n in range(entries)])
    flash = bytearray(micropython(extra=table))
    struct.pack_into("<2I", flash, 0x1D8, FLASH + 0x800, FLASH + 0x800 + len(table))
    if good:
        assert check_micropython(read_uf2(uf2(bytes(flash)), "x"), "x", PICO) == "v1.25.0"
    else:
        assert "holds no MicroPython" in refusal(uf2(bytes(flash)))


GOOD_ARGS = {"--board": "pico", "--micropython": "stock.uf2", "--out": "new.uf2"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--board": "piko"}, "There is no board 'piko'"),
        ({"--micropython": "none.uf2"}, "Cannot read none.uf2 (No such file or directory);"),
        ({"--micropython": "."}, "Cannot read ."),
        ({"--micropython": "text.uf2"}, "text.uf2 is not a whole UF2 file"),
        ({"--board": "pico_w"}, "stock.uf2 holds MicroPython for the board 'pico'"),
        ({"--dev": "e6614c31d3b8a52f-9c1e"}, "cannot get its identity from a file"),
        ({"--dev": "sim-0000000000b1-0001"}, "begins emu-"),
        ({"--dev": "emu-../../x"}, "is not the dev of a board"),
        ({"--dev": "emu-0000000000b1-0001\n"}, "is not the dev of a board"),
        ({"--out": "stock.uf2"}, "is the MicroPython file itself"),
        ({"--out": "nowhere/new.uf2"}, "Cannot write nowhere/new.uf2"),
        ({"--out": "."}, "Cannot write . ("),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    tumbler: Tumbler, tmp_path: Path, changed: dict[str, str], said: str
) -> None:
    (tmp_path / "text.uf2").write_text("no image")
    code, out, err = tumbler(*[word for pair in (GOOD_ARGS | changed).items() for word in pair])
    assert (code, out) == (2, "")
    assert said in err and len(err.splitlines()) == 1
    assert sorted(os.listdir(tmp_path)) == ["stock.uf2", "text.uf2"]
    assert (tmp_path / "stock.uf2").read_bytes() == stock("pico")


def test_a_write_that_fails_leaves_the_file_that_was_there(
    tumbler: Tumbler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new.uf2").write_bytes(b"before")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = tumbler("--board", "pico", "--micropython", "stock.uf2", "--out", "new.uf2")
    assert code == 2 and "No space left" in err
    assert (tmp_path / "new.uf2").read_bytes() == b"before"
    assert sorted(os.listdir(tmp_path)) == ["new.uf2", "stock.uf2"]


def test_a_real_micropython_gets_the_firmware(tumbler: Tumbler, tmp_path: Path, uf2: Path) -> None:
    code, _, err = tumbler("--board", "pico", "--micropython", str(uf2), "--out", "new.uf2")
    assert (code, err) == (0, "")
    pages = flash_of((tmp_path / "new.uf2").read_bytes())
    before = flash_of(uf2.read_bytes())
    assert len(before) > 1000 and {address: pages[address] for address in before} == before
    assert files_of(pages, "pico") == build_files(PICO)
