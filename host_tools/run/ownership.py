"""One run owns a board: a lease in the store, taken over from a run that died, and never by the time of day.

A run renews its lease every RENEW_S. Who finds one of another run watches it on a steady clock of his own: renewed, its
owner lives, and he is refused; the same for LEASE_S, its owner is dead, and he takes over; at once if it was a process
of this computer that is gone. An owner that only stood still finds that out in its next transaction, for each of them
asks for the lease (host_tools/store/owners.py).
"""

import contextlib
import os
import secrets
import socket
import sys
from collections.abc import Callable
from datetime import datetime, timedelta

from host_tools.errors import UserError
from host_tools.store import Store
from host_tools.store.rows import Owner

LEASE_S = 5.0
RENEW_S = 1.0


class Ownership:
    """The lease of one run, on at most one board."""

    def __init__(self, store: Store, say: Callable[[str, str], object]) -> None:
        """say(text, style) tells the operator."""
        self._store, self._say = store, say
        self._token = secrets.token_hex(8)
        self._dev: str | None = None
        self._renewed_s = 0.0
        self._other: tuple[Owner, float] | None = None  # who was seen to own it, and since when

    def take(self, dev: str, now: float, at: datetime) -> bool:
        """Try to own `dev` -> whether it is ours; if not, its owner may be dead: try again.

        now: steady s; at: UTC. Raises UserError when its owner lives.
        """
        stale = None
        if self._other is not None and now - self._other[1] >= LEASE_S:
            stale = self._other[0]
        expires_at = at + timedelta(seconds=LEASE_S)
        mine = Owner(dev, self._token, _this_host(), os.getpid(), at, at, expires_at)
        other = self._store.claim(mine, stale)
        if other is not None and _gone(other):
            other = self._store.claim(mine, other)
        if other is None:
            self._dev, self._renewed_s, self._other = dev, now, None
            return True
        whose = f"Board {dev} belongs to process {other.pid} on {other.host} since {other.since:%Y-%m-%d %H:%M:%S} UTC"
        if self._other is None:
            self._other = other, now
            self._say(f"{whose}: if that run is dead, this one takes over within {LEASE_S + 3:.0f} s", "yellow")
        if other != self._other[0]:
            raise UserError(f"{whose}, which is running: a board has one owner, so stop that run first.")
        return False

    def renew(self, now: float, at: datetime) -> None:
        """Renew it when that is due. Raises UserError when another run took over."""
        if self._dev is not None and now - self._renewed_s >= RENEW_S:
            self._renewed_s = now
            self._store.renew(self._dev, at, at + timedelta(seconds=LEASE_S))

    def release(self) -> None:
        """Give the board back, if the store can still be written; else the lease runs out."""
        if self._dev is not None:
            with contextlib.suppress(UserError):
                self._store.release(self._dev)
            self._dev = None


def _this_host() -> str:
    return socket.gethostname()[:64]


def _gone(owner: Owner) -> bool:
    """Is it a process of this computer that is not there any more? Where nobody can tell, no: its lease runs out."""
    if owner.host != _this_host() or sys.platform == "win32":
        return False
    try:
        os.kill(owner.pid, 0)  # sends nothing
    except ProcessLookupError:
        return True
    except OSError:
        pass  # it is there, and another user's
    return False
