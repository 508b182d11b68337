"""The command line, for tests that run it in their own process, and a store on both databases, with a board in it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from host_tools import cli
from host_tools.store import Store
from tests.host.store.chain import DEV, Chain, at

Tumbler = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tumbler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Tumbler:
    """Runs `tumbler` with arguments in an empty folder -> (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "120")

    def run(*args: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tumbler", *args])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        shown = capsys.readouterr()
        return int(ended.value.code or 0), shown.out, shown.err

    return run


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store: the test is run on each of both databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/table.db"
    return request.getfixturevalue("postgresql_url")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A store that knows one board, at table T1."""
    opened = Store.open(url)
    opened.enrol(DEV, "T1", at(0))
    yield opened
    opened.close()


@pytest.fixture
def board(store: Store) -> Chain:
    """That board, whose records go into the store."""
    return Chain(store)
