"""docs/LOGS.md: each example runs as it stands there, on a golden log with noise of every kind in it."""

import os
import re
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pytest

from host_tools.capture import Capture, Rotation
from tests.host.capture.golden_session import GOLDEN

DOC = Path(__file__).resolve().parents[3] / "docs" / "LOGS.md"
STAND_IN = Path(__file__).parent / "jq_stand_in.py"
NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
NOISE = [
    b'MicroPython v1.25.0 on 2025-04-15; Raspberry Pi Pico with RP2040\r\nType "help()"\r\n>>> \r\n\r\n',
    b'Traceback (most recent call last):\r\n  File "main.py", line 7, in <module>\r\nOSError: 5\r\n',
    b'\xff\xfe\x00\x80 \xc3(\n\n[1,2\n17\n"text"\n{"a":\n',
    b'{"sb":1,"dev":"sim-0000000000a1-9c1e","boot":1,"se{"sb":1,"dev":\n',
]


def snippets(language):
    found = re.findall(rf"```{language}\n(.*?)```", DOC.read_text(), re.DOTALL)
    assert found, f"no {language} in {DOC}"
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where out/ has a capture in parts: what came up to record 6 at ten past, the rest at twenty past, among noise."""
    lines = b"".join(log.read_bytes() for log in sorted(GOLDEN.glob("*.log"))).splitlines(keepends=True)
    behind = next(n for n, line in enumerate(lines) if b'"seq":6,' in line) + 1
    with Capture(tmp_path / "out", NOON, Rotation(size_bytes=5000)) as capture:
        for minutes, said in ((0, NOISE), (10, lines[:behind]), (15, NOISE), (20, lines[behind:]), (25, NOISE)):
            capture.add(b"".join(said), NOON + timedelta(minutes=minutes), minutes)
    assert len(list((tmp_path / "out").glob("*.log"))) == 2
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, **settings)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_jq(folder):
    (folder / "bin").mkdir()
    (folder / "bin" / "jq").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STAND_IN}" "$@"\n')
    (folder / "bin" / "jq").chmod(0o755)
    env = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    (command,) = snippets("bash")
    assert run("bash", "-c", command, env=env) == "[1,[1,3,6]]\n[2,[3,3,4]]\n[4,[5,5,5]]\n"


def test_duckdb_gives_each_record_once(folder):
    rows = duckdb.sql(snippets("sql")[0]).fetchall()
    assert [row[:2] for row in rows] == [(1, seq) for seq in range(1, 27)]
    ends = [row[2:] for row in rows if row[2] in ("result", "correction", "void")]
    assert ends == [
        ("result", 1, [1, 3, 6], None, None),
        ("result", 2, [3, 3, 4], None, None),
        ("correction", 2, [3, 3, 6], "supervisor", "wrong_entry"),
        ("void", 3, None, "supervisor", "not_flat"),
        ("result", 4, [5, 5, 5], None, None),
    ]


def test_duckdb_says_when_each_record_came(folder):
    rows = duckdb.sql(snippets("sql")[1]).fetchall()
    came = {seq: at.astimezone(timezone.utc) for _, seq, _, at in rows}
    early, late = NOON + timedelta(minutes=10), NOON + timedelta(minutes=20)
    assert came == {seq: early if seq <= 6 else late for seq in range(1, 27)}


def test_pandas(folder):
    (code,) = snippets("python")
    counts = dict(line.split() for line in run(sys.executable, "-c", code).splitlines()[1:])
    assert counts == {
        "bets_closed": "4",
        "bets_open": "4",
        "boot": "1",
        "correction": "1",
        "meter": "4",
        "result": "3",
        "spin": "4",
        "uncovered": "4",
        "void": "1",
    }
