"""Every kind of reset of one board: its cause is told truthfully, and the relay's pin never drives on."""

import pytest

from host_tools.emu.bench import SOFT_RESET
from tests.emu.test_board import ON_THE_BUS

# The rooms that touch pins, and then what the test says.
MAIN = """
import machine, sys, tumbler_board
from tumbler.hw import relay, reset
from tumbler.hw.inputs import Inputs
Inputs(tumbler_board); relay.Relay(tumbler_board)
print("cause", reset.cause())
exec(sys.stdin.readline())
"""
BOOT_MS = 300
SOFT_RESET_MS = 20


@pytest.fixture(scope="module")
def causes(run_program):
    """(what was done, cause that the next start told) in order, and the board."""
    program = run_program(ON_THE_BUS + MAIN)
    told = [("power on", program.until("cause", BOOT_MS).split()[1])]
    for what in (
        "reset.restart(reset.COMMANDED)",
        "reset.restart(reset.PANIC)",
        "machine.reset()",
        "machine.WDT(timeout=20)",
        "machine.soft_reset()",
        "power",
        "run_pin",
        "reset.declare(reset.PANIC)",
        "power",
    ):
        if what in ("power", "run_pin"):
            program.board.reset(what, off_ms=1)
        else:
            program.board.usb.send(what.encode() + b"\n")
        if "declare" not in what:
            told.append((what, program.until("cause", BOOT_MS, times=len(told) + 1).split()[1]))
    return told, program


def test_the_cause_is_told_truthfully_and_what_is_not_known_is_unknown(causes):
    told, _ = causes
    assert told == [
        ("power on", "power"),
        ("reset.restart(reset.COMMANDED)", "commanded"),
        ("reset.restart(reset.PANIC)", "panic"),
        ("machine.reset()", "unknown"),
        ("machine.WDT(timeout=20)", "watchdog"),
        ("machine.soft_reset()", "watchdog"),  # the last reset of the chip; a soft one is none
        ("power", "power"),
        ("run_pin", "run_pin"),
        ("power", "power"),  # a word for another reset does not outlive it
    ]


def test_the_relay_is_not_on_for_one_moment(causes):
    _, program = causes
    assert program.relay_edges() == []


def test_a_soft_reset_turns_the_relay_off_in_boot(run_program, figure):
    program = run_program(SOFT_RESET.replace("LAST", "pass"))
    asked_us = []
    lamp = program.board.device.mcu.gpio[program.board.board.pins.lamp]
    lamp.add_listener(lambda new, _old: asked_us.append(program.now_us()) if new.name == "HIGH" else None)
    while not asked_us or program.board.world.relay_on():
        program.board.step(5)
    (_, _), (off_us, _) = program.relay_edges()
    late_ms = (off_us - asked_us[0]) / 1000
    figure("soft reset to relay off", late_ms, "ms", f"{SOFT_RESET_MS} ms")
    assert late_ms <= SOFT_RESET_MS
