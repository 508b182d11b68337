"""docs/WIRING.md says of each board what its file says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from host_tools.boards import board_names, left_out, load_board, wiring_markdown

DOC = (Path(__file__).resolve().parents[3] / "docs" / "WIRING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", board_names())
def test_its_table_is_that_of_the_board_file(name: str) -> None:
    """`tumbler boards wiring NAME --markdown` prints the table to put there."""
    shown = DOC.split(f"<!-- wiring:{name} -->\n")[1].split("<!-- /wiring -->")[0]
    assert shown == wiring_markdown(load_board(name))


@pytest.mark.parametrize("name", board_names())
def test_it_names_what_the_board_leaves_out(name: str) -> None:
    row = re.search(rf"^\| `{name}` \| (.*) \|$", DOC, re.MULTILINE)
    assert row is not None
    missing = [line.partition(" (")[0] for line in left_out(load_board(name))]
    assert [function for function in missing if function not in row[1]] == []
    assert (row[1] == "nothing") == (not missing)


def test_no_circuit_is_said_to_be_built() -> None:
    assert "**No circuit here has been built yet.**" in DOC
    assert "**the pump itself has not been built or measured.**" in DOC
