"""The loop of `tumbler capture`: from the port into the files. It never writes to the port: the board gets no ack."""

from collections.abc import Callable

from tumbler.core.journal import free_rounds
from tumbler.core.journal_ring import SECTOR_RECORDS

from host_tools.boards.schema import Board
from host_tools.capture.files import Capture
from host_tools.capture.screen import Screen
from host_tools.capture.watch import Watch
from host_tools.link.port import LinkLost, Port
from host_tools.run.clock import RunClock, WallWatch
from host_tools.run.target import Target
from host_tools.words import plural

# A board that is away is looked for so often: what it says before it is found reaches nobody.
AGAIN_S = 0.1
# A board says its status once a second, and hello every 2 s until a host welcomed it.
QUIET_S = 8.0


class Listening:
    """One port, until it is told to stop."""

    def __init__(self, target: Target, capture: Capture, screen: Screen, clock: RunClock, board: Board) -> None:
        """board: what is known of a board that does not say how much room its journal has."""
        self.drops = 0  # how often the port went away
        self.watch = Watch(clock.now_s())
        self._target, self._capture, self._screen, self._clock, self._board = target, capture, screen, clock, board
        self._wall = WallWatch(clock, screen.say)
        self._opened_s = clock.now_s()
        self._came = self._quiet_told = self._room_told = self._full_told = False

    def until(self, port: Port, stopping: Callable[[], bool], pause: Callable[[float], object]) -> None:
        """Listen on the open port until stopping() says so; pause(s) waits a moment. The port is closed in the end.

        Raises UserError when the disk takes nothing more, or what plays the board cannot go on.
        """
        listened: Port | None = port
        try:
            while not stopping():
                listened = self._look_again(pause) if listened is None else self.step(listened)
        finally:
            if listened is not None:
                listened.close()

    def step(self, port: Port) -> Port | None:
        """Keep what came -> the port, None when it is gone. Raises UserError, and as Screen.check()."""
        try:
            data = port.read()
        except LinkLost as lost:
            port.close()
            self.drops += 1
            self._screen.say(f"The port is gone ({lost}): waiting for it to come back", "yellow")
            return None
        now = self._clock.now_s()
        if data:
            self._capture.add(data, self._clock.utc(now), now)
            self._came = True
            for seen in self.watch.feed(data, now):
                self._screen.line(seen)
        self._tell(now)
        self._wall.check(now, lambda: False)
        self._screen.figures(self.watch, now, self.drops)
        self._screen.check()
        self._target.check()
        return port

    def _look_again(self, pause: Callable[[float], object]) -> Port | None:
        pause(AGAIN_S)
        port = self._target.open_again()
        if port is not None:
            self._opened_s = self._clock.now_s()
            self._came = self._quiet_told = False
            self._screen.say(f"Port {port.device} is back", "yellow")
        return port

    def _tell(self, now: float) -> None:
        """What a person should know, each once: that nothing comes, and when the board will stop."""
        long_open = now - self._opened_s >= QUIET_S
        if long_open and not self._came and not self._quiet_told:
            self._quiet_told = True
            self._screen.say(
                f"Nothing came within {QUIET_S:.0f} s: check that the board has power and its firmware, that the cable "
                "carries data, and that no adapter between them holds DTR off",
                "yellow",
            )
        room = self.watch.free_rounds
        if room == 0 and not self._full_told:
            self._full_told = self._room_told = True
            self._screen.say(
                "Nobody acks, and the board's journal is full: it begins no new round until a `tumbler run` acks",
                "bold yellow",
            )
        elif room and not self._room_told:
            self._room_told, self._full_told = True, False
            rounds = plural(room, "more round", "more rounds")
            self._screen.say(f"Nobody acks: the board begins no new round after {rounds}", "yellow")
        elif room is None and long_open and self.watch.dev is not None and not self._room_told:
            self._room_told = True
            rounds = plural(most_rounds(self._board), "more round", "more rounds")
            self._screen.say(
                f"Nobody acks: the board begins no new round after {rounds} at most. That is the room of an empty "
                f"journal by board file {self._board.name}; a board that was welcomed by a host does not say what is "
                "left of it",
                "yellow",
            )


def most_rounds(board: Board) -> int:
    """Rounds that the empty journal of a board keeps without acks: what its smaller ring, a quarter of the sectors,
    holds of records of the longest kind, one sector kept in hand (firmware/tumbler/core/journal_ring.py)."""
    return free_rounds((board.journal.sectors // 4 - 1) * SECTOR_RECORDS)
