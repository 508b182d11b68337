"""Writes into the store what several people ask at the same moment in one transaction, so with one wait for the disk.

Each of them is taken or refused by itself; that bets are open is asked once more behind the last of them, as
host_tools/store/wagers.py asks it behind a single one. Between two transactions the store is left alone for a while: a
run that waits for it looks again only now and then (SQLite, https://sqlite.org/c3ref/busy_timeout.html, sleeps longer
the longer it has waited, up to 100 ms), and would find it taken each time.
"""

import time
from collections import deque
from collections.abc import Callable
from datetime import datetime
from threading import Lock

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError

from host_tools.store import Refused
from host_tools.store.betting import check_betting
from host_tools.store.database import Database

MOST_HELD_S = 0.1
"""After this no more is begun in a transaction: neither an answer nor the run waits long for others."""
SHORTEST_REST_S, LONGEST_REST_S = 0.025, 0.12
"""The store is left alone as long as it was held, for SQLite's sleeps are hardly longer than what was waited before;
20 ms more than the longest of them are enough whatever was."""


class _Job:
    """What one person asks for a round whose bets must be open, and how that ended."""

    def __init__(self, dev: str, number: int, work: Callable[[Connection], object]) -> None:
        self.dev, self.number, self.work = dev, number, work
        self.ended = False
        self.error: Exception | None = None


class Writer:
    """One writer at a time: several would wait for the store's lock asleep, each past the other and past the run."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        steady: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """clock() is UTC by which statuses are timed; steady(), in s, and sleep(s) are for the rest between writes."""
        self._database, self._clock, self._steady, self._sleep = database, clock, steady, sleep
        self._waiting: deque[_Job] = deque()
        self._writing = Lock()
        self._rest_until_s = float("-inf")

    def do(self, dev: str, number: int, work: Callable[[Connection], object]) -> None:
        """Have `work` done in a transaction, with what others ask meanwhile; it is committed then. Raises what `work`
        raises, Refused when bets are closed behind it, UserError when the store does not answer."""
        job = _Job(dev, number, work)
        self._waiting.append(job)
        with self._writing:
            while not job.ended:  # else somebody who wrote before took it along
                self._rest()
                self._write()
        if job.error is not None:
            with self._database.sentences():
                raise job.error

    def _rest(self) -> None:
        left_s = self._rest_until_s - self._steady()
        if left_s > 0:
            self._sleep(left_s)

    def _write(self) -> None:
        began_s = self._steady()
        jobs: list[_Job] = []
        try:
            with self._database.writing() as connection:
                began_s = self._steady()  # it may have waited for others
                while self._waiting and self._steady() - began_s < MOST_HELD_S:
                    jobs.append(self._waiting.popleft())
                    self._one(connection, jobs[-1])
                done = [job for job in jobs if job.error is None]
                for dev, number in {(job.dev, job.number) for job in done}:
                    check_betting(connection, dev, number, self._clock(), _refusal(number))
        except Exception as error:  # nothing is written: each learns why
            jobs = jobs or [self._waiting.popleft() for _ in range(len(self._waiting))]
            for job in jobs:
                job.error = job.error or error
        finally:
            ended_s = self._steady()
            self._rest_until_s = ended_s + min(LONGEST_REST_S, max(SHORTEST_REST_S, ended_s - began_s))
            for job in jobs:
                job.ended = True

    def _one(self, connection: Connection, job: _Job) -> None:
        """What goes wrong in one is undone, and the others go on, unless it is the database that fails."""
        try:
            with connection.begin_nested():
                job.work(connection)
        except IntegrityError as error:
            job.error = error
        except DBAPIError:
            raise  # the transaction may be gone
        except Exception as error:
            job.error = error


def _refusal(number: int) -> Callable[[str], Refused]:
    return lambda why: Refused(f"No wager is taken or taken back in round {number}: {why}.")
