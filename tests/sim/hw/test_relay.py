"""The relay room: what reaches the pin and the dead-man, in which order. The program itself needs a PIO."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from host_tools.boards import load_board

FIRMWARE = Path(__file__).parents[3] / "firmware"
RELAY, COVER = 16, 19  # boards/pico.toml
OUT_LOW, OUT_HIGH = 2, 3  # of rp2.PIO
DEAD_MAN = 0  # state machine

MAKE = """
from tumbler.hw.relay import Relay
relay = Relay(board)
made = len(machine.done)
"""


@pytest.mark.parametrize(("on_level", "off_level"), [(1, 0), (0, 1)])
def test_construction_sets_the_off_level_with_the_direction_before_anything_else(run, on_level, off_level):
    got = run(MAKE + "answer = [machine.done, writes()]", RELAY_ON_LEVEL=on_level)
    assert got[0][0] == ["pin", RELAY, 1, off_level]
    assert got[1] == [[RELAY, off_level]]


def test_state_machines_are_stopped_and_programs_removed_before_the_first_use_and_only_then(run):
    script = MAKE + "from tumbler.hw.counter import Counter\nCounter(board)\nrelay.on()\nanswer = machine.done"
    steps = [step for step in run(script) if step[0] in ("active", "remove", "init")]
    assert steps[:3] == [["active", 0, 0], ["active", 1, 0], ["remove", 0]]
    assert [step[0] for step in steps].count("remove") == 1


@pytest.mark.parametrize(("on_level", "first_level"), [(1, OUT_LOW), (0, OUT_HIGH)])
def test_on_starts_the_dead_man_anew_at_the_off_level_with_longest_time_then_feed(run, on_level, first_level):
    got = run(MAKE + "relay.on()\nanswer = machine.done[made:]", RELAY_ON_LEVEL=on_level, RELAY_MAX_ON_MS=15000)
    assert got == [
        ["init", DEAD_MAN, first_level, 2_000_000, COVER],
        ["put", DEAD_MAN, 6_000_000],  # 15 s in passes of 2.5 us
        ["put", DEAD_MAN, 32_000],  # 80 ms
        ["active", DEAD_MAN, 1],
    ]


def test_words_of_the_longest_setting_are_small_ints_on_a_board(run):
    got = run(MAKE + "relay.on()\nanswer = machine.done[made:]", RELAY_MAX_ON_MS=60_000)
    assert all(step[2] < 1 << 30 for step in got if step[0] == "put")


def test_feed_never_puts_into_a_full_fifo_and_takes_no_memory(run):
    script = """
import rp2
sm = rp2.StateMachine(0)
relay.on()
before = len(machine.done)
sm.held = 4
relay.feed()
full = len(machine.done) - before
sm.held = 3
relay.feed()
sm.put = None
sm.held = 4
answer = [full, machine.done[-1], taken(lambda i: relay.feed())]
"""
    assert run(MAKE + script) == [0, ["put", DEAD_MAN, 32_000], 0]


@pytest.mark.parametrize(("on_level", "off_level"), [(1, 0), (0, 1)])
def test_off_takes_the_pin_to_its_off_level_before_it_stops_the_dead_man(run, on_level, off_level):
    got = run(
        MAKE + "relay.on()\nn = len(machine.done)\nrelay.off()\nanswer = machine.done[n:]", RELAY_ON_LEVEL=on_level
    )
    assert got == [["pin", RELAY, 1, off_level], ["active", DEAD_MAN, 0]]


def test_is_on_tells_the_level_at_the_pin(run):
    script = (
        "seen = []\nfor level in (0, 1):\n    machine.levels[16] = level\n    seen.append(relay.is_on())\nanswer = seen"
    )
    assert run(MAKE + script) == [False, True]


def test_is_on_of_an_active_low_relay_is_a_low_pin(run):
    script = (
        "seen = []\nfor level in (0, 1):\n    machine.levels[16] = level\n    seen.append(relay.is_on())\nanswer = seen"
    )
    assert run(MAKE + script, RELAY_ON_LEVEL=0) == [True, False]


def test_pulse_drive_is_refused_at_construction_with_the_relay_off(run):
    script = """
from tumbler.hw.relay import Relay
try:
    Relay(board)
    answer = None
except ValueError as error:
    answer = [str(error), machine.levels[16]]
"""
    said, level = run(script, RELAY_DRIVE="pulse")
    assert "pulse" in said and "level" in said
    assert level == 0


def test_both_programs_take_the_instructions_that_the_boards_budget_says(run):
    script = """
from tumbler.hw import pio_counter, pio_deadman
answer = [len(pio_deadman.program(1).opcodes), len(pio_counter.spin_counter.opcodes)]
"""
    budget = load_board("pico").pio
    assert run(script) == [budget.dead_man, budget.spin_counter]


def test_the_active_low_program_differs_in_the_levels_it_sets_and_in_nothing_else(run):
    script = "from tumbler.hw import pio_deadman as p\nanswer = [p.program(1).opcodes, p.program(0).opcodes]"
    high, low = run(script)
    set_pins_low, set_pins_high = 0xE000, 0xE001  # RP2040 datasheet 3.4.10
    exchanged = {set_pins_low: set_pins_high, set_pins_high: set_pins_low}
    assert [exchanged.get(opcode, opcode) for opcode in high] == low
    assert high[0] == set_pins_low


def test_only_the_relay_room_and_boot_name_the_relays_pin():
    naming = {
        path.relative_to(FIRMWARE).as_posix()
        for path in FIRMWARE.rglob("*.py")
        if re.search(r"PIN_RELAY\b", path.read_text(encoding="utf-8"))
    }
    assert naming == {"boot.py", "tumbler/hw/relay.py"}
