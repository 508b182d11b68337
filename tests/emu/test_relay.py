"""The relay on real instructions: what the dead-man does, timed in PIO time, whatever Python does."""

import dataclasses

import pytest

from host_tools.boards import load_board

HEAD = """
import time, tumbler_board
from machine import Pin
from tumbler.hw.inputs import Inputs
from tumbler.hw.relay import Relay
Inputs(tumbler_board); relay = Relay(tumbler_board)
"""
SPIN = HEAD + "relay.on(); print('on', relay.is_on())\n"
FED = "while True:\n    time.sleep_ms(2); relay.feed()\n"
# On the cover's wire, none of which is the cover: of three looks, 6 us apart, each finds two, one, or two and one open
SPIKES = [
    (11.5, 6.5),
    pytest.param(8, 10, marks=pytest.mark.emu_full),
    pytest.param(7, 5, marks=pytest.mark.emu_full),
]


def relay_board(drive, active="high"):
    """The pico with its relay driven so."""
    pico = load_board("pico")
    pull = "down" if active == "high" else "up"
    return dataclasses.replace(
        pico, relay=dataclasses.replace(pico.relay, drive=drive, active=active, external_pull=pull)
    )


@pytest.fixture(params=["level", "pulse"])
def run_relay(request, run_program):
    """run_program for a board with a level and one with a pulse-driven relay."""
    return lambda source, **settings: run_program(source, board=relay_board(request.param), **settings)


def ons_and_offs(program):
    return [on for _, on in program.relay_edges()]


def test_an_open_cover_turns_the_relay_off_within_50_us(run_relay):
    # 16 openings, half a us apart in the dead-man's loop of 6 us
    program = run_relay(
        HEAD + "for i in range(16):\n    relay.on(); print('on', relay.is_on())\n    for _ in range(4):\n"
        "        time.sleep_ms(1); relay.feed()\n    print('off', relay.is_on()); relay.off(); time.sleep_ms(4)\n"
    )
    late_us = []
    for i in range(16):
        assert program.until("on", 300, times=i + 1) == "on True"
        opened_us = program.open_cover_in(1000 + i * 0.5)
        assert program.until("off", 100, times=i + 1) == "off False"
        edges = program.relay_edges()
        assert [on for _, on in edges] == [True, False] * (i + 1)
        late_us.append(edges[-1][0] - opened_us)
        program.shut_cover()
    assert max(late_us) <= 50
    assert min(late_us) >= 12  # shorter than that is a spike


def test_a_spike_under_10_us_on_the_cover_wire_does_not_turn_it_off(run_relay):
    program = run_relay(SPIN + FED)
    program.until("on", 300)
    for i in range(20):
        program.open_cover_in(500 + i * 300.7)
        program.board.at(509.9 + i * 300.7, program.shut_cover)
    program.board.step(10)
    assert ons_and_offs(program) == [True]


def test_open_for_1_ms_it_stays_off_though_feeding_goes_on(run_relay):
    program = run_relay(SPIN + FED)
    program.until("on", 300)
    program.open_cover_in(1000)
    program.board.at(2000, program.shut_cover)
    program.board.step(100)
    assert ons_and_offs(program) == [True, False]


@pytest.mark.parametrize(
    "ends",
    [
        "while True:\n    pass\n",
        pytest.param("raise ValueError('ends')\n", marks=pytest.mark.emu_full),
        "while True:\n    print('x' * 64)\n",
    ],
    ids=["endless loop", "exception", "blocked write"],
)
def test_unfed_it_goes_off_within_100_ms(run_program, ends):
    program = run_program(SPIN + ends)
    program.board.usb.room = 128  # of a host that does not read: a write then blocks
    program.board.after_step = None
    program.board.step(300)
    (on_us, _), (off_us, _) = program.relay_edges()
    assert 80_000 <= off_us - on_us <= 100_000


@pytest.mark.parametrize(("high_us", "low_us"), SPIKES)
def test_spikes_on_the_cover_wire_stretch_the_time_of_a_feed_by_nothing(run_relay, high_us, low_us):
    program = run_relay(SPIN)
    program.until("on", 300)
    program.spikes_on_cover(1, high_us, low_us, 100_000)
    program.board.step(100)
    (on_us, _), (off_us, _) = program.relay_edges()
    assert 80_000 <= off_us - on_us <= 80_020


@pytest.mark.parametrize(("high_us", "low_us"), SPIKES)
def test_spikes_on_the_cover_wire_stretch_the_longest_on_time_by_nothing(run_program, high_us, low_us):
    source = HEAD.replace("Inputs(", "tumbler_board.RELAY_MAX_ON_MS = 30; Inputs(", 1)
    program = run_program(source + "relay.on(); print('on')\n" + FED)
    program.until("on", 300)
    program.spikes_on_cover(1, high_us, low_us, 50_000)
    program.board.step(50)
    (on_us, _), (off_us, _) = program.relay_edges()
    assert 30_000 <= off_us - on_us <= 30_020


@pytest.mark.parametrize("level", [0, 1])
def test_a_pulse_driven_relay_that_is_stuck_at_a_level_is_off(run_program, level):
    source = SPIN + f"time.sleep_ms(12)\nPin(tumbler_board.PIN_RELAY, Pin.OUT, value={level}); print('stuck')\n"
    program = run_program(source, board=relay_board("pulse"))
    program.until("on", 300)
    program.board.step(11)
    assert program.board.world.contact
    program.until("stuck", 20)
    program.board.step(12)
    assert not program.board.world.contact
    assert ons_and_offs(program) == [True, False]


def test_a_pulse_driven_relay_gets_a_square_wave_of_167_khz(run_program):
    program = run_program(SPIN + FED, board=relay_board("pulse"))
    program.until("on", 300)
    program.board.step(1)
    before = program.board.world.relay_pin_edges
    program.board.step(6)
    assert abs(program.board.world.relay_pin_edges - before - 2000) <= 4


def test_feeding_and_looking_at_it_takes_no_memory(run_relay):
    program = run_relay(
        "import gc\n" + SPIN + "\ndef held(n):\n    while n:\n        relay.feed(); relay.is_on(); n -= 1\n"
        "held(1); before = gc.mem_alloc(); held(50); print('taken', gc.mem_alloc() - before)\n"
    )
    assert program.until("taken", 400) == "taken 0"
