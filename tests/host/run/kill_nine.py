"""A real `tumbler run` on a simulated board is killed by kill -9 again and again, and started again.

`python -m tests.host.run.kill_nine TIMES` does it a hundred times unless told otherwise, some four seconds each.
"""

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from host_tools import keys
from host_tools.capture.names import captures
from host_tools.errors import UserError
from host_tools.rig import CallRig
from host_tools.settler import paytable as paytables
from host_tools.sim.board import SimBoard
from host_tools.sim.dealer import Dealer
from host_tools.store import Store
from host_tools.verify.logs import audit_logs
from host_tools.verify.stores import check_store

DEV = "sim-0000000000a1-9c1e"
ROOT = Path(__file__).parents[3]
WAGERS = ROOT / "host_tools" / "settler" / "demo_wagers.csv"
MET = "serves table"
START_S = 60
LONGEST_S = 3.0
DRAIN_S = 60


class Survived(NamedTuple):
    """What is there after the last kill and one run to the end."""

    kills: int
    records: int
    rounds: int
    settlements: int


def kill_runs(folder: Path, times: int, seed: int) -> Survived:
    """Kill a run `times` times, then let one run until all is acked. Raises AssertionError where it is not whole."""
    draw = random.Random(seed)
    board = SimBoard(folder / "board", seed=seed, clock="real", speed=4.0, dev=DEV)
    stop = threading.Event()
    dealer = threading.Thread(target=_deal, args=(board, stop), daemon=True)
    dealer.start()
    try:
        for _ in range(times):
            process = _start(folder, board)
            time.sleep(draw.uniform(0, LONGEST_S))
            process.kill()
            process.communicate()
        stop.set()
        dealer.join()
        _drain(folder, board)
    finally:
        stop.set()
        board.stop()
    return _check(folder, times)


def _deal(board: SimBoard, stop: threading.Event) -> None:
    dealer = Dealer(CallRig(board.call))
    dealer.rig.step(2_000)
    while not stop.is_set():
        try:
            dealer.play_round()
        except UserError:
            return


def _start(folder: Path, board: SimBoard) -> "subprocess.Popen[str]":
    """A run that has met the board."""
    args = ["run", "--target", board.serial_path, "--wagers", str(WAGERS)]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'firmware'}", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "host_tools", *args]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=pipe, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if MET in line:
            return process
    raise AssertionError("".join(said))


def _drain(folder: Path, board: SimBoard) -> None:
    """A run until nothing new comes for a while, and its end by SIGINT."""
    process = _start(folder, board)
    last, since_s, end_s = None, time.monotonic(), time.monotonic() + DRAIN_S
    while time.monotonic() < end_s and time.monotonic() - since_s < 4:
        time.sleep(0.25)
        store = Store.open(f"sqlite:///{folder / 'tumbler.db'}")
        now = store.last_identity(DEV)
        store.close()
        if now != last:
            last, since_s = now, time.monotonic()
    process.terminate()
    assert process.wait(30) == 0
    if process.stdout is not None:
        process.stdout.close()


def _check(folder: Path, kills: int) -> Survived:
    url = f"sqlite:///{folder / 'tumbler.db'}"
    found = check_store(url, lambda dev: keys.TEST_KEY, [paytables.load("hoiana")])
    assert not found.damages and not found.unknown, found
    logs = sorted((folder / "out").glob("*.log"), key=lambda path: (path.stat().st_mtime, path.name))
    spoken = captures([path for path in logs if b'{"sb":1' in path.read_bytes()])
    audit = audit_logs(spoken, keys.board_key, lambda _: None)
    audit.end()
    assert audit.first_damage() is None, audit.first_damage()
    store = Store.open(url)
    try:
        last = store.last_identity(DEV)
        assert last is not None and last.seq == audit.boards[DEV].last_seq, "the store has what was captured"
        for round_ in store.rounds(DEV):
            wagers = [entry.settlement.wager.wager_id for entry in store.settlements(DEV, round_.round)]
            assert len(set(wagers)) == len(wagers), f"round {round_.round} was settled twice"
            assert round_.settled or round_.state not in ("result", "void"), f"round {round_.round} is not settled"
    finally:
        store.close()
    return Survived(kills, found.records, found.rounds, found.settlements)


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        print(kill_runs(Path(folder), times, seed=1))


if __name__ == "__main__":
    main()
