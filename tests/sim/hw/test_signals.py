"""Buzzer and lamp against the time at which their pins change."""

from __future__ import annotations

import pytest

BUZZER, LAMP = 12, 13  # boards/pico.toml

PLAY = """
from tumbler.core import panel, round, ticks
from tumbler.hw.signals import Signals
signals = Signals(board)
edges = []
def play(start, times):
    for i in range(times):
        before = machine.count[0]
        signals.tick(ticks.add(start, i))
        for w in machine.writes[before:machine.count[0]]:
            edges.append([i, w >> 1, w & 1])
"""


def edges_of(got, pin):
    return [(at_ms, level) for at_ms, number, level in got if number == pin]


@pytest.mark.parametrize(
    ("tone", "edges"),
    [
        ("OK_TONE", [(0, 1), (60, 0)]),
        ("REFUSED_TONE", [(0, 1), (60, 0), (120, 1), (180, 0), (240, 1), (300, 0)]),
        ("BETS_TONE", [(0, 1), (300, 0)]),
        ("FAULT_TONE", [(0, 1), (500, 0), (750, 1), (1250, 0), (1500, 1), (2000, 0)]),
    ],
)
def test_a_tone_sounds_and_ends_by_itself_also_over_the_wrap_of_the_ticks(run, tone, edges):
    got = run(PLAY + f"signals.beep(round.{tone})\nplay((1 << 30) - 100, 3000)\nanswer = edges")
    assert edges_of(got, BUZZER) == edges


def test_a_new_tone_takes_the_place_of_one_that_still_sounds(run):
    script = (
        "signals.beep(round.FAULT_TONE)\nplay(0, 100)\nsignals.beep(round.OK_TONE)\nplay(100, 1000)\nanswer = edges"
    )
    sounding = edges_of(run(PLAY + script), BUZZER)
    assert sounding[-1] == (60, 0)


def test_a_blinking_lamp_changes_every_quarter_second_and_goes_dark_when_turned_off(run):
    script = (
        "signals.lamp(panel.LAMP_BLINK)\nplay(1000, 600)\nsignals.lamp(panel.LAMP_OFF)\nplay(1600, 500)\nanswer = edges"
    )
    assert edges_of(run(PLAY + script), LAMP) == [(0, 1), (250, 0), (500, 1), (0, 0)]


def test_lamp_is_on_at_the_next_tick(run):
    got = run(PLAY + "signals.lamp(panel.LAMP_ON)\nplay(0, 1)\nanswer = edges")
    assert edges_of(got, LAMP) == [(0, 1)]


def test_ticks_take_no_memory_while_a_tone_sounds_and_the_lamp_blinks(run):
    script = """
signals.beep(round.FAULT_TONE)
signals.lamp(panel.LAMP_BLINK)
answer = taken(lambda i: signals.tick(i * 37))
"""
    assert run(PLAY + script) == 0
