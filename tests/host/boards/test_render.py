"""The firmware's settings, executed by CPython and by MicroPython, and the wiring table."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host_tools.boards import (
    BOARDS_DIR,
    WiringRow,
    board_module,
    board_names,
    load_board,
    wiring_markdown,
    wiring_table,
)

Write = Callable[[str | bytes], Path]

MICROPYTHON = shutil.which("micropython", path=str(Path(sys.executable).parent))
PRINT_ALL = "import json, tumbler_board as b; print(json.dumps({k: getattr(b, k) for k in dir(b) if k[0] != '_'}))"

SETTINGS: dict[str, Any] = {
    "BOARD": "bench7",
    "PIN_KEY1": 0,
    "PIN_KEY2": 1,
    "PIN_KEY3": 2,
    "PIN_KEY4": 3,
    "PIN_KEY5": 4,
    "PIN_KEY6": 5,
    "PIN_ENTRY": 6,
    "PIN_SPIN": 7,
    "PIN_NO_MORE": -1,
    "PIN_SUPERVISOR": 8,
    "PIN_MAINT": 9,
    "PIN_COVER": 10,
    "PIN_COVER2": -1,
    "PIN_ESTOP": 11,
    "PIN_SENSOR": 12,
    "PIN_RELAY": 13,
    "PIN_RELAY_FB": -1,
    "PIN_DISPLAY_CLK": 14,
    "PIN_DISPLAY_DIO": 15,
    "PIN_LAMP": 16,
    "PIN_BUZZER": 27,
    "RELAY_ON_LEVEL": 0,
    "RELAY_DRIVE": "level",
    "RELAY_MAX_ON_MS": 9000,
    "SENSOR_ACTIVE": 1,
    "SENSOR_PULL": "none",
    "SENSOR_T_F_US": 2000,
    "PULSES_PER_SPIN": 2,
    "MIN_HZ": 2,
    "MAX_HZ": 25,
    "FIRST_PULSE_MS": 800,
    "SPINS_REQUIRED": 4,
    "MIN_COAST_MS": 700,
    "MAX_COAST_MS": 5000,
    "UNCOVER_LIMIT_S": 90,
    "JOURNAL_SECTORS": 124,
}


def executed(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(source, {"__builtins__": {}}, names)
    return names


def test_module_executed_by_cpython_has_every_setting(good: str, board_file: Write) -> None:
    assert executed(board_module(load_board(board_file(good)))) == SETTINGS


@pytest.mark.skipif(MICROPYTHON is None, reason="no MicroPython unix port for this platform on PyPI")
def test_module_imported_by_micropython_has_every_setting(good: str, board_file: Write, tmp_path: Path) -> None:
    assert MICROPYTHON is not None
    (tmp_path / "tumbler_board.py").write_text(board_module(load_board(board_file(good))), encoding="ascii")
    env = {**os.environ, "MICROPYPATH": str(tmp_path)}
    run = subprocess.run([MICROPYTHON, "-c", PRINT_ALL], env=env, capture_output=True, text=True, timeout=30)
    assert run.stderr == ""
    assert json.loads(run.stdout) == SETTINGS


def test_module_names_its_source_and_its_sha256(good: str, board_file: Write) -> None:
    path = board_file(good)
    head = board_module(load_board(path)).split("BOARD =")[0]
    assert "bench7.toml" in head
    assert hashlib.sha256(good.encode()).hexdigest() in head
    assert str(path.parent) not in head, "the module must be the same wherever the file lies"


def test_optional_pin_that_is_wired_is_in_the_module(good: str, board_file: Write) -> None:
    wired = good.replace("[pins]\n", "[pins]\nno_more_bets = 20\ncover2 = 21\nrelay_feedback = 22\n")
    names = executed(board_module(load_board(board_file(wired))))
    assert (names["PIN_NO_MORE"], names["PIN_COVER2"], names["PIN_RELAY_FB"]) == (20, 21, 22)


def test_the_other_levels_turn_round(good: str, board_file: Write) -> None:
    turned = good.replace('active = "high"', 'active = "LOW"').replace('active = "low"', 'active = "high"')
    turned = turned.replace('active = "LOW"', 'active = "low"').replace('pull = "up"\nmax', 'pull = "down"\nmax')
    names = executed(board_module(load_board(board_file(turned))))
    assert (names["RELAY_ON_LEVEL"], names["SENSOR_ACTIVE"]) == (1, 0)


@pytest.mark.parametrize("name", board_names())
def test_no_setting_of_a_bundled_board_allocates_on_a_board(name: str) -> None:
    """An int from 2**30 on is no small int on the RP2040 and would allocate when it is used."""
    source = board_module(load_board(name))
    assert source.isascii()
    for setting, value in executed(source).items():
        assert setting.isupper()
        assert isinstance(value, str) or (type(value) is int and -1 <= value < 2**30)


def test_wiring_table_says_how_each_pin_is_wired(good: str, board_file: Write) -> None:
    rows = {row.pin: row for row in wiring_table(load_board(board_file(good)))}
    pins = "key1 key2 key3 key4 key5 key6 entry spin supervisor maintenance cover estop sensor relay "
    assert list(rows) == (pins + "display_clk display_dio lamp buzzer").split()
    assert rows["relay"] == WiringRow("relay", 13, "motor relay", "active low, level; external pull up", "out")
    assert rows["sensor"] == WiringRow("sensor", 12, "spin sensor", "active high; internal pull none", "in")
    assert rows["cover"].gpio == 10 and "external pull-up" in rows["cover"].wired
    assert rows["estop"].gpio == 11 and "normally-closed" in rows["estop"].wired
    assert [pin for pin, row in rows.items() if row.direction != "in"] == [
        "relay",
        "display_clk",
        "display_dio",
        "lamp",
        "buzzer",
    ]


def test_wiring_table_has_an_optional_pin_where_wired(good: str, board_file: Write) -> None:
    wired = good.replace("[pins]\n", "[pins]\ncover2 = 21\n")
    assert [row.gpio for row in wiring_table(load_board(board_file(wired))) if row.pin == "cover2"] == [21]


def test_markdown_is_one_table_of_all_wires(good: str, board_file: Write) -> None:
    lines = wiring_markdown(load_board(board_file(good))).splitlines()
    assert lines[0] == "| pin | GPIO | function | wired how | direction |"
    assert lines[2] == "| key1 | 0 | number key 1 | push-button to GND; internal pull-up | in |"
    assert len(lines) == 2 + 18
    assert {line.count("|") for line in lines} == {6}


def test_the_readme_of_the_boards_explains_every_key(good: str) -> None:
    readme = (BOARDS_DIR / "README.md").read_text(encoding="utf-8")
    for line in good.splitlines():
        key = line.partition(" = ")[0]
        if " = " in line and not key.isdigit() and key not in {f"key{n}" for n in range(2, 6)}:
            assert f"`{key}`" in readme or f"`{key} = " in readme, key
        if line.startswith("["):
            assert line in readme
