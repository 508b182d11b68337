"""The summary of a run, as a newcomer reads it."""

import io
from datetime import datetime, timezone
from fractions import Fraction

import pytest
from rich.console import Console

from host_tools.run.screen import Screen
from host_tools.settler import paytable as paytables
from host_tools.settler.paytable import Odds
from host_tools.settler.settle import Settlement, Tally, Totals, Wager
from host_tools.store import Ingested
from host_tools.store.rows import Entry, Made


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


def test_of_a_round_with_very_many_wagers_the_first_are_shown_and_the_sums_are_of_all():
    text = io.StringIO()
    won = Settlement(Wager("W1", "Aroha", "small", "", 1000), "win", Odds(1, 1), 1000, 2000)
    entry = Entry(1, 7, won, "settle", 1, 5, None, None, None, datetime(2026, 11, 30, tzinfo=timezone.utc))
    settled = Tally(
        {"win": 150_000, "lose": 50_000}, Totals(200_000_000, 150_000_000, 300_000_000, 50_000_000, Fraction(0))
    )
    reversed_ = Tally({"win": 200_000}, Totals(0, 0, -400_000_000, 0, Fraction(0)))
    fields = {
        "kind": "correction",
        "round": 7,
        "dice": (1, 3, 6),
        "dev": "e6614c31d3b8a52f-9c1e",
        "by": "keys",
        "reason": "dispute",
    }
    screen = Screen(Console(file=text, width=120), paytables.load("hoiana"))
    screen.record(fields, Ingested(True, "correction", 7, Made([entry], settled, reversed_), ""))
    said = text.getvalue()
    assert "200000 settlements are reversed, which had returned 4,000,000.00" in said
    assert said.count("Aroha") == 1 and "2,000,000.00" in said and "3,000,000.00" in said
    assert "199,999 more are in the sums and not shown: `tumbler wager list` has all" in said
    assert "150000 won, 50000 lost, 0 void" in said


def test_one_of_each_is_said_in_the_singular():
    text = io.StringIO()
    Screen(Console(file=text, width=120), paytables.load("hoiana")).ended(1, 1, 1, 1, 1, "t.db", "x.log")
    lines = text.getvalue().splitlines()
    assert lines[0] == "1 round settled, 1 record stored, 1 broken line, 1 byte outside ledger lines"
    assert lines[1].startswith("(besides 1 byte of")
