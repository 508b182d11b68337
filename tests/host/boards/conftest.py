"""A good board file for these tests, apart from boards/pico.toml so that the pico's settings may change freely."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GOOD = """\
board = "bench7"
title = "A board for tests"
micropython = "RPI_PICO"
tested_on_hardware = false
gpios = ["0-22", 26, 27]

[reserved]
25 = "the board's LED"

[pins]
key1 = 0
key2 = 1
key3 = 2
key4 = 3
key5 = 4
key6 = 5
entry = 6
spin = 7
supervisor = 8
maintenance = 9
cover = 10
estop = 11
sensor = 12
relay = 13
display_clk = 14
display_dio = 15
lamp = 16
buzzer = 27

[relay]
active = "low"
drive = "level"
external_pull = "up"
max_on_ms = 9000

[sensor]
active = "high"
pull = "none"
t_f_us = 2000
pulses_per_spin = 2
min_hz = 2
max_hz = 25
first_pulse_ms = 800

[spin]
required = 4
min_coast_ms = 700
max_coast_ms = 5000
uncover_limit_s = 90

[cover]
switch_to = "gnd"
closed_when = "low"
external_pull = "up"

[estop]
switch_to = "gnd"
healthy_when = "low"
external_pull = "up"

[keys]
switch_to = "gnd"
internal_pull = "up"

[journal]
sectors = 124

[pio]
dead_man = 16
spin_counter = 8
wireless = 6
"""


@pytest.fixture
def good() -> str:
    return GOOD


@pytest.fixture
def board_file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Writes the text as bench7.toml and returns its path."""

    def write(text: str | bytes) -> Path:
        path = tmp_path / "bench7.toml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write
