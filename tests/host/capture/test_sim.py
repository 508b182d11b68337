"""`tumbler capture` on a simulated board: what it keeps can be audited, and replayed to what the dealer played."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from host_tools.commands import app
from host_tools.store import Store

ROOT = Path(__file__).resolve().parents[3]
LIMIT_S = 60

pytestmark = pytest.mark.usefixtures("micropython")


def test_a_captured_board_is_left_alone_and_its_log_gives_the_rounds_that_were_played(tmp_path):
    args = ["capture", "--target", "sim", "--seed", "3", "--speed", "20", "--rotate-size", "0.02"]
    env = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'firmware'}"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-m", "host_tools", *args], cwd=tmp_path, env=env, stdout=pipe, stderr=pipe, text=True
    )
    results = {}
    for line in process.stdout:
        record = json.loads(line)
        if record["kind"] == "result":
            results[record["round"]] = "".join(map(str, record["dice"]))
        if record["kind"] == "meter" and record["rounds"] == 2:
            break
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0
    assert "begins no new round after 19 more rounds" in said and "missing" not in said and "noise" not in said

    logs = sorted(str(log) for log in (tmp_path / "out").glob("*.log"))
    assert len(logs) > 1
    assert b"".join(sent.read_bytes() for sent in (tmp_path / "out").glob("*.sent")) == b""
    done = CliRunner().invoke(app, ["verify", *logs])
    assert done.exit_code == 0 and "2 meters compared: whole" in done.output
    url = f"sqlite:///{tmp_path}/scratch.db"
    assert CliRunner().invoke(app, ["replay", *logs, "--store", url]).exit_code == 0
    store = Store.open(url)
    dev = json.loads(Path(logs[0]).read_bytes().splitlines()[0])["dev"]
    rounds = {round_.round: "".join(map(str, round_.dice or ())) for round_ in store.rounds(dev)}
    store.close()
    assert {number: rounds[number] for number in (1, 2)} == {number: results[number] for number in (1, 2)}
