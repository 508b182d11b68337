"""The summary of a run, as a newcomer reads it."""

import io

import pytest
from rich.console import Console

from host_tools.run.screen import Screen
from host_tools.settler import paytable as paytables


def summary(*damage):
    text = io.StringIO()
    Screen(Console(file=text, width=120), paytables.load("hoiana")).ended(3, 20, *damage, "t.db", "x.log")
    return text.getvalue().splitlines()


def test_a_clean_run_speaks_of_no_damage():
    lines = summary(0, 0, 192)
    assert lines[0] == "3 rounds settled, 20 records stored"
    assert lines[1] == "(besides 192 bytes of what was under way when the port was opened)"


@pytest.mark.parametrize(("damage", "said"), [((2, 0, 0), "2 broken lines"), ((0, 7, 0), "7 bytes outside")])
def test_damage_is_told(damage, said):
    lines = summary(*damage)
    assert said in lines[0] and "under way" not in lines[1]


def test_one_of_each_is_said_in_the_singular():
    text = io.StringIO()
    Screen(Console(file=text, width=120), paytables.load("hoiana")).ended(1, 1, 1, 1, 1, "t.db", "x.log")
    lines = text.getvalue().splitlines()
    assert lines[0] == "1 round settled, 1 record stored, 1 broken line, 1 byte outside ledger lines"
    assert lines[1].startswith("(besides 1 byte of")
