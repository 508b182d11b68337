"""The simulated board as a target: a new board for every run, with a dealer who plays it. NOT FOR PLAY."""

import secrets
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from host_tools.errors import UserError
from host_tools.link.port import Port
from host_tools.settler.taisai import Dice
from host_tools.sim.board import SimBoard
from host_tools.sim.dealer import Dealer
from host_tools.sim.rig import CallRig, RigServer

READY_MS = 2_000  # nobody presses SPIN within the first moments; the board would refuse it


class SimTarget:
    """A board that no store has seen before: neither a removed store nor a removed folder can contradict it."""

    def __init__(
        self, out: Path, board: str, seed: int | None, speed: float, dice: Sequence[Dice], rounds: int | None
    ) -> None:
        """dice: of the next rounds; rounds: how many the dealer plays, None: without end; seed None: draw one."""
        self.dev = f"sim-{secrets.token_hex(6)}-{secrets.token_hex(2)}"
        self._seed = secrets.randbelow(1 << 30) if seed is None else seed
        self._out, self._board_name, self._speed, self._dice, self._rounds = out, board, speed, dice, rounds
        self._opened = ExitStack()
        self._failure: UserError | None = None

    def open(self) -> Port:
        """Start the board, its rig and its dealer; open its port. Raises UserError."""
        board = self._opened.enter_context(
            SimBoard(
                self._out / self.dev, self._board_name, seed=self._seed, clock="real", speed=self._speed, dev=self.dev
            )
        )
        # A socket's path may have some 100 bytes only, so it is not below the folder of the run.
        folder = self._opened.enter_context(tempfile.TemporaryDirectory(prefix="tumbler-"))
        self._server = self._opened.enter_context(RigServer(board.call, Path(folder) / "rig.sock"))
        rig = CallRig(board.call)
        for faces in self._dice:
            rig.next_dice(*faces)
        port = Port(board.serial_path)
        threading.Thread(target=self._deal, args=(Dealer(rig),), name="dealer", daemon=True).start()
        return port

    def about(self) -> list[str]:
        return [f"Rig:      {self._server.path}", f"Board:    {self._out / self.dev}, seed {self._seed}"]

    def open_again(self) -> Port | None:
        self.check()
        raise UserError("The simulated board's port is gone: start the run again.")

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
