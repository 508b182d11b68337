"""The spin counter on real instructions, and a clean start after soft resets."""

import pytest

MAIN = """
import machine, sys, tumbler_board
from tumbler.hw.relay import Relay
from tumbler.hw.counter import Counter
relay, counter = Relay(tumbler_board), Counter(tumbler_board)
print("ready")
sys.stdin.readline()
print("count", counter.read())
machine.soft_reset()
"""


@pytest.mark.parametrize("soft_resets", [5, pytest.param(20, marks=pytest.mark.emu_full)])
def test_after_soft_resets_the_counts_are_still_exact(run_program, soft_resets):
    program = run_program(MAIN)
    injected, counted = [], []
    for i in range(soft_resets + 1):
        program.until("ready", 400, times=i + 1)
        injected.append(3 + i)
        program.pulse(injected[-1], 50, 45)  # halves of 45 us: at least twice t_f, which is 20 us
        program.board.step(1 + 0.09 * injected[-1])
        program.board.usb.send(b"\n")
        counted.append(int(program.until("count", 50, times=i + 1).split()[1]))
    assert counted == injected
    assert program.relay_edges() == []
