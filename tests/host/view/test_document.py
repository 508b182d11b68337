"""The shell lines of docs/VIEW.md, as they stand there, against a view that listens."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.view import tokens

PAGE = Path(__file__).parents[3] / "docs" / "VIEW.md"
HOST = "127.0.0.1:8080"


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_the_lines_for_curl_place_list_take_back_and_order(still, board, tmp_path, monkeypatch):
    lines = re.search(r"\n    (umask 077\n(?:    .*\n)+)", PAGE.read_text())[1]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    still.path = tokens.token_path()
    board.betting(batch=[])
    still.seconds = 2.0
    with still.listening():
        address = f"{still.client.base_url.host}:{still.client.base_url.port}"
        assert HOST in lines
        script = re.sub("^ *(curl.*)$", r"\1; echo", lines.replace(HOST, address), flags=re.M)
        done = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    state, placed, listed, taken_back, order = map(json.loads, done.stdout.splitlines())
    assert (state["state"], state["in_force"]) == ("place_bets", "1:2")
    assert [each["wager_id"] for each in placed["wagers"]] == ["desk1.slip-1.1"]
    assert [(each["wager_id"], each["outcome"]) for each in listed["wagers"]] == [("desk1.slip-1.1", "open")]
    assert taken_back["outcome"] == "withdrawn"
    assert order["state"] == "queued"
    assert all((tmp_path / name).stat().st_mode & 0o077 == 0 for name in ("desk1.header", "anna.header"))
