"""The fault that waits to be answered: the last one of a board, until a clear comes behind it."""

import pytest

from tests.host.store.chain import DEV


@pytest.mark.parametrize(
    ("kinds", "waits"),
    [("", None), ("f", 1), ("ff", 2), ("fc", None), ("fcf", 3), ("fcfc", None), ("fcffc", None), ("fcff", 4)],
)
def test_the_last_fault_waits_until_it_is_cleared(store, board, kinds, waits):
    faults = 0
    for kind in kinds:
        if kind == "f":
            board.take("fault", 0, "IDLE", "stall")
            faults = board.seq
        else:
            board.take("clear", 0, 1, faults, "supervisor", "clear")
    found = store.open_fault(DEV)
    assert (found and found.seq) == waits
