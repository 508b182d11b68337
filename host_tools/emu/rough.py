"""The spin sensor's wire as contacts make it: bounce and spikes between pulses that count; and what was counted."""

import random

from host_tools.emu.program import Program

LOW, HIGH = 0, 1
LOOK = 1 / 32  # of t_f: so often the counter looks; a gap that is shorter than that it may not see
# Waits for a line, does DURING, waits for another, and says what was counted.
COUNT = """
import rp2, sys, time, tumbler_board
from tumbler.hw.counter import Counter
counter = Counter(tumbler_board)
print("ready")
sys.stdin.readline()
DURING
sys.stdin.readline()
print("count", counter.read())
"""


def rough(count: int, half_us: float, t_f_us: float, seed: int = 1) -> list[tuple[float, int]]:
    """`count` pulses, low then high for half_us each (at least 2 t_f) -> (us, level) of each edge.

    For the first half of a t_f each level bounces, for 1.2 t_f it holds, then come spikes. Each wrong level lasts 1 us
    to t_f / 2, each gap between two of them at least 1/16 t_f.
    """
    chance = random.Random(seed)
    edges: list[tuple[float, int]] = []
    for i in range(2 * count):
        level, start = i % 2, i * half_us
        edges.append((start, level))
        _spikes(edges, chance, 1 - level, t_f_us, start, start + 0.5 * t_f_us)
        _spikes(edges, chance, 1 - level, t_f_us, start + 1.7 * t_f_us, start + half_us)
    return edges


def only_spikes(level: int, t_f_us: float, end_us: float, seed: int = 1) -> list[tuple[float, int]]:
    """A wire at rest at `level`, and nothing but spikes on it."""
    edges = [(0.0, level)]
    _spikes(edges, random.Random(seed), 1 - level, t_f_us, 4 * t_f_us, end_us)
    return edges


def _spikes(
    edges: list[tuple[float, int]], chance: random.Random, wrong: int, t_f_us: float, begin: float, end: float
) -> None:
    """Spikes to the level `wrong`, as many as fit in."""
    at = begin + t_f_us * chance.uniform(2 * LOOK, 0.3)
    while True:
        width = chance.uniform(1, t_f_us / 2)
        width = min(width, end - at - 2 * LOOK * t_f_us)
        if width < 1:
            return
        edges += [(at, wrong), (at + width, 1 - wrong)]
        at += width + t_f_us * chance.choice((2 * LOOK, 4 * LOOK, 0.5, 2, 20))


def counted(program: Program, edges: list[tuple[float, int]], t_f_us: float) -> int:
    """What COUNT says after these edges at the sensor; its DURING begins with them. Raises TimeoutError."""
    program.board.usb.send(b"\n")
    program.play(program.board.board.pins.sensor, edges)
    program.board.step((edges[-1][0] + 3 * t_f_us) / 1000)
    program.board.usb.send(b"\n")
    return int(program.until("count", 1000).split()[1])
