"""Keys: each press counts once, two at once count for nothing."""

import pytest

pytestmark = pytest.mark.slow
PRESSES = ("1", "2", "3", "4", "5", "6") * 5


def test_two_keys_at_once_are_refused(table, terminal, rig):
    table.supervisor(True)
    beeps = rig.read()["beeps"]
    rig.press("2")
    rig.press("5")
    rig.step(100)
    rig.release("2")
    rig.release("5")
    rig.step(100)
    assert terminal.keys("shown") == []
    assert rig.read()["beeps"] > beeps


@pytest.mark.measures("ghosts", "losses")
def test_a_key_that_bounces_counts_once(table, terminal, measure):
    """With the contacts of the rig: a model's bounce, some of them worn."""
    table.supervisor(True)
    table.tap(*PRESSES)
    table.supervisor(False)
    shown = terminal.keys("shown")
    measure("ghosts", max(0, len(shown) - len(PRESSES)), "presses", None, 0)
    measure("losses", max(0, len(PRESSES) - len(shown)), "presses", None, 0)
    assert shown == list(PRESSES)
