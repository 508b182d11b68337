"""Whether bets are open now: betting is a lease that the board renews with each status that says BETTING."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection

from host_tools.store.alarms import settling_stopped
from host_tools.store.ingest import find_round
from host_tools.store.rows import Refused, Round
from host_tools.store.status import last

LEASE = timedelta(milliseconds=1500)
"""How long ago the board can have said its last BETTING at most (it says so once a second)."""

# The store cannot tell which of both it is: a run that died leaves the same behind as a cable that was pulled.
SILENT = "no run is on, or it does not hear the board: see that `tumbler run` is on, and check the board's cable"

Refuse = Callable[[str], Refused]
"""Makes the refusal from a reason, in words that end a sentence."""


class Lease(NamedTuple):
    """Bets that are open: the round, when the status came that says so, and how a refusal is said."""

    round: Round
    status_at: datetime
    refuse: Refuse

    def check(self, now: datetime, mend: str = SILENT) -> None:
        """Raises Refused, with how to mend it, when the lease is over."""
        age = abs(now - self.status_at)  # a clock that was set back must not make the lease longer
        if age > LEASE:
            seconds = age / timedelta(seconds=1)
            said = f"board {self.round.dev} last said so {seconds:.3f} s ago, over 1.500 s"
            raise self.refuse(f"{said}, at {self.status_at:%H:%M:%S} UTC; {mend}")


def check_betting(connection: Connection, dev: str, number: int, now: datetime, refuse: Refuse) -> Lease:
    """The lease of a round whose bets are open now; no other writer changes the round until the transaction ends.

    Raises Refused unless bets_open is its record in force, the board's last status says BETTING in it and is young
    enough, and no open alarm stops settling.
    """
    round_ = find_round(connection, dev, number, lock=True)
    if round_ is None:
        raise refuse(f"board {dev} has not begun it; wait for its bets_open")
    if round_.state != "bets_open":
        raise refuse(f"its bets are not open, the record in force is {round_.state}; wait for the next round")
    status = last(connection, dev)
    if status is None or (status.state, status.round) != ("BETTING", number):
        said = "nothing yet" if status is None else f"{status.state} in round {status.round}"
        raise refuse(f'board {dev} says {said}, not that its bets are open; wait for "Place your bets"')
    lease = Lease(round_, status.status_at, refuse)
    lease.check(now)
    if settling_stopped(connection, dev):
        raise refuse(f"settling of board {dev} is stopped by an open alarm; have it confirmed first")
    return lease
