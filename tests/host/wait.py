"""Waits for what another thread does."""

import time
from contextlib import contextmanager
from threading import enumerate as threads

LIMIT_S = 20


def wait_until(ready):
    """Look until ready() holds; a test fails when it does not."""
    end_s = time.monotonic() + LIMIT_S
    while not ready():
        assert time.monotonic() < end_s, f"it did not come within {LIMIT_S} s"
        time.sleep(0.002)


@contextmanager
def no_thread_is_left(name):
    """Behind the body no thread is there whose name begins so and that was not there before."""
    before = threads()
    yield
    wait_until(lambda: not [each for each in threads() if each.name.startswith(name) and each not in before])
