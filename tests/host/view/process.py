"""`tumbler table` as a process of its own, for tests that kill it and for the load."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from host_tools.view import tokens

ROOT = Path(__file__).parents[3]
LIMIT_S = 30


def environment(folder):
    """Of a process that keeps its tokens in `folder`."""
    return {
        **os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'firmware'}", "XDG_CONFIG_HOME": str(folder), "COLUMNS": "200",
        "PYTHONUNBUFFERED": "1",
    }  # fmt: skip


class Server:
    """A server on a store; started again it takes the port that it had."""

    def __init__(self, store_url, dev, folder):
        self.store_url, self.dev = store_url, dev
        self._folder, self._env = folder, environment(folder)
        self.port = 0
        self.start()

    def start(self):
        command = [sys.executable, "-m", "host_tools", "table"]
        command += ("--store", self.store_url, "--dev", self.dev, "--listen", f"127.0.0.1:{self.port}")
        self.process = subprocess.Popen(
            command, env=self._env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("Table view: "), said + self.process.stdout.read()
        self.url = said.split()[-1].rstrip("/")
        self.port = int(self.url.rpartition(":")[2])

    def token(self, name, role="wager"):
        """A token that the server knows at once."""
        return tokens.make(self._folder / "tumbler" / "view.tokens", name, role)

    def kill(self):
        """As kill -9 does."""
        self.process.kill()
        self.process.wait(LIMIT_S)

    def interrupt(self):
        """Ctrl-C -> (exit code, what it said)."""
        self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, said

    def rss_kib(self):
        """Resident memory, by Linux's /proc."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise AssertionError("no VmRSS")

    def cpu_s(self):
        """Processor time since the start, by Linux's /proc."""
        user, system = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
