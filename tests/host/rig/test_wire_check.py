"""The wire check on a simulated table: whole wires pass, and each wire that is cut is the one that is named."""

import pytest

from host_tools.bench.table import Table
from host_tools.bench.targets import open_sim
from host_tools.bench.terminal import Terminal
from host_tools.errors import UserError
from host_tools.rig.wire_check import wire_check


@pytest.fixture
def target(micropython):
    target = open_sim("pico", 1)
    yield target
    target.close()


def checked(target) -> list[str]:
    whole: list[str] = []
    wire_check(Table(target.rig, Terminal(target)), target.board, whole.append)
    return whole


def test_whole_wires_pass_and_the_table_is_left_idle(target):
    whole = checked(target)
    assert ", ".join(whole).split(", ")[1:] == [
        *("cover", "cover2", "estop", "relay_feedback at rest", "spin", "cover", "supervisor", "key1 to key6"),
        *("display_clk", "display_dio", "entry", "no_more_bets", "buzzer"),
        *("relay", "relay_feedback", "sensor", "lamp", "estop"),
    ]
    seen = target.rig.read()
    assert (seen["relay"], seen["cover_open"]) == (False, False)


def cut(target, do: str, **only: object) -> None:
    """What the rig does to a wire no longer arrives."""
    rig, passed_on = target.rig, target.rig._send

    def send(name, args):
        return None if name == do and only.items() <= args.items() else passed_on(name, args)

    rig._send = send


def blind(target, **shown: object) -> None:
    """What the rig sees of a wire never changes."""
    rig, passed_on = target.rig, target.rig._send

    def send(name, args):
        value = passed_on(name, args)
        return value | shown if name in ("read", "step") else value

    rig._send = send


@pytest.mark.parametrize(
    ("fail", "names"),
    [
        (lambda target: cut(target, "press", key="spin"), "spin, cover"),
        (lambda target: cut(target, "cover"), "spin, cover"),
        (lambda target: cut(target, "supervisor"), "supervisor, key1 to key6"),
        (lambda target: cut(target, "press", key="4"), "supervisor, key1 to key6"),
        (lambda target: cut(target, "press", key="entry"), "entry"),
        (lambda target: cut(target, "press", key="no_more_bets"), "no_more_bets"),
        (lambda target: cut(target, "estop", on=True), "estop"),
        (lambda target: target.rig.cover_wire(True), "cover, cover2, estop, relay_feedback at rest"),
        (lambda target: target.rig.sensor("high"), "relay, relay_feedback, sensor, lamp"),
        (lambda target: blind(target, display="    "), "display_clk, display_dio"),
        (lambda target: blind(target, beeps=0), "buzzer"),
        (lambda target: blind(target, lamp="off"), "relay, relay_feedback, sensor, lamp"),
        (lambda target: blind(target, relay=False), "relay, relay_feedback, sensor, lamp"),
    ],
)
def test_a_wire_that_fails_is_named(target, monkeypatch, fail, names):
    monkeypatch.setattr(target.rig, "ready", lambda: (target.rig.cover(False), target.rig.estop(False)))
    fail(target)
    with pytest.raises(UserError, match=f"A wire fails among {names}: "):
        checked(target)
