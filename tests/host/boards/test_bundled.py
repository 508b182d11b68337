"""The boards in boards/: the pins that each really brings out, what it leaves out, and its PIO budget."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from host_tools.boards import Board, board_names, left_out, load_board, shown_on

# GPIOs at the edge of each board, from the makers' pinouts (Pico datasheet 2.1, Pico W datasheet 2.1,
# Waveshare RP2040-Zero: 20 pads at the edge, Arduino ABX00053).
EDGE = {
    "pico": [*range(23), 26, 27, 28],
    "pico_w": [*range(23), 26, 27, 28],
    "waveshare_rp2040_zero": [*range(16), 26, 27, 28, 29],
    "arduino_nano_rp2040": [0, 1, 4, 5, 6, 7, 12, 13, 15, 16, 17, 18, 19, 20, 21, 25, 26, 27, 28, 29],
}
MICROPYTHON = {
    "pico": "RPI_PICO",
    "pico_w": "RPI_PICO_W",
    "waveshare_rp2040_zero": "WAVESHARE_RP2040_ZERO",
    "arduino_nano_rp2040": "ARDUINO_NANO_RP2040_CONNECT",
}
NO_MORE_BETS = "NO MORE BETS key (the host's command no_more_bets stands in)"


def wired(board: Board) -> dict[str, int]:
    return {pin: gpio for pin, gpio in vars(board.pins).items() if gpio is not None}


def test_the_four_boards_are_there_for_their_micropython() -> None:
    assert {name: load_board(name).micropython for name in board_names()} == MICROPYTHON


@pytest.mark.parametrize("name", EDGE)
def test_every_wire_ends_at_the_edge_of_the_board(name: str) -> None:
    assert set(wired(load_board(name)).values()) <= set(EDGE[name])


@pytest.mark.parametrize("name", EDGE)
def test_no_board_is_said_to_be_tested_on_hardware(name: str) -> None:
    expected = "runs in the emulator, not yet on hardware" if name == "pico" else "compiled and validated only"
    assert shown_on(load_board(name)) == expected


def test_a_board_that_passed_the_bench_says_so(good: str, board_file: Callable[[str], Path]) -> None:
    passed = load_board(board_file(good.replace("tested_on_hardware = false", "tested_on_hardware = true")))
    assert shown_on(passed) == "tested on hardware"


def test_what_is_left_out_where_pins_are_scarce() -> None:
    assert left_out(load_board("pico")) == left_out(load_board("pico_w")) == []
    assert left_out(load_board("waveshare_rp2040_zero")) == [NO_MORE_BETS]
    first, second, third = left_out(load_board("arduino_nano_rp2040"))
    assert first == NO_MORE_BETS
    assert second.startswith("second, opposite cover contact (") and third.startswith("relay feedback (")


def test_gpios_that_the_board_itself_uses_are_reserved() -> None:
    assert sorted(load_board("pico_w").reserved) == [23, 24, 25, 29]
    assert load_board("waveshare_rp2040_zero").reserved[16] == "the board's colour LED"
    nano = load_board("arduino_nano_rp2040").reserved
    assert {2, 3, 8, 9, 10, 11, 14} <= set(nano), "the wireless module"
    assert {12, 13} <= set(nano), "at the edge, and yet the bus of the board's own chips"


def test_the_pico_w_is_wired_as_the_pico() -> None:
    assert wired(load_board("pico_w")) == wired(load_board("pico"))


# ---------------------------------------------------------------- PIO


class Counted:
    """Stands for MicroPython's rp2 while the firmware's programs are assembled: counts the instructions of each."""

    OUT_LOW, OUT_HIGH = 3, 4

    def __init__(self) -> None:
        self.lengths: dict[str, int] = {}
        self.length = 0

    def instruction(self, *operands: object) -> Counted:
        self.length += 1
        return self

    def side(self, level: int) -> Counted:
        return self

    def __getitem__(self, delay: int) -> Counted:
        return self

    def asm_pio(self, **settings: Any) -> Callable[[Callable[[], None]], str]:
        def assemble(program: Callable[[], None]) -> str:
            names = program.__globals__
            kept = dict(names)
            names.update(
                dict.fromkeys(["x", "y", "null", "pin", "osr", "not_osre", "block", "noblock", "x_dec", "y_dec"], 0)
            )
            names.update(dict.fromkeys(["set", "pull", "mov", "jmp", "out"], self.instruction))
            names.update(dict.fromkeys(["label", "wrap_target", "wrap"], lambda *name: None))
            self.length = 0
            program()
            names.clear()
            names.update(kept)
            self.lengths[program.__name__] = self.length
            return program.__name__

        return assemble


@pytest.fixture
def lengths(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Instructions of each PIO program in the firmware, by its name."""
    counted = Counted()
    rp2 = ModuleType("rp2")
    rp2.PIO, rp2.asm_pio = counted, counted.asm_pio  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "rp2", rp2)
    names = ("tumbler.hw.pio_deadman", "tumbler.hw.pio_counter")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.import_module("tumbler.hw.pio_counter")
    deadman = importlib.import_module("tumbler.hw.pio_deadman")
    for on_level, pulse in ((0, False), (1, False), (1, True)):
        deadman.program(on_level, pulse)
    yield counted.lengths
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", board_names())
def test_the_budget_is_the_real_length_of_the_programs(name: str, lengths: dict[str, int]) -> None:
    pio = load_board(name).pio
    assert lengths == {"spin_counter": pio.spin_counter, "dead_man": pio.dead_man}
    assert (pio.dead_man, pio.spin_counter) == (16, 8)


def test_the_wireless_driver_of_the_pico_w_would_fit_into_the_block_too() -> None:
    """pico-sdk's cyw43_bus_pio_spi.pio: spi_gap01_sample0 has 6 instructions."""
    assert [load_board(name).pio.wireless for name in MICROPYTHON] == [0, 6, 0, 0]
