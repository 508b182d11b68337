"""The README says what the product does: its wiring table is the board file's, its commands are there."""

import re
from pathlib import Path

from typer.testing import CliRunner

from host_tools.boards import load_board, wiring_markdown
from host_tools.commands import app

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def test_wiring_table_is_that_of_the_board_file():
    shown = README.split("<!-- wiring:pico -->")[1].split("<!-- /wiring -->")[0]
    assert shown.strip() == wiring_markdown(load_board("pico")).strip()


def test_every_command_that_it_names_is_there():
    named = set(re.findall(r"(?:`|bin/)tumbler ([a-z]+)", README))
    assert len(named) >= 7
    for command in named:
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0, command


def test_documents_that_it_links_to_are_there():
    root = Path(__file__).resolve().parents[2]
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (root / target).exists(), target
