"""Wrap-safe ticks: 12.4 days is well within a table's uptime."""

from tumbler.core import ticks

from tests.core import kit

WRAP = 1 << 30


def test_diff():
    def check(later, earlier, ms):
        assert ticks.diff(later, earlier) == ms, ticks.diff(later, earlier)

    kit.cases(
        (
            (0, 0, 0),
            (1000, 400, 600),
            (400, 1000, -600),
            (0, WRAP - 1, 1),
            (WRAP - 1, 0, -1),
            (5, WRAP - 5, 10),
            (WRAP - 5, 5, -10),
            (WRAP - 1, WRAP - 1, 0),
            ((1 << 29) - 1, 0, (1 << 29) - 1),  # the farthest ahead: 6.2 days
            (1 << 29, 0, -(1 << 29)),  # one more reads as the past
        ),
        check,
    )


def test_add():
    def check(tick, ms, later):
        assert ticks.add(tick, ms) == later, ticks.add(tick, ms)

    kit.cases(
        (
            (0, 0, 0),
            (0, 250, 250),
            (WRAP - 1, 0, WRAP - 1),
            (WRAP - 1, 1, 0),
            (WRAP - 100, 350, 250),
            (WRAP - 1, (1 << 29) - 1, (1 << 29) - 2),
            (0, (1 << 29) - 1, (1 << 29) - 1),
        ),
        check,
    )


def test_add_and_diff_agree():
    for seed in range(300):
        chance = kit.Random(seed)
        tick, ms = chance.below(1 << 29) * 2 + chance.below(2), chance.below(1 << 29)
        later = ticks.add(tick, ms)
        assert 0 <= later < WRAP, seed
        assert ticks.diff(later, tick) == ms, seed
        assert ticks.diff(tick, later) == -ms, seed


def test_no_number_needs_heap_on_a_board():
    edges = (0, 1, (1 << 29) - 1, 1 << 29, (1 << 29) + 1, WRAP - 2, WRAP - 1)
    for a in edges:
        for b in edges:
            ticks.diff(kit.small(a), kit.small(b))
            if b < 1 << 29:
                ticks.add(kit.small(a), kit.small(b))


def test_takes_no_heap():
    def step(i):
        ticks.diff(ticks.add(WRAP - 3, i), WRAP - 3)

    assert kit.heap_bytes(step) == 0
