"""Uptime over the wrap of the ticks, and the pace of the loop, on a clock that only sleeping moves."""

from __future__ import annotations

WRAP = 1 << 30

MAKE = """
import time
from tumbler.hw.clock import Clock
time.now_ms[0] = (1 << 30) - 1500
clock = Clock()
def go_on(ms):
    time.now_ms[0] = (time.now_ms[0] + ms) & ((1 << 30) - 1)
    clock.advance(clock.ms())
"""


def test_uptime_begins_at_zero_and_counts_on_when_the_ticks_wrap(run):
    script = "answer = [clock.t()]\nfor ms in (7, 1000, 400, 600):\n    go_on(ms)\n    answer.append(clock.t())"
    assert run(MAKE + script) == ["0", "7", "1007", "1407", "2007"]


def test_uptime_is_whole_after_forty_days_of_five_day_steps(run):
    script = "for _ in range(8):\n    go_on(5 * 86400 * 1000)\nanswer = clock.t()"
    assert run(MAKE + script) == str(40 * 86400 * 1000)


def test_each_tick_lies_two_ms_after_the_last_whatever_the_work_took(run):
    script = """
at = []
for work in (0, 1, 0, 1, 1, 0):
    time.now_ms[0] = (time.now_ms[0] + work) & ((1 << 30) - 1)
    clock.sleep_until_tick()
    at.append((time.now_ms[0] - ((1 << 30) - 1500)) & ((1 << 30) - 1))
answer = at
"""
    assert run(MAKE + script) == [2, 4, 6, 8, 10, 12]


def test_after_a_late_tick_none_is_made_up(run):
    script = """
clock.sleep_until_tick()
time.now_ms[0] += 400
clock.sleep_until_tick()
late = len(time.slept_ms)
clock.sleep_until_tick()
answer = [late, time.slept_ms]
"""
    assert run(MAKE + script) == [1, [2, 2]]


def test_advancing_takes_no_memory(run):
    assert run(MAKE + "answer = taken(lambda i: clock.advance(i * 997))") == 0
