"""The session of the golden log: four rounds on a simulated board in virtual time, a correction and a void among them.

`python -m tests.host.capture.golden_session` makes the files in tests/host/capture/golden/ anew: only when the firmware
or the protocol was changed on purpose so that a board says something else, and with the figures of test_golden.py.
"""

import io
import random
import shutil
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

from rich.console import Console

from host_tools.capture import Capture, Rotation, sent_path, times_path
from host_tools.link import port as port_room
from host_tools.link.session import Session
from host_tools.rig import CallRig
from host_tools.run.clock import RunClock
from host_tools.run.screen import Screen
from host_tools.run.table import TableRun
from host_tools.settler import paytable as paytables
from host_tools.settler.settle import Wager
from host_tools.sim.board import SimBoard
from host_tools.sim.dealer import Dealer
from host_tools.store import Settler, Store

GOLDEN = Path(__file__).parent / "golden"
DEV = "sim-0000000000a1-9c1e"
SEED = 1996
NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
HOIANA = paytables.load("hoiana")
WAGERS = [Wager("W1", "Aroha", "small", "", 1000), Wager("W2", "Ben", "double", "3", 500)]


class WholePort(port_room.Port):
    """Gives all that came by now at once: when a pseudo terminal hands on its bytes is not the board's doing."""

    def read(self) -> bytes:
        data = b""
        while more := super().read():
            data += more
        return data


class GoldenSession:
    """A run that reads the line after every 20 ms of the board's time; what it is to be a target is here too."""

    def __init__(self, folder: Path) -> None:
        self.board = SimBoard(folder / "board", seed=SEED, clock="virtual", dev=DEV)
        self.rig = CallRig(self.board.call)
        self.dealer = Dealer(self.rig, betting_ms=2000)
        self.store = Store.open(f"sqlite:///{folder}/t.db")
        self.capture = Capture(folder / "out", NOON, Rotation(size_bytes=8000))
        self.now_ms = 0
        self.port = WholePort(self.board.serial_path)
        clock = RunClock(lambda: self.now_ms / 1000, lambda: NOON + timedelta(milliseconds=self.now_ms))
        screen = Screen(Console(file=io.StringIO()), HOIANA)
        draw = random.Random(SEED)
        session = Session(lambda: f"{draw.getrandbits(64):016x}")
        self.run = TableRun(self, self.store, Settler(HOIANA), WAGERS, self.capture, screen, clock, session)  # type: ignore[arg-type]
        self.board.after_step = self._pump

    def check(self) -> None:
        """Nothing plays behind the run's back."""

    def _pump(self) -> None:
        self.now_ms = self.board.request("read")["t_ms"]
        self.run.step(self.port)

    def play(self) -> None:
        """1-3-6 · 3-3-4, corrected to 3-3-6 · void, a die is not flat · 5-5-5."""
        self.rig.step(4000)
        self._round(1, 3, 6)
        self._round(3, 3, 4)
        self._supervisor("3", "3", "6")
        self.rig.next_dice(2, 2, 2)
        self.dealer.open_bets()
        self.rig.step(2000)
        self.dealer.close_bets()
        self.rig.cover(True)
        self.rig.step(1000)
        self._supervisor("1")
        self.rig.cover(False)
        self.rig.step(1000)
        self._round(5, 5, 5)
        self.rig.step(2000)

    def _round(self, *dice: int) -> None:
        self.rig.next_dice(*dice)
        self.dealer.play_round()
        self.rig.step(1000)

    def _supervisor(self, *keys: str) -> None:
        self.rig.supervisor(True)
        self.rig.step(300)
        for key in (*keys, "entry"):
            self.rig.tap(key)
            self.rig.step(300)
        self.rig.supervisor(False)
        self.rig.step(300)

    def close(self) -> None:
        self.board.stop()
        self.port.close()
        self.capture.close()
        self.store.close()


def record(folder: Path) -> list[Path]:
    """Play the session in `folder` -> the logs of its capture."""
    session = GoldenSession(folder)
    try:
        session.play()
    finally:
        session.close()
    return sorted((folder / "out").glob("*.log"))


def main() -> None:
    port_room.READ_TIMEOUT_S = 0  # in virtual time nothing is waited for
    with tempfile.TemporaryDirectory() as folder:
        logs = record(Path(folder))
        shutil.rmtree(GOLDEN, ignore_errors=True)
        GOLDEN.mkdir()
        for log in logs:
            for path in (log, times_path(log), sent_path(log)):
                shutil.copy(path, GOLDEN)
        print(*sorted(GOLDEN.iterdir()), sep="\n")


if __name__ == "__main__":
    main()
