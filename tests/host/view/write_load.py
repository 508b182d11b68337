"""How long a run waits to commit while 30 desks at three addresses try 600 wagers a second at one `tumbler table`.

    .venv/bin/python -m tests.host.view.write_load [SECONDS]

The run is the chain of records of tests/host/view/load.py, which writes into the same SQLite store. Figures:
docs/VIEW.md.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx2

from host_tools.store import Store
from tests.host.store.chain import DEV
from tests.host.view.load import Board, now, shown, wager
from tests.host.view.process import Server

SECONDS = 30
WAGERS_PER_S = 600
DESKS = 30
ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
MOST_UNDER_WAY = 100  # of one address, which may open 200 connections
GOAL_MS = 500


class TimedBoard(Board):
    """Writes a status ten times a second; `waits` holds how long each commit took."""

    def __init__(self, store):
        super().__init__(store)
        self.waits = []
        self.failure = None

    def run(self):
        try:
            super().run()
        except Exception as error:  # as a run ends then
            self.failure = error

    def _write(self, kind, *values):
        began_s = time.monotonic()
        super()._write(kind, *values)
        self.waits.append(time.monotonic() - began_s)

    def _pause(self, state, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            began_s = time.monotonic()
            self.store.update_live(DEV, 1, state, self.number, None, now())
            self.waits.append(time.monotonic() - began_s)
            time.sleep(0.1)


async def load(server, board, tokens, seconds):
    limits = httpx2.Limits(max_connections=MOST_UNDER_WAY, max_keepalive_connections=MOST_UNDER_WAY)
    ways = [httpx2.AsyncHTTPTransport(local_address=each, limits=limits) for each in ADDRESSES]
    clients = [httpx2.AsyncClient(base_url=server.url, timeout=30, transport=each) for each in ways]
    latencies, answers, asked, left_out = [], Counter(), set(), 0
    board.start()
    began_s = time.monotonic()
    for number in range(int(seconds * WAGERS_PER_S)):
        await asyncio.sleep(max(0.0, began_s + number / WAGERS_PER_S - time.monotonic()))
        if len(asked) >= MOST_UNDER_WAY * len(clients):
            left_out += 1
            continue
        client, token = clients[number % len(clients)], tokens[number % DESKS]
        task = asyncio.create_task(wager(client, board, token, f"k{number}", latencies, answers))
        asked.add(task)
        task.add_done_callback(asked.discard)
    await asyncio.gather(*asked)
    board.ending.set()
    await asyncio.to_thread(board.join)
    for each in clients:
        await each.aclose()
    return latencies, answers, left_out


def main(seconds):
    with tempfile.TemporaryDirectory(prefix="tumbler-load-") as folder:
        url = f"sqlite:///{folder}/t.db"
        store = Store.open(url)
        store.enrol(DEV, "T1", now())
        server = Server(url, DEV, Path(folder))
        try:
            tokens = [server.token(f"desk{n}") for n in range(DESKS)]
            board = TimedBoard(store)
            latencies, answers, left_out = asyncio.run(load(server, board, tokens, seconds))
        finally:
            server.kill()
        store.close()
    print(f"{seconds} s, {WAGERS_PER_S} wagers/s from {DESKS} desks, load average {os.getloadavg()[0]:.1f} on "
          f"{os.cpu_count()} cores")  # fmt: skip
    shown("wager, request to answer", latencies)
    print(f"answers: {dict(answers)}; not sent, {left_out}, as {MOST_UNDER_WAY} were under way at each address")
    shown("commit of the run", board.waits)
    print("the run goes on" if board.failure is None else f"the run ended: {board.failure}")
    return 0 if board.failure is None and 1000 * max(board.waits) < GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))
