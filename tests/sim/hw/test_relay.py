"""The relay room: what reaches the pin and the dead-man, in which order. The program itself needs a PIO."""

from __future__ import annotations

import re
import runpy
import sys
import types
from pathlib import Path

import pytest

from host_tools.boards import load_board

FIRMWARE = Path(__file__).parents[3] / "firmware"
RELAY, COVER = 16, 19  # boards/pico.toml
OUT_LOW, OUT_HIGH = 2, 3  # of rp2.PIO
DEAD_MAN = 0  # state machine
RUN, DEAD = 5, 11  # instructions of its program: where a pass begins, where it ends for good
SIDE = 1 << 12  # of an instruction: the level of the side-set pin

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
        ["init", DEAD_MAN, first_level, 1_000_000, COVER],
        ["put", DEAD_MAN, 2_500_000],  # 15 s in passes of 6 us
        ["put", DEAD_MAN, 13_333],  # 80 ms
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
    assert run(MAKE + script) == [0, ["put", DEAD_MAN, 13_333], 0]


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


def test_with_pulse_drive_no_level_at_the_pin_is_on(run):
    script = (
        "seen = []\nfor level in (0, 1):\n    machine.levels[16] = level\n    seen.append(relay.is_on())\nanswer = seen"
    )
    assert run(MAKE + script, RELAY_DRIVE="pulse") == [False, False]


def test_with_pulse_drive_it_is_on_until_the_dead_man_stands_at_its_end_or_is_stopped(run):
    script = """
from tumbler.hw import pio_deadman
SM0_ADDR = 0x502000D4
relay.on()
first = machine.registers[SM0_ADDR]
answer = [relay.is_on()]
for at in range(16):
    machine.registers[SM0_ADDR] = first + at
    answer.append(relay.is_on())
machine.registers[SM0_ADDR] = first
relay.off()
answer.append(relay.is_on())
"""
    assert run(MAKE + script, RELAY_DRIVE="pulse") == [True] + [True] * DEAD + [False] + [True] * 4 + [False]


def test_with_pulse_drive_asking_takes_no_memory(run):
    assert run(MAKE + "relay.on()\nanswer = taken(lambda i: relay.is_on())", RELAY_DRIVE="pulse") == 0


def test_an_address_is_not_computed_anew_each_time(monkeypatch):
    """A number above 2**30 takes memory on a board when it is computed, which 64 bits do not show."""

    class Registers:
        def __init__(self):
            self.asked = []

        def __getitem__(self, address):
            self.asked.append(address)
            return 0

    machine, registers = types.ModuleType("machine"), Registers()
    monkeypatch.setitem(machine.__dict__, "mem32", registers)
    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setitem(sys.modules, "rp2", types.ModuleType("rp2"))
    address = runpy.run_path(str(FIRMWARE / "tumbler/hw/pio_block.py"))["address"]
    for number in (0, 1, 0, 1):
        address(number)
    first, second, *again = registers.asked
    assert (first, second) == (0x502000D4, 0x502000EC)  # RP2040 datasheet 3.7: SM0_ADDR, SM1_ADDR of PIO0
    assert again[0] is first and again[1] is second


PROGRAM = "from tumbler.hw import pio_counter, pio_deadman as p\n"


def test_all_programs_take_the_instructions_that_the_boards_budget_says(run):
    script = "answer = [len(p.program(on, pulse).opcodes) for on, pulse in ((1, False), (0, False), (1, True))]"
    budget = load_board("pico").pio
    assert run(PROGRAM + script) == [budget.dead_man] * 3
    assert run(PROGRAM + "answer = len(pio_counter.spin_counter.opcodes)") == budget.spin_counter


def test_the_programs_differ_in_the_levels_that_they_set_and_in_nothing_else(run):
    high, low, pulse = run(PROGRAM + "answer = [p.program(on, a).opcodes for on, a in ((1, 0), (0, 0), (1, 1))]")
    assert [opcode ^ SIDE for opcode in high] == low
    assert [opcode & ~SIDE for opcode in high] == [opcode & ~SIDE for opcode in pulse]


def walk(opcodes, cover_open):
    """Cycles that the pin spends at each level in one pass with the cover as given, the words not used up."""
    at, levels = RUN, {0: 0, 1: 0}
    while True:
        opcode = opcodes[at]
        levels[opcode >> 12 & 1] += 1 + (opcode >> 8 & 15)
        jump = opcode >> 13 == 0
        taken = jump and {0: True, 2: True, 4: True, 6: cover_open, 7: True}[opcode >> 5 & 7]
        at = opcode & 31 if taken else at + 1
        if at == RUN:
            return levels


@pytest.mark.parametrize(
    ("on_level", "pulse", "levels"), [(1, 0, {1: 6, 0: 0}), (0, 0, {0: 6, 1: 0}), (1, 1, {1: 3, 0: 3})]
)
def test_a_pass_takes_six_cycles_and_makes_the_same_wave_whatever_the_cover_says(run, on_level, pulse, levels):
    opcodes = run(PROGRAM + f"answer = p.program({on_level}, {pulse}).opcodes")
    assert walk(opcodes, cover_open=False) == levels
    assert walk(opcodes, cover_open=True) == levels
    assert opcodes[DEAD] & ~SIDE == DEAD  # jumps to itself


def test_only_the_relay_room_and_boot_name_the_relays_pin():
    naming = {
        path.relative_to(FIRMWARE).as_posix()
        for path in FIRMWARE.rglob("*.py")
        if re.search(r"PIN_RELAY\b", path.read_text(encoding="utf-8"))
    }
    assert naming == {"boot.py", "tumbler/hw/relay.py"}
