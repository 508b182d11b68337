"""The bench's suite: `tumbler bench` plays it on a board, simulated, emulated or real; pytest alone collects none."""

from pathlib import Path

import pytest

from host_tools.bench.plugin import BenchPlugin
from tests.hil.played import Lifted, Played

PLAYED = pytest.StashKey[Played]()
LIFTED = pytest.StashKey[Lifted]()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    bench = any(isinstance(plugin, BenchPlugin) for plugin in config.pluginmanager.get_plugins())
    return True if collection_path.name.startswith("test_") and not bench else None


@pytest.fixture
def played(request: pytest.FixtureRequest) -> Played:
    """One round that several tests look at; the first one that asks for it plays it."""
    stash = request.session.stash
    if PLAYED not in stash:
        stash[PLAYED] = Played(request.getfixturevalue("table"))
    return stash[PLAYED]


@pytest.fixture
def lifted(request: pytest.FixtureRequest) -> Lifted:
    """One spin under a cover that was lifted, for the tests that look at it."""
    stash = request.session.stash
    if LIFTED not in stash:
        stash[LIFTED] = Lifted(request.getfixturevalue("table"))
    return stash[LIFTED]
