"""Writes into the store what several people ask at the same moment in one transaction, so with one wait for the disk.

Each of them is taken or refused by itself; that bets are open is asked once more behind the last of them, as
host_tools/store/wagers.py asks it behind a single one.
"""

from collections import deque
from collections.abc import Callable
from datetime import datetime
from threading import Lock

from sqlalchemy import Connection

from host_tools.store import Refused
from host_tools.store.betting import check_betting
from host_tools.store.database import Database

MOST_AT_ONCE = 50
"""Some 100 ms of work, so that nobody's answer waits long for others."""


class _Job:
    """What one person asks for a round whose bets must be open, and how that ended."""

    def __init__(self, dev: str, number: int, work: Callable[[Connection], object]) -> None:
        self.dev, self.number, self.work = dev, number, work
        self.ended = False
        self.error: Exception | None = None


class Writer:
    """One writer at a time: several would wait for the store's lock asleep, each past the other and past the run."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database, self._clock = database, clock
        self._waiting: deque[_Job] = deque()
        self._writing = Lock()

    def do(self, dev: str, number: int, work: Callable[[Connection], object]) -> None:
        """Have `work` done in a transaction, with what others ask meanwhile; it is committed then. Raises what `work`
        raises, Refused when bets are closed behind it, UserError when the store does not answer."""
        job = _Job(dev, number, work)
        self._waiting.append(job)
        with self._writing:
            while not job.ended:  # else somebody who wrote before took it along
                self._write([self._waiting.popleft() for _ in range(min(MOST_AT_ONCE, len(self._waiting)))])
        if job.error is not None:
            raise job.error

    def _write(self, jobs: list[_Job]) -> None:
        try:
            with self._database.writing() as connection:
                for job in jobs:
                    self._one(connection, job)
                done = [job for job in jobs if job.error is None]
                for dev, number in {(job.dev, job.number) for job in done}:
                    check_betting(connection, dev, number, self._clock(), _refusal(number))
        except Exception as error:  # nothing is written: each learns why
            for job in jobs:
                job.error = job.error or error
        finally:
            for job in jobs:
                job.ended = True

    def _one(self, connection: Connection, job: _Job) -> None:
        try:
            with connection.begin_nested():
                job.work(connection)
        except Refused as refused:
            job.error = refused


def _refusal(number: int) -> Callable[[str], Refused]:
    return lambda why: Refused(f"No wager is taken or taken back in round {number}: {why}.")
