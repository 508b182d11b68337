"""The simulated and the emulated board as targets: a new board for every run, and a dealer plays it. NOT FOR PLAY."""

import secrets
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from host_tools.errors import UserError
from host_tools.link.port import Port
from host_tools.rig import CallRig
from host_tools.rig.server import RigServer
from host_tools.run.clock import RunClock
from host_tools.settler.taisai import Dice
from host_tools.sim.board import SimBoard, new_dev
from host_tools.sim.dealer import Dealer

if TYPE_CHECKING:
    from host_tools.emu.live import LiveBoard

READY_MS = 2_000  # nobody presses SPIN within the first moments; the board would refuse it


class _Board(Protocol):
    """A board that goes on by itself and that a rig works."""

    serial_path: str

    def call(self, do: str, args: dict[str, Any]) -> Any: ...

    def stop(self) -> None: ...


class _DealtTarget:
    """A board that no store has seen before: neither a removed store nor a removed folder can contradict it."""

    def __init__(self, kind: str, seed: int | None, dice: Sequence[Dice], rounds: int | None, by_hand: bool) -> None:
        """kind: what its dev begins with; dice: of the next rounds; rounds: how many the dealer plays, None: without
        end; seed None: draw one; by_hand: there is no dealer, somebody works the rig."""
        self.dev = new_dev(kind)
        self._seed = secrets.randbelow(1 << 30) if seed is None else seed
        self._dice, self._rounds, self._by_hand = dice, rounds, by_hand
        self._opened = ExitStack()
        self._failure: UserError | None = None

    def _start(self) -> _Board:
        raise NotImplementedError

    def open(self) -> Port:
        """Start the board, its rig and its dealer; open its port. Raises UserError."""
        board = self._start()
        self._opened.callback(board.stop)
        # A socket's path may have some 100 bytes only, so it is not below the folder of the run.
        folder = self._opened.enter_context(tempfile.TemporaryDirectory(prefix="tumbler-"))
        self._server = self._opened.enter_context(RigServer(board.call, Path(folder) / "rig.sock"))
        rig = CallRig(board.call)
        for faces in self._dice:
            rig.next_dice(*faces)
        port = Port(board.serial_path)
        if not self._by_hand:
            threading.Thread(target=self._deal, args=(Dealer(rig),), name="dealer", daemon=True).start()
        return port

    def about(self) -> list[str]:
        return [f"Rig:      {self._server.path}", f"Board:    {self._place()}, seed {self._seed}"]

    def _place(self) -> str:
        raise NotImplementedError

    def rig(self) -> Path | None:
        """None while a dealer works it."""
        return self._server.path if self._by_hand else None

    def open_again(self) -> Port | None:
        self.check()
        raise UserError("The board's port is gone: start the run again.")

    def check(self) -> None:
        """Raises UserError when the dealer could not go on."""
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Stop the board and what else was started; the dealer ends with it."""
        self._opened.close()

    def _deal(self, dealer: Dealer) -> None:
        played = 0
        try:
            dealer.rig.step(READY_MS)
            while self._rounds is None or played < self._rounds:
                dealer.play_round()
                played += 1
        except UserError as error:
            self._failure = error


class SimTarget(_DealtTarget):
    """A simulated board, whose flash is a folder below `out`."""

    def __init__(
        self,
        out: Path,
        board: str,
        seed: int | None,
        speed: float,
        dice: Sequence[Dice],
        rounds: int | None,
        by_hand: bool,
    ) -> None:
        super().__init__("sim", seed, dice, rounds, by_hand)
        self._out, self._board_name, self._speed = out, board, speed

    def _start(self) -> SimBoard:
        return SimBoard(self._place(), self._board_name, seed=self._seed, clock="real", speed=self._speed, dev=self.dev)

    def _place(self) -> str:
        return str(self._out / self.dev)

    def clock(self) -> RunClock:
        return RunClock()


class EmuTarget(_DealtTarget):
    """An emulated board. The run is timed by its clock, which is far slower than real time."""

    def __init__(
        self, uf2: str, board: str, seed: int | None, dice: Sequence[Dice], rounds: int | None, by_hand: bool
    ) -> None:
        """uf2: path of MicroPython's UF2, "" for the one of TUMBLER_UF2 or the cache. Raises UserError."""
        try:
            from host_tools.emu.board import EmuBoard
            from host_tools.emu.micropython import find_uf2
        except ModuleNotFoundError as missing:
            raise UserError(f"The emulator is not installed ({missing}): run make setup.") from None

        super().__init__("emu", seed, dice, rounds, by_hand)
        self._emulated = EmuBoard(board, uf2=find_uf2(uf2), dev=self.dev, seed=self._seed)
        self._live: LiveBoard | None = None

    def _start(self) -> "LiveBoard":
        from host_tools.emu.live import LiveBoard

        self._live = LiveBoard(self._emulated)
        return self._live

    def _place(self) -> str:
        return f"emulated, {self._emulated.board.name}"

    def clock(self) -> RunClock:
        began_at = datetime.now(timezone.utc)
        return RunClock(self._seconds, lambda: began_at + timedelta(seconds=self._seconds()))

    def _seconds(self) -> float:
        return self._live.clock() if self._live is not None else 0.0
