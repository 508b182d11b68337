"""One run of `tumbler flash`: from whatever is at the port to a board whose hello names the firmware that was built."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from host_tools import keys, provision
from host_tools.boards import Board
from host_tools.build import firmware_id
from host_tools.doctor.holders import holders
from host_tools.errors import UserError
from host_tools.flash import files, line
from host_tools.flash.checks import check_board, check_wires, free_blocks
from host_tools.flash.rooms import bring_rooms
from host_tools.image import DEV_FILE
from host_tools.link.port import LinkLost, Port
from host_tools.repl import Lost, Repl
from host_tools.run.target import DeviceTarget

RESETS = 3  # as by a watchdog that somebody left running; the copy goes on where it was
COME_BACK_S = 15.0
HELLO_S = 25.0
JUMPER_S = 300.0  # for a person who has to open the box
PAUSE_S = 0.2
LAST_LOOK = """
import tumbler_board
from tumbler.hw import firmware_hash, reset
from tumbler.hw.inputs import Inputs
print(firmware_hash.firmware_hash(), int(Inputs(tumbler_board).maintenance()))
"""
LEAVE = "reset.restart(reset.COMMANDED)"


class Job:
    """Puts `built` (path -> bytes) onto the board at `target`. say() gets sentences, told() each file's progress.
    rewired: its wires are those of `board`, though the firmware that it has is for another."""

    def __init__(
        self,
        board: Board,
        built: Mapping[str, bytes],
        target: DeviceTarget,
        say: Callable[[str], object],
        told: files.Told,
        rewired: bool = False,
    ) -> None:
        self._board, self._built, self._target = board, built, target
        self._say, self._told, self._rewired = say, told, rewired
        self._wanted = firmware_id(built)
        self._dev = ""  # of a board for play, once it is known
        self._copied = 0

    def run(self, by: str | None, key: Path | None) -> None:
        """Until the board's hello names the firmware. by: `host:NAME`, who orders maintenance; key: the board's key
        file for that order, instead of the one in its place. Raises UserError."""
        port = self._open()
        try:
            ear = line.listen(port)
            if (ear.dev or "").startswith("sim-"):
                raise UserError(f"Board {ear.dev} is simulated, it has no flash to copy to: give --port of a real one.")
            if ear.hello is not None and (ear.hello["fw"], ear.hello["board"]) == (self._wanted, self._board.name):
                self._say(f"Board {ear.dev} runs firmware {self._wanted} already: nothing was copied.")
                return
            if ear.hello is not None and ear.hello["board"] != self._board.name:
                raise UserError(
                    f"Board {ear.dev} is wired as {ear.hello['board']}, not as {self._board.name}: give --board "
                    f"{ear.hello['board']}; if its wires are those of {self._board.name} now, fit the maintenance "
                    "jumper, plug it in anew, and add --rewired."
                )
            if ear.dev is not None:
                self._into_maintenance(port, ear.dev, by, key)
                line.until_gone(port)
        except LinkLost as error:
            raise UserError(f"The board went away ({error}): check the cable and try again.") from None
        finally:
            port.close()
        if ear.dev is not None and not self._is_back():
            raise UserError("The board went into maintenance and did not come back: plug it in anew and try again.")
        try:
            fitted = self.copy()
        except KeyboardInterrupt:
            self._say(
                "Interrupted: a board whose files are not whole starts nothing, its relay stays off; run the same "
                "command again, it goes on where it was."
            )
            raise
        self._prove(fitted)

    def _open(self) -> Port:
        device = self._target.port.device
        try:
            return self._target.open()
        except UserError as error:
            used_by = holders(device)
            if used_by:
                raise UserError(f"Port {device} is in use by {', '.join(used_by)}: end that first.") from None
            raise error

    def _into_maintenance(self, port: Port, dev: str, by: str | None, key: Path | None) -> None:
        if by is None:
            raise UserError(
                f"Board {dev} is in production and lets nobody in: between two rounds turn its supervisor key and give "
                "--by NAME, which orders it into maintenance; or fit the maintenance jumper and plug it in anew."
            )
        line.order_maintenance(port, by, keys.board_key if key is None else lambda _: keys.read_key(key))
        self._say(f"Board {dev} goes into maintenance.")

    def copy(self) -> bool:
        """Copy to a board that lets somebody in, again after each reset in between, and reset it -> is the maintenance
        jumper fitted? Raises UserError."""
        for _ in range(RESETS):
            try:
                return self._copy()
            except Lost:
                self._say("The board was reset or unplugged while its files were copied: waiting for it.")
                if not self._is_back():
                    raise UserError(
                        "The board went away while its files were copied: plug it in and run the same command again, "
                        "it goes on where it was; until then it starts nothing and its relay stays off."
                    ) from None
        try:
            return self._copy()
        except Lost:
            raise UserError(
                "The board is reset again and again while its files are copied: unplug it, wait, plug it in and run "
                "the same command again, it goes on where it was; else make an image: `tumbler image`."
            ) from None

    def _is_back(self) -> bool:
        """Wait until the board's port can be opened; False if that takes too long."""
        until_s = time.monotonic() + COME_BACK_S
        while time.monotonic() < until_s:
            port = self._target.open_again()
            if port is not None:
                port.close()
                return True
            time.sleep(PAUSE_S)
        return False

    def _copy(self) -> bool:
        with Repl(self._target.port.device, soft_reset=True) as repl, repl.or_running_again():
            check_board(repl, self._board)
            there = files.list_files(repl)
            files.refuse_foreign(there, self._built)
            if not self._rewired:
                check_wires(repl, there, self._board)
            plan = files.make_plan(self._built, there)
            bring_rooms(repl, self._built, there)
            self._provision(repl, DEV_FILE in there)
            files.refuse_full(self._built, there, plan, free_blocks(repl))
            files.carry_out(repl, self._built, plan, self._told)
            self._copied += len(plan.write)
            self._say(f"{self._copied} of {len(self._built)} files were copied, the others were there already.")
            repl.restart()
            found, fitted = repl.run(LAST_LOOK).split()
            if found != self._wanted:
                raise UserError(
                    f"The board's files make firmware {found} and not {self._wanted}: run the command again."
                )
            repl.leave(LEAVE)
        return fitted == "1"

    def _provision(self, repl: Repl, has_dev_file: bool) -> None:
        """Guards and, to a board that has none and is for play, an identity: before any file that could need them."""
        found = provision.look(repl, self._board)
        provision.refuse_strangers(found)
        provision.guard(repl, found)
        self._dev = found.dev
        if not found.dev and not has_dev_file:
            self._dev = provision.give(repl, self._board, found)
            self._say(f"Board {self._dev} is provisioned; its key is in {keys.key_path(self._dev)}.")

    def _prove(self, fitted: bool) -> None:
        if fitted:
            self._say("Now take the maintenance jumper out and plug the board in anew; its hello is waited for.")
        hello, word = line.wait_for_hello(self._target.open_again, JUMPER_S if fitted else HELLO_S)
        if hello is None:
            said = f" (the last it said: {word})" if word else ""
            raise UserError(
                f"All files are on the board, but its hello did not come{said}: plug it in anew without the jumper, "
                "and run the same command again."
            )
        found, name, dev = hello["fw"], hello["board"], hello["dev"]
        if (found, name) != (self._wanted, self._board.name) or dev != (self._dev or dev):
            raise UserError(
                f"What says hello is board {dev} with firmware {found} for {name}, not {self._dev or 'one'} with "
                f"{self._wanted} for {self._board.name}: is another board plugged in?"
            )
        self._say(f"Board {dev} runs firmware {found} for {name}, as its hello says.")
        if not keys.not_for_play(dev):
            self._say(f"Next, if no table has it yet: tumbler enrol {dev} --table NAME")
