"""`tumbler run --view` on a simulated board: a person without a board plays a round over HTTP, in one process."""

import re
import resource
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import httpx2
import pytest

from host_tools.run import command as run_command
from host_tools.view import beside, serve
from tests.host.store.chain import HOIANA
from tests.host.view.process import ROOT, environment
from tests.host.wait import wait_until

pytestmark = pytest.mark.usefixtures("micropython")


FILES = 192
"""A run that may have no more descriptors than these still has a view with room for 32 connections."""


@contextmanager
def running(tmp_path, *options, **how):
    """The run as a process, and a client of its view."""
    command = [sys.executable, "-m", "host_tools", "run", "--target", "sim", "--speed", "4", "--dice", "6,1,3",
               "--store", f"sqlite:///{tmp_path}/t.db", "--out", str(tmp_path / "out"), "--view", "127.0.0.1:0",
               "--rounds", "1", *options]  # fmt: skip
    process = subprocess.Popen(
        command, env=environment(tmp_path), cwd=tmp_path, stdout=subprocess.PIPE, text=True, **how
    )
    assert process.stdout is not None
    address = next(filter(None, (re.search(r"Table view: (\S+)/", line) for line in process.stdout)))
    with httpx2.Client(base_url=address[1], timeout=30) as client:
        yield process, client
    process.kill()
    process.communicate()


@pytest.fixture
def run(tmp_path):
    with running(tmp_path) as ran:
        yield ran


def test_a_round_is_played_from_the_view(run, tmp_path):
    process, client = run

    def state():
        return client.get("/api/state").json()

    def key(name, **switch):
        answer = client.post("/api/sim/keys", json={"key": name, **switch})
        assert answer.status_code == 200, answer.text
        return answer.json()

    wait_until(lambda: state()["state"] == "idle")
    layout = client.get("/api/layout").json()
    assert (layout["simulated"], layout["sim_keys"], layout["dev"][:4]) == (True, True, "sim-")
    wait_until(lambda: key("spin") and state()["state"] != "idle")
    wait_until(lambda: state()["wagers_open"])
    made = subprocess.run(
        [sys.executable, "-m", "host_tools", "table", "token", "desk"], env=environment(tmp_path), cwd=ROOT,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    headers = {"authorization": f"Bearer {made.stdout.strip()}", "idempotency-key": "k1"}
    wager = {"dev": layout["dev"], "round": 1, "wagers": [{"kind": "small", "stake_cents": 1000}]}
    taken = client.post("/api/wagers", json=wager, headers=headers)
    assert taken.status_code == 201, taken.text
    key("no_more_bets")
    wait_until(lambda: state()["state"] == "no_more_bets")
    assert client.get("/api/sim/table").json()["dice"] is None
    assert key("cover", on=True)["dice"] == [6, 1, 3]
    wait_until(lambda: state()["state"] == "uncovered")
    for face in "613":
        key(face)
    wait_until(lambda: state()["numbers"] == [6, 1, 3])
    assert state()["result"] is None
    key("entry")
    wait_until(lambda: state()["result"])
    result = state()["result"]
    assert (result["dice"], result["call"]) == ([6, 1, 3], "1, 3, 6, total 10")
    assert {"small", "total-10", "face-6"} <= {area["area"] for area in result["winning"]}
    assert key("cover", on=False)["cover_open"] is False
    assert process.wait(timeout=60) == 0  # one round was asked for
    said = process.stdout.read()  # all of it: communicate() forgets what was read ahead
    assert "1 won, 0 lost" in said
    assert re.search(rf"Or in a second terminal: tumbler watch --store sqlite:///{tmp_path}/t.db --rig \S+\n", said)


def test_ctrl_c_ends_the_run_while_people_watch(run):
    process, client = run
    with client.stream("GET", "/api/events") as answer:
        next(answer.iter_lines())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130  # its round was not played


def test_300_connections_that_send_nothing_take_no_descriptor_from_a_run(tmp_path):
    """Its log is rotated again and again meanwhile, which opens files."""
    few = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (FILES, FILES))
    options = ("--deal", "--rotate-time", "0.0001")
    with running(tmp_path, *options, preexec_fn=few) as (process, client), ExitStack() as idle:
        for _ in range(300):
            idle.enter_context(socket.create_connection((client.base_url.host, client.base_url.port), timeout=30))
        said, _ = process.communicate(timeout=60)
        assert (process.returncode, "Round 1" in said) == (0, True), said
    assert len(list((tmp_path / "out").rglob("*.log"))) > 2


def test_a_fault_in_the_views_thread_does_not_stop_the_run(tumbler, monkeypatch, tmp_path):
    ended = []

    async def faulty(_):
        ended.append(True)
        raise KeyError("a fault of the program")

    monkeypatch.setattr(serve._Server, "main_loop", faulty)
    code, out, err = tumbler(
        "run", "--target", "sim", "--speed", "10", "--dice", "6,1,3", "--store", f"sqlite:///{tmp_path}/t.db",
        "--view", "127.0.0.1:0", "--deal", "--rounds", "1",
    )  # fmt: skip
    assert (code, ended, "1, 3, 6, total 10" in out) == (0, [True], True), out
    assert err.splitlines()[-1] == (
        "The table view ended by a fault (KeyError: 'a fault of the program'): `tumbler table` serves the same beside "
        "this run."
    )


def test_no_password_of_a_store_is_on_the_terminal_wherever_its_url_has_it():
    url = "postgresql+psycopg://anna:first-secret@db/table1?password=second-secret"
    shown = [run_command._place(url), *beside._watch(url, HOIANA, Path("rig.sock"))]
    assert "postgresql+psycopg://anna:***@db/table1" in shown
    assert "secret" not in " ".join(shown)
