"""The snapshot of all switches: every wire's polarity, broken wires, and one look at all pins."""

from __future__ import annotations

import pytest

PINS = {"PIN_KEY1": 2, "PIN_KEY2": 3, "PIN_KEY3": 4, "PIN_KEY4": 5, "PIN_KEY5": 6, "PIN_KEY6": 7, "PIN_ENTRY": 8,
        "PIN_SPIN": 9, "PIN_NO_MORE": 10, "PIN_SUPERVISOR": 11, "PIN_RELAY_FB": 17, "PIN_COVER": 19, "PIN_COVER2": 20,
        "PIN_ESTOP": 21, "PIN_MAINT": 22}  # fmt: skip
# As wired, nobody touching anything: switches to GND read high when open; cover and E-stop hold theirs low, and so does
# the mirror contact of a released relay; the opposite cover contact is open while the cover is shut.
AT_REST = ((1 << 30) - 1) & ~(1 << PINS["PIN_COVER"] | 1 << PINS["PIN_ESTOP"] | 1 << PINS["PIN_RELAY_FB"])

READ = """
from tumbler.hw.inputs import Inputs
inputs = Inputs(board)
def at(levels):
    machine.gpio_in[0] = levels
    return inputs.read()
"""


def levels(**changed: int) -> int:
    word = AT_REST
    for pin, level in changed.items():
        word = word | 1 << PINS[pin] if level else word & ~(1 << PINS[pin])
    return word


def test_nothing_is_seen_at_rest(run):
    assert run(READ + f"answer = at({AT_REST})") == 0


@pytest.mark.parametrize(
    ("pin", "level", "mask"),
    [
        ("PIN_KEY1", 0, 1),
        ("PIN_KEY2", 0, 2),
        ("PIN_KEY3", 0, 4),
        ("PIN_KEY4", 0, 8),
        ("PIN_KEY5", 0, 16),
        ("PIN_KEY6", 0, 32),
        ("PIN_ENTRY", 0, 64),
        ("PIN_SPIN", 0, 128),
        ("PIN_NO_MORE", 0, 256),
        ("PIN_COVER", 1, 512),
        ("PIN_SUPERVISOR", 0, 1024),
        ("PIN_ESTOP", 1, 2048),
        ("PIN_COVER2", 0, 4096),
        ("PIN_RELAY_FB", 1, 8192),
    ],
)
def test_each_wire_sets_its_own_bit_alone(run, pin, level, mask):
    assert run(READ + f"answer = at({levels(**{pin: level})})") == mask


def test_with_every_wire_broken_cover_and_estop_count_as_open_and_no_key_as_pressed(run):
    cover_estop_feedback = 512 | 2048 | 8192
    assert run(READ + f"answer = at({(1 << 30) - 1})") == cover_estop_feedback


def test_without_a_second_contact_the_cover_stands_for_it(run):
    opened, shut = run(READ + f"answer = [at({levels(PIN_COVER=1)}), at({AT_REST})]", PIN_COVER2=-1)
    assert (opened, shut) == (512 | 4096, 0)


def test_without_feedback_or_no_more_key_their_bits_stay_off(run):
    script = READ + f"answer = at({levels(PIN_RELAY_FB=1, PIN_NO_MORE=0)})"
    assert run(script, PIN_RELAY_FB=-1, PIN_NO_MORE=-1) == 0


def test_maintenance_jumper_is_seen_when_fitted_only(run):
    script = f"""
machine.gpio_in[0] = {levels(PIN_MAINT=0)}
fitted = inputs.maintenance()
machine.gpio_in[0] = {AT_REST}
answer = [fitted, inputs.maintenance()]
"""
    assert run(READ + script) == [True, False]


def test_a_snapshot_is_one_look_at_all_pins_and_takes_no_memory(run):
    script = """
looks = machine.mem32.reads
inputs.read()
answer = [machine.mem32.reads - looks, taken(lambda i: inputs.read())]
"""
    assert run(READ + script) == [1, 0]


def test_every_switch_is_an_input_with_its_pull_up_on(run):
    got = run(READ + "answer = [list(machine.modes), list(machine.pulls)]")
    assert {(got[0][pin], got[1][pin]) for pin in PINS.values()} == {(0, 1)}
