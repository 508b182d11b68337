"""`tumbler boards list` and `wiring` as a person reads them."""

from __future__ import annotations

from typer.testing import CliRunner

from host_tools.boards import board_names, load_board, wiring_markdown
from host_tools.commands import app
from host_tools.errors import UserError


def shown(*args: str) -> str:
    result = CliRunner().invoke(app, ["boards", *args], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_list_names_every_board_with_what_it_leaves_out() -> None:
    lines = shown("list").splitlines()
    assert [line.partition(":")[0] for line in lines if not line.startswith(" ")] == board_names()
    at = lines.index(
        "waveshare_rp2040_zero: Waveshare RP2040-Zero (MicroPython WAVESHARE_RP2040_ZERO), compiled and validated only"
    )
    assert lines[at + 1] == "  left out: NO MORE BETS key (the host's command no_more_bets stands in)"


def test_wiring_shows_each_wire_the_reserved_gpios_and_what_is_left_out() -> None:
    text = shown("wiring", "arduino_nano_rp2040")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if line.startswith("│")]
    assert ["estop", "29"] in [row[:2] for row in rows] and ["relay", "26"] in [row[:2] for row in rows]
    assert len(rows) == 18
    assert "Left out: relay feedback (" in text
    assert "GPIO 3 is left alone: reset of the wireless module." in text
    assert "compiled and validated only" in text


def test_wiring_as_markdown_is_the_table_alone() -> None:
    assert shown("wiring", "pico_w", "--markdown") == wiring_markdown(load_board("pico_w"))


def test_wiring_of_an_unknown_board_is_refused() -> None:
    result = CliRunner().invoke(app, ["boards", "wiring", "piko"])
    assert isinstance(result.exception, UserError) and "There is no board 'piko'" in str(result.exception)
