"""What the tests of the core need, on CPython and on MicroPython alike.

Every tests/core/test_*.py runs twice: pytest collects it, and tests/host/test_core_on_micropython.py has
run_under_micropython.py run it under real MicroPython. So that one file serves both, such a test

- is a plain function `test_*` without arguments and checks with bare `assert`; no pytest, no hypothesis, no fixtures;
- imports only the firmware (`from tumbler.core import ...`) and this file (`from tests.core import kit`);
- keeps to what MicroPython has: no typing, dataclasses, pathlib or str.removeprefix, and dicts are unordered;
- takes chance from kit.Random(seed) and names the seed in the assert's message, since MicroPython's bare asserts say
  nothing and the two `random` modules draw differently.

New files are found by their name. A new test has been seen red once: break the code it guards and run it.
"""

import sys

MICROPYTHON = sys.implementation.name == "micropython"


class Skip(Exception):
    """A test that cannot run here; its text is the reason."""


def skip(reason: str):
    """End the running test as skipped."""
    if MICROPYTHON:
        raise Skip(reason)
    import pytest

    pytest.skip(reason)


class raises:
    """`with raises(LineError) as caught:` the block must raise that kind; caught.value is the exception."""

    def __init__(self, kind):
        self.kind = kind
        self.value = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            raise AssertionError("nothing was raised, %s was expected" % self.kind.__name__)
        self.value = value
        return issubclass(kind, self.kind)


def cases(rows, check):
    """check(*row) for every row of a table; all rows that fail are named, not only the first."""
    bad = []
    for row in rows:
        try:
            check(*row)
        except AssertionError as e:
            bad.append("%r: %s" % (row, e))
    assert not bad, "%d of %d rows:\n%s" % (len(bad), len(rows), "\n".join(bad))


class Random:
    """xorshift32: the same numbers from a seed on both Pythons."""

    def __init__(self, seed: int):
        self._x = (seed * 2654435761 + 1) & 0xFFFFFFFF or 1
        for _ in range(8):  # small seeds are alike in their first numbers
            self.below(2)

    def below(self, n: int) -> int:
        """0 to n - 1."""
        x = self._x
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self._x = x
        return (x >> 3) % n

    def between(self, low: int, high: int) -> int:
        """low to high, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items):
        return items[self.below(len(items))]


class _Small(int):
    """An int whose arithmetic stays small()."""


def small(value: int):
    """An int that a board keeps without heap: arithmetic that leaves -2**30 to 2**30 - 1 is an AssertionError.

    heap_bytes() cannot see such a number: the unix port keeps 63 bits without heap. CPython only (skips elsewhere).
    """
    if MICROPYTHON:
        skip("the size of numbers is followed on CPython")
    assert -(1 << 30) <= value < 1 << 30, "%d needs heap on a board" % value
    return _Small(value)


def _watch_arithmetic():
    for name, operate in (
        ("add", lambda a, b: a + b),
        ("sub", lambda a, b: a - b),
        ("mul", lambda a, b: a * b),
        ("and", lambda a, b: a & b),
        ("or", lambda a, b: a | b),
        ("xor", lambda a, b: a ^ b),
        ("floordiv", lambda a, b: a // b),
    ):
        setattr(_Small, "__%s__" % name, lambda a, b, do=operate: small(do(int(a), int(b))))
        setattr(_Small, "__r%s__" % name, lambda a, b, do=operate: small(do(int(b), int(a))))


_watch_arithmetic()


def heap_bytes(step, times: int = 1000) -> int:
    """Bytes of heap that `times` calls of step(i) take and keep. MicroPython only (skips elsewhere).

    The heap is locked meanwhile, so that memory taken and given back at once shows too, as a MemoryError at its line.
    """
    if not MICROPYTHON:
        skip("heap use is measured under MicroPython")
    import gc

    import micropython

    step(0)  # what is made once, at the first call, is not meant
    gc.collect()
    gc.disable()
    micropython.heap_lock()
    try:
        before = gc.mem_alloc()
        for i in range(1, times + 1):
            step(i)
        return gc.mem_alloc() - before
    finally:
        micropython.heap_unlock()
        gc.enable()
