"""A pair of hands at the rig of a board that is played here, worked from an event loop that waits for no board."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from host_tools.errors import UserError
from host_tools.rig.server import RemoteRig, connect

LIMIT_S = 30.0
"""A tap, and those before it, may take so long; an emulated board takes some ten seconds for one."""
T = TypeVar("T")


class Hands:
    """One thing after another is done, in a thread that nobody else needs; close() ends what is under way."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._one = anyio.CapacityLimiter(1)
        self._at: RemoteRig | None = None

    async def do(self, work: Callable[[RemoteRig], T]) -> T:
        """work(rig), in a thread. Raises UserError when the board is gone, or does not answer in time."""
        try:
            with anyio.fail_after(LIMIT_S):
                return await anyio.to_thread.run_sync(self._do, work, limiter=self._one, abandon_on_cancel=True)
        except TimeoutError:
            self.close()  # else the rest of it would be done beside what is asked next
            raise UserError(f"The rig at {self._path} does not answer: its board hangs; stop it, start it.") from None

    def _do(self, work: Callable[[RemoteRig], T]) -> T:
        with connect(self._path) as rig:
            self._at = rig
            return work(rig)

    def close(self) -> None:
        """Who waits for an answer has none then."""
        if self._at is not None:
            self._at.break_off()
