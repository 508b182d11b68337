"""50 viewers and 50 wagers a second at one `tumbler table` for a minute, on loopback: how quick, and what is missed.

    .venv/bin/python -m tests.host.view.load [SECONDS [ROUNDS]]

The board is a chain of records written into the store of the server, as a run writes it, in which it has played ROUNDS
before. Figures, and their limits: docs/VIEW.md.
"""

import asyncio
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import httpx2

from host_tools.store import Occurred, Store
from host_tools.store.database import Database
from tests.host.store.chain import DEV, SETTLER, Chain
from tests.host.view.played import play_many
from tests.host.view.process import Server

SECONDS = 60
VIEWERS = 50
WAGERS_PER_S = 50
DESKS = 10
BETTING_S, STATUS_S = 4.0, 0.5
GOAL_MS = 200
GOAL_RSS = 1.1  # what memory may grow to in the second half


def now():
    return datetime.now(timezone.utc)


class Board(threading.Thread):
    """Plays rounds into the store, behind those that were played; `entries` holds when each ENTRY came, just before its
    record was written."""

    def __init__(self, store, chain, played):
        super().__init__(name="board", daemon=True)
        self.store, self.chain = store, chain
        self.entries = {}
        self.ending = threading.Event()
        self.number = played

    def run(self):
        while not self.ending.is_set():
            self.number += 1
            self._write("spin", self.number, 3)
            self._pause("SPINNING", 0.5)
            self._write("bets_open", self.number, 3)
            self._pause("BETTING", BETTING_S)
            self._write("bets_closed", self.number, "dealer")
            self._pause("CLOSED", 0.3)
            self._write("uncovered", self.number)
            self._pause("UNCOVERED", 0.3)
            dice = tuple(1 + (self.number * n) % 6 for n in (1, 2, 5))
            self.entries[self.number] = time.monotonic()
            self._write("result", self.number, dice, 4)
            self._pause("RESULT", 0.9)

    def _write(self, kind, *values):
        raw, fields = self.chain.line(kind, *values)
        self.store.ingest(DEV, raw, fields, now(), Occurred(now(), 0), SETTLER)

    def _pause(self, state, seconds):
        """Statuses while a state lasts."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.store.update_live(DEV, 1, state, self.number, None, now())
            time.sleep(min(STATUS_S, max(0.0, end - time.monotonic())))


class Viewer:
    """One stream: which events came, and when the result of each round was seen."""

    def __init__(self):
        self.ids, self.seen = [], {}

    async def watch(self, client, ready):
        async with client.stream("GET", "/api/events") as answer:
            data = ""
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    data, came = line, time.monotonic()
                elif line.startswith("id: "):
                    self.ids.append(int(line[4:]))
                    ready.set()
                    head = data[:400]  # state and round stand at its beginning
                    if '"state":"result"' in head:
                        number = int(head.partition('"round":')[2].partition(",")[0])
                        self.seen.setdefault(number, came)


async def wager(client, board, token, key, latencies, answers):
    began_s = time.monotonic()
    body = {"dev": DEV, "round": board.number, "wagers": [{"kind": "small", "stake_cents": 500}]}
    headers = {"authorization": f"Bearer {token}", "idempotency-key": key}
    answer = await client.post("/api/wagers", json=body, headers=headers)
    latencies.append(time.monotonic() - began_s)
    answers[answer.status_code] += 1


async def measure(server, board, tokens, seconds):
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    viewers, latencies, answers, rss = [Viewer() for _ in range(VIEWERS)], [], Counter(), []
    async with httpx2.AsyncClient(base_url=server.url, timeout=30, limits=limits) as client:
        ready = [asyncio.Event() for _ in viewers]
        watching = [asyncio.create_task(each.watch(client, event)) for each, event in zip(viewers, ready, strict=True)]
        await asyncio.gather(*(event.wait() for event in ready))
        everybody = max(each.ids[0] for each in viewers)
        board.start()
        began_s, asked = time.monotonic(), []
        for number in range(int(seconds * WAGERS_PER_S)):
            await asyncio.sleep(max(0.0, began_s + number / WAGERS_PER_S - time.monotonic()))
            token = tokens[number % DESKS]
            asked.append(asyncio.create_task(wager(client, board, token, f"k{number}", latencies, answers)))
            if number % (5 * WAGERS_PER_S) == 0:
                rss.append(server.rss_kib())
        await asyncio.gather(*asked)
        rss.append(server.rss_kib())
        board.ending.set()
        await asyncio.to_thread(board.join)
        await asyncio.sleep(1)
        for each in watching:
            each.cancel()
    return viewers, everybody, latencies, answers, rss


def shown(name, seconds):
    """p50, p99 with its limit, and the longest, in ms -> p99."""
    ordered = sorted(seconds)
    p50, p99 = (1000 * ordered[int(part * (len(ordered) - 1))] for part in (0.5, 0.99))
    longest = 1000 * ordered[-1]
    print(f"{name}: p50 {p50:.0f} ms, p99 {p99:.0f} ms of {GOAL_MS}, longest {longest:.0f} ms ({len(ordered)})")
    return p99


def main(seconds, played):
    with tempfile.TemporaryDirectory(prefix="tumbler-load-") as folder:
        url = f"sqlite:///{folder}/t.db"
        database = Database(url)
        store = Store(database)
        store.enrol(DEV, "T1", now())
        chain = Chain(store)
        play_many(database, chain, played)
        server = Server(url, DEV, Path(folder))
        try:
            tokens = [server.token(f"desk{n}") for n in range(DESKS)]
            board = Board(store, chain, played)
            viewers, everybody, latencies, answers, rss = asyncio.run(measure(server, board, tokens, seconds))
            cpu_s = server.cpu_s()
        finally:
            server.kill()
        stored = sum(1 for number in range(played + 1, board.number + 1) for _ in store.list_wagers(DEV, number, None))
        store.close()
    sent = set().union(*(each.ids for each in viewers))
    missed = sum(len({i for i in sent if i > everybody} - set(each.ids)) for each in viewers)
    late = [each.seen[number] - at for each in viewers for number, at in board.entries.items() if number in each.seen]
    unseen = VIEWERS * len(board.entries) - len(late)
    print(
        f"{seconds} s behind {played} rounds, {VIEWERS} viewers, {WAGERS_PER_S} wagers/s, load average "
        f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    print(f"events: {len(sent)}, missed {missed}; results {len(board.entries)}, not seen by a viewer {unseen}")
    event_ms = shown("ENTRY to event at a viewer", late)
    wager_ms = shown("wager, request to answer", latencies)
    print(f"wagers: {answers[201]} taken ({stored} in the store), {answers[409]} refused as bets were closed, "
          f"other answers {sum(answers.values()) - answers[201] - answers[409]}")  # fmt: skip
    print(
        f"processor: {cpu_s / seconds:.0%} of a core in the server, {time.process_time() / seconds:.0%} in this process"
    )
    settled = rss[len(rss) // 2]
    print(f"memory, every 5 s: {' '.join(f'{each / 1024:.0f}' for each in rss)} MiB")
    good = missed == unseen == 0 and max(event_ms, wager_ms) < GOAL_MS and rss[-1] <= GOAL_RSS * settled
    good &= answers[201] == stored and not set(answers) - {201, 409}
    return 0 if good else 1


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(float(given[0]) if given else SECONDS, int(given[1]) if len(given) > 1 else 0))
