"""The command line, for all tests that run it in their own process, and URLs of stores on both databases."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from host_tools import cli

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
