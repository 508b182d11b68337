"""`tumbler run` as a process on a simulated board, and other processes on the same store, for end-to-end tests."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from host_tools.rig import CallRig
from host_tools.sim.board import SimBoard
from host_tools.sim.dealer import Dealer

WAGERS = """wager_id,player,kind,selection,stake
W1,Aroha,small,,10.00
W2,Ben,double,3,5.00
"""
ROOT = Path(__file__).parents[3]
LIMIT_S = 60
DEV = "sim-0000000000a1-9c1e"

pytestmark = pytest.mark.usefixtures("micropython")


class Table:
    """A simulated board with a dealer, and the run that owns its port."""

    def __init__(self, folder, speed=8):
        self.folder = folder
        (folder / "w.csv").write_text(WAGERS)
        self.board = SimBoard(folder / "board", seed=3, speed=speed, dev=DEV)
        self.rig = CallRig(self.board.call)
        self.dealer = Dealer(self.rig, betting_ms=3000)
        self.dev = DEV
        self.start()
        self.board.step(2_500)

    def start(self):
        """Start the run and wait until it knows the board."""
        self.run = self._start(*self._run_args())
        self._begun = []
        for line in self.run.stdout:
            self._begun.append(line)
            if "serves table" in line:
                break

    def once(self):
        """A run that ends by itself -> (exit code, what it said)."""
        return self.tumbler(*self._run_args())

    def _run_args(self):
        return ("run", "--target", self.board.serial_path, "--wagers", "w.csv")

    def _start(self, *args):
        command = [sys.executable, "-m", "host_tools", *args]
        env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'firmware'}", "COLUMNS": "200"}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, env=env, stdout=pipe, stderr=pipe, text=True, bufsize=1)

    def tumbler(self, *args):
        """A finished process -> (exit code, what it said on both outputs)."""
        process = self._start(*args)
        out, err = process.communicate(timeout=LIMIT_S)
        return process.returncode, out + err

    def order(self, verb, *args):
        return self.tumbler("order", verb, "--dev", DEV, "--by", "anna", *args)

    def in_force(self):
        """The options that name the last round and its record in force."""
        query = "select round, boot || ':' || seq from rounds order by round desc limit 1"
        ((number, record),) = self.rows(query)
        return ["--round", str(number), "--in-force", record]

    def rows(self, query):
        with closing(sqlite3.connect(self.folder / "tumbler.db")) as database:
            return database.execute(query).fetchall()

    def last_record(self, kind):
        query = f"select line from records where kind = '{kind}' order by seq desc limit 1"
        return json.loads(self.rows(query)[0][0])

    def until(self, query):
        """Wait until the query gives a row."""
        for _ in range(200):
            if self.rows(query):
                return
            self.board.step(400)
        raise AssertionError(query)

    def stop(self):
        self.run.send_signal(signal.SIGINT)
        out = self.run.stdout.read()  # not communicate(): it passes over what was read ahead in start()
        assert (self.run.wait(timeout=30), self.run.stderr.read()) == (0, ""), out
        return "".join(self._begun) + out

    def close(self):
        self.run.kill()
        self.run.wait()
        self.board.stop()
