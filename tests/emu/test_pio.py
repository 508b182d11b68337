"""The spin counter at the ends of the numbers that a board keeps without memory, and of its own."""

COUNT = """
import gc, sys, tumbler_board
from tumbler.hw.counter import Counter
counter = Counter(tumbler_board); counter.read()
print("ready")

def tell():
    before = gc.mem_alloc()
    count = counter.read()
    print("count", count, gc.mem_alloc() - before)

while True:
    sys.stdin.readline()
    tell()
"""
PULSES = 6


def test_counts_are_exact_and_take_no_memory_where_the_counter_passes_2_to_the_30_31_and_32(run_program):
    program = run_program(COUNT)
    program.until("ready", 300)
    counts, taken = [], []

    def ask():
        program.board.usb.send(b"\n")
        _, count, bytes_taken = program.until("count", 50, times=len(counts) + 1).split()
        counts.append(int(count))
        taken.append(int(bytes_taken))

    for bits in (30, 31, 32):
        # x counts down and its complement up (firmware/tumbler/hw/pio_counter.py): three pulses before 2**bits
        program.board.device.mcu.pio[0].machines[1].x = ~((1 << bits) - 3) & 0xFFFFFFFF
        ask()
        program.pulse(PULSES, 50, 45)
        program.board.step(1)
        ask()
    assert [(counts[i + 1] - counts[i]) % (1 << 30) for i in (0, 2, 4)] == [PULSES] * 3
    assert taken == [0] * 6
