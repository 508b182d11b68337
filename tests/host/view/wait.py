"""Waits for what another thread does."""

import time

LIMIT_S = 20


def wait_until(ready):
    """Look until ready() holds; a test fails when it does not."""
    end_s = time.monotonic() + LIMIT_S
    while not ready():
        assert time.monotonic() < end_s, f"it did not come within {LIMIT_S} s"
        time.sleep(0.002)
