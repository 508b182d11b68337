"""The bench's suite: `tumbler bench` plays it on a board, simulated, emulated or real; pytest alone collects none."""

from pathlib import Path

import pytest

from host_tools.bench.fixtures import PlayedOnce
from host_tools.bench.plugin import BenchPlugin
from tests.hil.played import Lifted, Played


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    bench = any(isinstance(plugin, BenchPlugin) for plugin in config.pluginmanager.get_plugins())
    return True if collection_path.name.startswith("test_") and not bench else None


@pytest.fixture
def played(played_once: PlayedOnce) -> Played:
    """One round that several tests look at; the first one that asks for it plays it."""
    return played_once(Played)


@pytest.fixture
def lifted(played_once: PlayedOnce) -> Lifted:
    """One spin under a cover that was lifted, for the tests that look at it."""
    return played_once(Lifted)
