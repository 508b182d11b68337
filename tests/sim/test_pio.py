"""The models of the two PIO programs behind the firmware's own relay and counter rooms, to the microsecond.

The programs of these tests run on the simulated board; they move the cover's and the sensor's wire themselves, without
bounce. Times are those of the emulator's measurements (docs/SAFETY.md): off 80 ms after the last feed, about 20 us
after the cover opened, never for a shorter spike.
"""

import pytest

RELAY = """
import time, tumbler_board as board, world
from machine import Pin
from tumbler.hw.relay import Relay
w = world.the
relay = Relay(board)

def cover(is_open):
    w.set_outside(board.PIN_COVER, world.FLOATING if is_open else world.LOW)

def us_until_off(limit_us):
    start = w.now_us
    while relay.is_on():
        if w.now_us - start > limit_us:
            return -1
        time.sleep_us(1)
    return w.now_us - start
"""

COUNTER = """
import time, tumbler_board as board, world
w = world.the

def pulse(high_us, low_us):
    w.set_outside(board.PIN_SENSOR, world.HIGH)
    time.sleep_us(high_us)
    w.set_outside(board.PIN_SENSOR, world.LOW)
    time.sleep_us(low_us)

w.set_outside(board.PIN_SENSOR, world.LOW)
from tumbler.hw.counter import Counter
counter = Counter(board)
"""


@pytest.fixture(params=["level", "pulse"])
def run_relay(request, run_program, pulse_board):
    """run_program for a board with a level and one with a pulse-driven relay."""
    board = "pico" if request.param == "level" else pulse_board
    return lambda source: run_program(source, board=board)


def printed(run_program, source: str, ms: int) -> list[str]:
    sim = run_program(source)
    sim.rig.step(ms)
    return sim.host.noise().split()


def test_relay_opens_80_ms_after_the_last_feed(run_relay):
    source = RELAY + (
        "relay.on()\n"
        "for _ in range(100):\n    time.sleep_ms(2)\n    relay.feed()\n"
        "print(relay.is_on(), us_until_off(100_000))\n"
    )
    on, us = printed(run_relay, source, 400)
    assert on == "True"
    assert 79_900 <= int(us) <= 80_100


def test_a_trip_latches_until_the_next_start(run_relay):
    source = RELAY + (
        "relay.on()\ntime.sleep_ms(100)\n"
        "for _ in range(100):\n    time.sleep_ms(2)\n    relay.feed()\n    if relay.is_on():\n        print('on')\n"
        "relay.on()\nprint(relay.is_on())\n"
    )
    assert printed(run_relay, source, 400) == ["True"]


def test_relay_opens_when_its_longest_time_is_up_however_well_it_is_fed(run_relay):
    source = RELAY + (
        "relay.on()\nstart = w.now_us\n"
        "while relay.is_on():\n    time.sleep_ms(2)\n    relay.feed()\n"
        "print((w.now_us - start) // 1000)\n"
    )
    assert printed(run_relay, source, 16_000) == ["15002"]  # pico.toml: max_on_ms = 15_000, seen at the next tick


def test_relay_opens_within_50_us_of_the_cover(run_relay):
    source = RELAY + "relay.on()\ntime.sleep_ms(10)\ncover(True)\nprint(us_until_off(1000))\n"
    (us,) = printed(run_relay, source, 50)
    assert 10 < int(us) <= 50


def test_a_cover_spike_under_10_us_does_not_trip(run_relay):
    source = RELAY + (
        "relay.on()\ntime.sleep_ms(10)\n"
        "for _ in range(20):\n    cover(True)\n    time.sleep_us(9)\n    cover(False)\n    time.sleep_us(500)\n"
        "print(relay.is_on())\n"
    )
    assert printed(run_relay, source, 50) == ["True"]


def test_relay_does_not_close_under_an_open_cover(run_relay):
    source = RELAY + "cover(True)\nrelay.on()\nprint(relay.is_on())\ncover(False)\nrelay.feed()\nprint(relay.is_on())\n"
    assert printed(run_relay, source, 50) == ["False", "False"]


def test_off_is_at_once(run_relay):
    source = RELAY + "relay.on()\ntime.sleep_ms(10)\nrelay.off()\nprint(relay.is_on())\n"
    assert printed(run_relay, source, 50) == ["False"]


@pytest.mark.parametrize("level", [0, 1])
def test_a_pulse_driven_relay_that_is_stuck_at_a_level_is_off(run_program, pulse_board, level):
    sim = run_program(
        RELAY + f"relay.on()\ntime.sleep_ms(50)\nPin(board.PIN_RELAY, Pin.OUT, value={level})\n", board=pulse_board
    )
    sim.rig.step(40)
    assert sim.rig.read()["relay"]
    assert sim.rig.step(30)["relay"] is False


def test_every_pulse_of_twice_the_filter_time_counts(run_program):
    source = COUNTER + "for n in range(500):\n    pulse(40 + n % 7, 40 + n % 11)\nprint(counter.read())\n"
    assert printed(run_program, source, 100) == ["500"]


def test_no_spike_under_half_the_filter_time_counts(run_program):
    source = COUNTER + "for n in range(500):\n    pulse(1 + n % 9, 1 + n % 13)\nprint(counter.read())\n"
    assert printed(run_program, source, 100) == ["0"]


def test_pulses_during_a_hang_of_the_firmware_are_counted(run_program):
    source = COUNTER + (
        "import heapq\n"
        "for n in range(10):\n"
        "    heapq.heappush(w.edges, (w.now_us + 1000 + n * 5000, 2 * n, board.PIN_SENSOR, world.HIGH))\n"
        "    heapq.heappush(w.edges, (w.now_us + 3000 + n * 5000, 2 * n + 1, board.PIN_SENSOR, world.LOW))\n"
        "time.sleep_ms(500)\nprint(counter.read())\n"
    )
    assert printed(run_program, source, 600) == ["10"]
