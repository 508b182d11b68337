"""Reset causes from the registers of the RP2040 (datasheet 2.12.8 and 4.7.6) and the intent word."""

from __future__ import annotations

import pytest

POWER_ON, WATCHDOG = 1, 3  # machine.reset_cause()
TIMER, FORCED = 1, 2  # watchdog REASON
HAD_POR, HAD_RUN = 0x100, 0x10000  # CHIP_RESET

START = """
machine.cause[0] = {cause}
machine.registers[0x4005800C] = {word}
machine.registers[0x40058008] = {reason}
machine.registers[0x40064008] = {chip}
from tumbler.hw import reset
"""
# What a board leaves behind by itself, read from a run of the room: the words are its own business.
WORD_AFTER = """
from tumbler.hw import reset
try:
    reset.restart(reset.{intent})
except machine.Reset:
    answer = machine.done[-1][1]
"""


def start(cause: int, word: int = 0, reason: int = 0, chip: int = 0) -> str:
    return START.format(cause=cause, word=word, reason=reason, chip=chip)


@pytest.mark.parametrize(
    ("cause", "reason", "chip", "told"),
    [
        (POWER_ON, 0, HAD_POR, "power"),
        (POWER_ON, 0, HAD_RUN, "run_pin"),
        (POWER_ON, 0, 0, "unknown"),
        (WATCHDOG, TIMER, HAD_POR, "watchdog"),
        (WATCHDOG, FORCED, HAD_POR, "unknown"),  # machine.reset() by somebody who said nothing
    ],
)
def test_without_a_word_the_registers_tell_and_what_they_do_not_know_stays_unknown(run, cause, reason, chip, told):
    assert run(start(cause, 0, reason, chip) + "answer = reset.cause()") == told


@pytest.mark.parametrize(
    ("intent", "told", "stay_out"),
    [("COMMANDED", "commanded", False), ("MAINTENANCE", "commanded", True), ("PANIC", "panic", False)],
)
def test_a_deliberate_reset_is_told_by_its_word(run, intent, told, stay_out):
    word = run(WORD_AFTER.format(intent=intent))
    got = run(start(WATCHDOG, word, FORCED) + "answer = [reset.cause(), reset.maintenance_ordered()]")
    assert got == [told, stay_out]


def test_a_word_speaks_for_one_reset_only(run):
    word = run(WORD_AFTER.format(intent="PANIC"))
    assert run(start(WATCHDOG, word, FORCED) + "answer = machine.registers[0x4005800C]") == 0


@pytest.mark.parametrize("intent", ["COMMANDED", "MAINTENANCE", "PANIC"])
def test_a_word_counts_for_nothing_after_power_on(run, intent):
    word = run(WORD_AFTER.format(intent=intent))
    got = run(start(POWER_ON, word, 0, HAD_POR) + "answer = [reset.cause(), reset.maintenance_ordered()]")
    assert got == ["power", False]


def test_any_other_word_is_no_intent(run):
    assert run(start(WATCHDOG, 0x12345678, TIMER) + "answer = reset.cause()") == "watchdog"


def test_the_first_word_stands_when_the_way_out_fails(run):
    script = """
reset.declare(reset.MAINTENANCE)
reset.declare(reset.PANIC)
answer = machine.registers[0x4005800C] == reset.MAINTENANCE
"""
    assert run(start(POWER_ON) + script) is True
