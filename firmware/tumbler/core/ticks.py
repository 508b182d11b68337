"""Wrap-safe arithmetic on board ticks: ms that wrap at 2**30 (12.4 days), as MicroPython's ticks_ms().

Written so that no intermediate value reaches 2**30: such a number would be allocated on a board.
"""

MASK = (1 << 30) - 1
HALF = 1 << 29


def diff(later: int, earlier: int) -> int:
    """ms from `earlier` to `later`, negative if it lies before; right within 6.2 days either way."""
    return ((later - earlier) & MASK ^ HALF) - HALF


def add(ticks: int, ms: int) -> int:
    """The tick `ms` after `ticks`; ms below 2**29."""
    return (ticks - (HALF - ms) - HALF) & MASK
