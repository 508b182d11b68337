"""What goes onto a board: complete, compiled, the same each time, and with the fingerprint that the board computes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from host_tools import build as build_room
from host_tools.boards import board_names, load_board
from host_tools.build import MPY_LIMIT_BYTES, build_files, firmware_id, mpy_bytes
from host_tools.commands import app

FIRMWARE = Path(__file__).resolve().parents[3] / "firmware"
MICROPYTHON = shutil.which("micropython", path=str(Path(sys.executable).parent))
needs_micropython = pytest.mark.skipif(MICROPYTHON is None, reason="no MicroPython unix port for this platform on PyPI")


@pytest.fixture(scope="module")
def pico() -> dict[str, bytes]:
    return build_files(load_board("pico"))


@pytest.fixture
def small_firmware(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A firmware of one module, tumbler/one.py, which a test may write anew."""
    folder = tmp_path / "firmware"
    (folder / "tumbler").mkdir(parents=True)
    for name in ("boot.py", "main.py", "tumbler/one.py"):
        (folder / name).write_text("")
    monkeypatch.setattr(build_room, "FIRMWARE", folder)
    return folder


def run_on_micropython(files: dict[str, bytes], folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    assert MICROPYTHON is not None
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    env = {**os.environ, "MICROPYPATH": ":.frozen"}
    return subprocess.run([MICROPYTHON, "-c", script], env=env, cwd=folder, capture_output=True, text=True, timeout=30)


def test_every_module_of_the_firmware_is_there_once(pico: dict[str, bytes]) -> None:
    modules = {path.relative_to(FIRMWARE).as_posix() for path in (FIRMWARE / "tumbler").rglob("*.py")}
    assert len(modules) > 20
    expected = {module.replace(".py", ".mpy") for module in modules}
    assert set(pico) == expected | {"boot.py", "main.py", "tumbler_board.mpy"}


def test_main_goes_as_it_is_and_boot_with_the_relay_of_the_board(pico: dict[str, bytes]) -> None:
    assert pico["main.py"] == (FIRMWARE / "main.py").read_bytes()
    lines = pico["boot.py"].decode().splitlines()
    assert [line.split("  #")[0] for line in lines if " = " in line] == ["PIN_RELAY = 16", "RELAY_ON_LEVEL = 1"]
    assert len(lines) == len((FIRMWARE / "boot.py").read_bytes().splitlines())


def test_compiled_files_are_bytecode_that_micropython_1_25_loads(pico: dict[str, bytes]) -> None:
    """Header of an .mpy, after MicroPython's documentation: M, version 6, architecture (0: no machine code)."""
    heads = {data[:2] for path, data in pico.items() if path.endswith(".mpy")}
    assert heads == {b"M\x06"}
    assert {data[2] >> 2 for path, data in pico.items() if path.endswith(".mpy")} == {0}


def test_the_same_sources_give_the_same_bytes(pico: dict[str, bytes]) -> None:
    assert build_files(load_board("pico")) == pico


def test_tracebacks_name_the_module_and_no_folder_of_the_host(pico: dict[str, bytes]) -> None:
    assert b"tumbler/core/round.py" in pico["tumbler/core/round.mpy"]
    folder = tempfile.gettempdir().encode()
    assert not any(folder in data or b"module.py" in data for data in pico.values())


def test_boards_differ_in_their_settings_alone(pico: dict[str, bytes]) -> None:
    zero = build_files(load_board("waveshare_rp2040_zero"))
    assert {path for path in pico if pico[path] != zero[path]} <= {"boot.py", "tumbler_board.mpy"}
    assert firmware_id(pico) != firmware_id(zero)


@pytest.mark.parametrize("name", board_names())
def test_compiled_files_stay_within_their_limit(name: str) -> None:
    size = mpy_bytes(build_files(load_board(name)))
    assert 0 < size <= MPY_LIMIT_BYTES == 65536


def test_the_size_counts_compiled_files_only() -> None:
    assert mpy_bytes({"boot.py": b"12345", "a.mpy": b"12", "tumbler/b.mpy": b"123"}) == 5


def test_fingerprint_is_sha256_of_sorted_paths_and_bytes() -> None:
    files = {"tumbler/b.mpy": b"B" * 1000, "boot.py": b"x", "a.mpy": b""}
    whole = b"a.mpy\0" + b"boot.py\0x" + b"tumbler/b.mpy\0" + b"B" * 1000
    assert firmware_id(files) == hashlib.sha256(whole).hexdigest()[:16]


@needs_micropython
def test_fingerprint_is_the_one_that_the_compiled_firmware_computes_of_itself(
    pico: dict[str, bytes], tmp_path: Path
) -> None:
    script = "from tumbler.hw.firmware_hash import firmware_hash; print(firmware_hash())"
    run = run_on_micropython(pico, tmp_path, script)
    assert run.stdout.strip() == firmware_id(pico)


@needs_micropython
def test_compiled_settings_are_those_of_the_board(pico: dict[str, bytes], tmp_path: Path) -> None:
    run = run_on_micropython(
        pico, tmp_path, "import tumbler_board as b; print(b.BOARD, b.PIN_RELAY, b.RELAY_MAX_ON_MS)"
    )
    assert run.stdout.split() == ["pico", "16", "15000"]


@needs_micropython
def test_assertions_are_compiled_in(small_firmware: Path, tmp_path: Path) -> None:
    (small_firmware / "tumbler" / "one.py").write_text("assert 1 == 2\n")
    run = run_on_micropython(build_files(load_board("pico")), tmp_path / "board", "import tumbler.one")
    assert run.returncode == 1 and "AssertionError" in run.stdout


def test_a_module_that_cannot_be_compiled_is_named(small_firmware: Path) -> None:
    (small_firmware / "tumbler" / "one.py").write_text("def\n")
    with pytest.raises(RuntimeError, match=r"tumbler/one\.py.*(?s:.*)SyntaxError"):
        build_files(load_board("pico"))


def test_what_is_no_module_stays_off_the_board(small_firmware: Path) -> None:
    (small_firmware / "tumbler" / "__pycache__").mkdir()
    for name in ("tumbler/__pycache__/one.cpython-310.pyc", "tumbler/notes.txt", "other.py", "dev.txt"):
        (small_firmware / name).write_text("?")
    files = build_files(load_board("pico"))
    assert sorted(files) == ["boot.py", "main.py", "tumbler/one.mpy", "tumbler_board.mpy"]


def test_the_command_prints_each_file_with_its_sizes(pico: dict[str, bytes]) -> None:
    result = CliRunner().invoke(app, ["build", "--board", "pico"], env={"COLUMNS": "120"})
    assert result.exit_code == 0
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in result.output.splitlines() if "│" in line]
    source = (FIRMWARE / "tumbler" / "app.py").stat().st_size
    assert ["tumbler/app.mpy", str(source), str(len(pico["tumbler/app.mpy"]))] in rows
    assert rows[-1][0] == "together" and rows[-1][2] == str(sum(len(data) for data in pico.values()))
    assert f"take {mpy_bytes(pico)} bytes of at most 65536" in result.output
    assert firmware_id(pico) in result.output
