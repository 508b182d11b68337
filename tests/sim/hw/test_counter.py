"""The counter room against a state machine whose X is set by hand."""

from __future__ import annotations

import pytest

MAKE = """
import rp2
from tumbler.hw.counter import Counter
sm = rp2.StateMachine(1)
def turn(pulses):
    sm.x = (sm.x - pulses) & 0xFFFFFFFF
"""


@pytest.mark.parametrize("left_in_x", [0xFFFFFFFF, 0, 1, 0xC0000000, 0xBFFFFFFF, 0x80000000, 0x7FFFFFFF, 12345])
def test_counts_from_zero_wherever_x_was_left(run, left_in_x):
    script = "counter = Counter(board)\nanswer = [counter.read()]\nturn(7)\nanswer.append(counter.read())"
    assert run(MAKE + f"sm.x = {left_in_x}\n" + script) == [0, 7]


def test_wraps_at_two_to_the_thirty_so_that_every_count_is_a_small_int_on_a_board(run):
    script = """
counter = Counter(board)
turn((1 << 30) - 1)
last = counter.read()
turn(1)
first = counter.read()
turn((1 << 31) - 3)
answer = [last, first, counter.read()]
"""
    assert run(MAKE + script) == [(1 << 30) - 1, 0, (1 << 30) - 3]


def test_words_come_off_the_fifo_below_two_to_the_thirty(run):
    script = """
counter = Counter(board)
largest = [0]
get = sm.get
def watched(*args):
    value = get(*args)
    largest[0] = max(largest[0], value)
    return value
sm.get = watched
for x in (0, 0xFFFFFFFF, 0x80000000, 0x3FFFFFFF):
    sm.x = x
    counter.read()
answer = largest[0]
"""
    assert 0 < run(MAKE + script) < 1 << 30


def test_a_machine_that_answers_nothing_leaves_the_last_count_and_never_waits(run):
    script = "counter = Counter(board)\nturn(3)\ncounter.read()\nturn(1)\nsm.deaf = True\nanswer = counter.read()"
    assert run(MAKE + script) == 3


@pytest.mark.parametrize(("t_f_us", "freq_hz"), [(20, 8_000_000), (2000, 80_000), (10_000, 16_000)])
def test_the_filter_time_sets_the_programs_clock(run, t_f_us, freq_hz):
    got = run(MAKE + "Counter(board)\nanswer = machine.done", SENSOR_T_F_US=t_f_us)
    assert [step[3] for step in got if step[0] == "init"] == [freq_hz]


@pytest.mark.parametrize("t_f_us", [20, 2000, 10_000])
def test_waits_two_filter_times_before_it_takes_its_zero(run, t_f_us):
    got = run(MAKE + "import time\nCounter(board)\nanswer = time.slept_ms", SENSOR_T_F_US=t_f_us)
    assert 2 * t_f_us <= sum(got) * 1000 <= 2 * t_f_us + 1000


@pytest.mark.parametrize(("pull", "code"), [("up", 1), ("down", 2), ("none", 0)])
def test_the_sensors_pull_is_that_of_the_board_file(run, pull, code):
    got = run(MAKE + "Counter(board)\nanswer = machine.pulls[board.PIN_SENSOR]", SENSOR_PULL=pull)
    assert got == code


def test_reading_takes_no_memory(run):
    assert run(MAKE + "counter = Counter(board)\nanswer = taken(lambda i: counter.read())") == 0
