"""The relay on real instructions: what the dead-man does, timed in PIO time, whatever Python does."""

import pytest

HEAD = """
import time, tumbler_board
from tumbler.hw.inputs import Inputs
from tumbler.hw.relay import Relay
Inputs(tumbler_board); relay = Relay(tumbler_board)
"""
SPIN = HEAD + "relay.on(); print('on', relay.is_on())\n"
FED = "while True:\n    time.sleep_ms(2); relay.feed()\n"


def test_an_open_cover_turns_the_relay_off_within_50_us(run_program):
    # 16 openings, a PIO cycle (0.5 us) apart in the dead-man's loop of 2.5 us
    program = run_program(
        HEAD + "for i in range(16):\n    relay.on(); print('on')\n    for _ in range(6):\n"
        "        time.sleep_ms(2); relay.feed()\n    relay.off(); print('off'); time.sleep_ms(6)\n"
    )
    late_us = []
    for i in range(16):
        program.until("on", 300, times=i + 1)
        opened_us = program.open_cover_in(1000 + i * 0.5)
        program.until("off", 100, times=i + 1)
        edges = program.relay_edges()
        assert [on for _, on in edges] == [True, False] * (i + 1)
        late_us.append(edges[-1][0] - opened_us)
        program.shut_cover()
    assert max(late_us) <= 50
    assert min(late_us) >= 16  # shorter than that is a spike


def test_a_spike_of_8_us_on_the_cover_wire_does_not_turn_it_off(run_program):
    program = run_program(SPIN + FED)
    program.until("on", 300)
    for i in range(20):
        program.open_cover_in(500 + i * 300.7)
        program.board.at(508 + i * 300.7, program.shut_cover)
    program.board.step(10)
    assert [on for _, on in program.relay_edges()] == [True]


def test_open_for_1_ms_it_stays_off_though_feeding_goes_on(run_program):
    program = run_program(SPIN + FED)
    program.until("on", 300)
    program.open_cover_in(1000)
    program.board.at(2000, program.shut_cover)
    program.board.step(100)
    assert [on for _, on in program.relay_edges()] == [True, False]


@pytest.mark.parametrize(
    "ends",
    ["while True:\n    pass\n", "raise ValueError('ends')\n", "while True:\n    print('x' * 64)\n"],
    ids=["endless loop", "exception", "blocked write"],
)
def test_unfed_it_goes_off_within_100_ms(run_program, ends):
    program = run_program(SPIN + ends)
    program.board.usb.room = 128  # of a host that does not read: a write then blocks
    program.board.after_step = None
    program.board.step(300)
    (on_us, _), (off_us, _) = program.relay_edges()
    assert 80_000 <= off_us - on_us <= 100_000
