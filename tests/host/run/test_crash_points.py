"""The host dies at points of a round: whatever it was about to do, after the next start all is there exactly once.

Every 29th point here; `python -m tests.host.run.crash_points` prints all of them and dies at each.
"""

import sys

import pytest

from tests.host.run.crash_points import play_and_die

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo terminals")
EVERY = 29


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What a host that never died holds, and the points that it passed."""
    return play_and_die(tmp_path_factory.mktemp("whole"), 0)


def test_the_points_hold_every_kind_of_statement_each_commit_and_each_ack(whole):
    _, points = whole
    for what in ("before INSERT INTO records", "before INSERT INTO wagers", "before INSERT INTO settlements"):
        assert what in points
    for what in ("before commit", "after commit", "before ack", "after ack"):
        assert points.count(what) >= 7
    assert len(points) > 150


def test_a_host_that_died_leaves_what_one_that_never_died_leaves(whole, tmp_path, monkeypatch):
    monkeypatch.setattr("host_tools.link.port.READ_TIMEOUT_S", 0.005)
    held, points = whole
    assert len(held["settlements"]) == 6  # two wagers settled, reversed and settled anew
    for fatal in range(EVERY, len(points) + 1, EVERY):
        place = tmp_path / str(fatal)
        place.mkdir()
        assert play_and_die(place, fatal)[0] == held, points[fatal - 1]
