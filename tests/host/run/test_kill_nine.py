"""Two real kills of a real run; `python -m tests.host.run.kill_nine` does a hundred."""

import pytest


@pytest.mark.usefixtures("micropython")
def test_after_kill_9_each_record_is_stored_and_settled_exactly_once(tmp_path):
    from tests.host.run.kill_nine import kill_runs

    survived = kill_runs(tmp_path, times=2, seed=5)
    assert survived.records > 6 and survived.rounds >= 1 and survived.settlements >= 18
