"""All figures of `make bench-emu` are within their limits."""

import io

import pytest
from rich.console import Console

from host_tools.emu.bench import PARTS, Bench


@pytest.mark.emu_full
@pytest.mark.usefixtures("uf2")
@pytest.mark.parametrize("part", PARTS)
def test_the_figures_are_within_their_limits(part, figure):
    bench = Bench(Console(file=io.StringIO()))
    PARTS[part](bench)
    for row in bench.rows:
        figure(*row)
    assert bench.rows
    assert bench.failed == 0
