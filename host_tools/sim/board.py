"""A simulated board as a process: the firmware on MicroPython's unix port; its flash is a directory, its line a pty.

NOT FOR PLAY: the dice are drawn by a seeded generator.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import pty
import secrets
import select
import shutil
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from tumbler.hw import guards

from host_tools.boards import board_module, fill_in, load_board
from host_tools.errors import UserError
from host_tools.image import BLOCK_BYTES, filesystem
from host_tools.whole_file import write_whole

REPOSITORY = Path(__file__).resolve().parents[2]
FIRMWARE = REPOSITORY / "firmware"
SHIMS = Path(__file__).resolve().parent / "shims"
TEST_DEV = "sim-0000000000a1-9c1e"
HEAP = "384K"  # objects take twice their room on 64 bits; the compiler and the world live in the same heap
CHUNK_MS = 20  # the longest time that passes between two calls of `after_step`
RESET_US = 50_000  # from a reset until boot.py runs
ANSWER_LIMIT_S = 30
SCRATCH = [0] * 8
FLASH = "flash.bin"  # the area of the filesystem and the guarded sectors; the firmware's files lie elsewhere
FLASH_BLOCKS = 352  # as on a Raspberry Pi Pico
EDGES = "edges.txt"
COIL_SIGNAL = 30  # there, in place of a GPIO: the relay's coil
LOCK = "sim.lock"  # held by the process whose board has this flash
RESETS_LIMIT = 20  # while one command waits for its answer, which takes 20 ms; a board that runs has one or two


def new_dev(kind: str = "sim") -> str:
    """A dev, `sim-…` or `emu-…`, for a board that begins with an empty flash; a known one's journal would seem lost."""
    return f"{kind}-{secrets.token_hex(6)}-{secrets.token_hex(2)}"


class SimError(UserError):
    """The simulated board ended, hangs, or was asked for something that it does not have; one sentence."""


class SimBoard:
    """One simulated board. Use it as a context manager, or call stop().

    state_dir: made if need be; the board's flash, kept from run to run. board: name in boards/, or path of a .toml.
    clock: "virtual" (time passes in step() only; the same seed and calls give the same bytes) or "real" (time passes
    by itself, `speed` times as fast). start_ticks: ticks_ms() at every start. firmware: directory with boot.py and
    main.py. probe: heap() then tells what the firmware allocated with the relay on; slow. trace: every edge of a pin
    goes to the file EDGES in state_dir, a line "us GPIO level"; COIL_SIGNAL in place of a GPIO is the relay's coil, and
    before the edges of a start stands "us reset".
    after_step: called after each CHUNK_MS of step(), for a host that reads the serial line.

    serial_path: what to open as the board's serial port. Raises UserError for a bad board, clock, speed or directory.
    """

    def __init__(
        self,
        state_dir: str | Path,
        board: str | Path = "pico",
        *,
        seed: int = 1,
        clock: str = "real",
        speed: float = 1.0,
        dev: str = TEST_DEV,
        start_ticks: int = 0,
        firmware: Path = FIRMWARE,
        probe: bool = False,
        trace: bool = False,
    ):
        if clock not in ("real", "virtual"):
            raise UserError(f"There is no clock {clock!r}: the simulated board's is real or virtual.")
        if not 0.01 <= speed <= 100:
            raise UserError(f"Speed {speed:g} is too much for the simulated board: give 0.01 to 100 times real time.")
        self.clock, self.speed = clock, speed
        self.after_step: Callable[[], None] | None = None
        self.resets: list[str] = []  # causes, oldest first
        self._micropython = find_micropython()
        self.state_dir = Path(state_dir).absolute()
        self._held = _make_flash(self.state_dir, board, dev, Path(firmware))
        self._config: dict[str, Any] = {
            "clock": clock,
            "speed": speed,
            "seed": seed,
            "start_ticks": start_ticks,
            "firmware": str(Path(firmware).resolve()),
            "probe": probe,
            "trace": str(self.state_dir / EDGES) if trace else "",
            "flash": str(self.state_dir / FLASH),
            "unique_id": dev.removeprefix("sim-").split("-")[0].rjust(16, "0")[:16],
        }
        self._lock = threading.RLock()
        self._count = 0
        self._now_us = 0
        self._stopped = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)  # and kept open, so that nothing is lost while no host has it open
        os.set_blocking(self._master, False)  # a full line refuses bytes, it does not stop the board
        self.serial_path = os.ttyname(self._slave)
        self._spawn("power", {}, 0)
        if clock == "real":
            threading.Thread(target=self._watch, name="sim-resets", daemon=True).start()

    def __enter__(self) -> SimBoard:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    # ------------------------------------------------------------ process

    def _spawn(self, cause: str, world: dict[str, Any], off_us: int) -> None:
        """Start the process anew with the world as it was left. A process that dies takes nothing with it."""
        self._drop_input()
        command_read, self._to_board = os.pipe()
        answer_read, answer_write = os.pipe()
        self._from_board = os.fdopen(answer_read, "rb", buffering=0)
        self._partial = b""
        config = self._config | {
            "cause": cause,
            "world": world,
            "off_us": off_us,
            "rig_in": command_read,
            "rig_out": answer_write,
        }
        path = self.state_dir / "sim.json"
        path.write_text(json.dumps(config))
        env = {"PATH": os.environ.get("PATH", os.defpath)}
        # FIRMWARE: the shims move the drum by a law in it, whatever firmware runs
        env["MICROPYPATH"] = f"{SHIMS}:{self._config['firmware']}:{self.state_dir}:{FIRMWARE}:.frozen"
        with open(self.state_dir / "stderr.log", "ab") as log:
            self._process = subprocess.Popen(
                [self._micropython, "-X", f"heapsize={HEAP}", str(SHIMS / "run_board.py"), str(path)],
                stdin=self._master,
                stdout=self._master,
                stderr=log,
                cwd=self.state_dir,
                env=env,
                pass_fds=(command_read, answer_write),
                start_new_session=True,  # Ctrl-C at the terminal is for the host
            )
        os.close(command_read)
        os.close(answer_write)

    def _drop_input(self) -> None:
        """What was on its way to the board when it went down is lost."""
        with contextlib.suppress(BlockingIOError, OSError):
            while os.read(self._master, 4096):
                pass

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
            os.close(self._to_board)
            self._from_board.close()

    def stop(self) -> None:
        """End the process and give the serial line back. A second call does nothing."""
        with self._lock:
            if self._stopped.is_set():
                return
            self._stopped.set()
            self._kill()
            os.close(self._master)
            os.close(self._slave)
            self._held.close()

    def _watch(self) -> None:
        """Real clock: resets come at any time, not only while somebody asks."""
        while not self._stopped.wait(0.02):
            with self._lock:
                if self._process is not None and select.select([self._from_board], [], [], 0)[0]:
                    try:
                        self._take(self._read_line())
                    except SimError:
                        return  # the next call says so

    # ------------------------------------------------------------ pipe

    def request(self, do: str, **args: Any) -> Any:
        """One command to the world -> its value. Raises SimError with the world's sentence, or if the board is gone."""
        with self._lock:
            self._count += 1
            message = {"id": self._count, "do": do, "args": args}
            self._send(message)
            resets = 0
            while True:
                answer = self._take(self._read_line())
                if answer is None:  # it was reset before it could answer
                    resets += 1
                    if resets >= RESETS_LIMIT:
                        raise SimError(self._resets_for_ever())
                    self._send(message)
                elif answer["id"] == self._count:
                    self._now_us = answer["t_us"]
                    if not answer["ok"]:
                        raise SimError(answer["error"])
                    return answer["value"]

    def _send(self, message: dict[str, Any]) -> None:
        if self._process is None:
            raise SimError("The simulated board was stopped: make a new one.")
        with contextlib.suppress(BrokenPipeError):  # reading will tell why
            os.write(self._to_board, json.dumps(message).encode() + b"\n")

    def _read_line(self) -> bytes:
        until = time.monotonic() + ANSWER_LIMIT_S
        while b"\n" not in self._partial:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._from_board], [], [], left)[0]:
                raise SimError("The simulated board hangs: its firmware runs without ever looking at the clock.")
            data = self._from_board.read(65536)
            if not data:
                raise SimError(self._last_words())
            self._partial += data
        line, _, self._partial = self._partial.partition(b"\n")
        return line

    def _take(self, line: bytes) -> dict[str, Any] | None:
        """An answer, or None for a reset, after which a new process runs."""
        message = json.loads(line)
        if message.get("ev") != "reset":
            return message
        self._restart(message["cause"], message["world"], RESET_US)
        return None

    def _restart(self, cause: str, world: dict[str, Any], off_us: int) -> None:
        self.resets.append(cause)
        self._kill()
        self._now_us = world["now_us"] + off_us
        self._spawn(cause, world, off_us)

    def _last_words(self) -> str:
        log = self.state_dir / "stderr.log"
        words = log.read_text(errors="replace").strip().splitlines()
        why = f"it said: {words[-1]}" if words else "it said nothing"
        return f"The simulated board ended by itself; {why} ({log} has all of it if that folder is kept)."

    def _resets_for_ever(self) -> str:
        return (
            f"The simulated board resets over and over, and its serial line says why: if its flash is damaged, "
            f"remove the folder {self.state_dir}, or name another with --state."
        )

    # ------------------------------------------------------------ what the rig calls

    def call(self, do: str, args: dict[str, Any]) -> Any:
        """One rig command by name (host_tools/rig/rig.py). Raises SimError."""
        if do == "step":
            return self.step(args["ms"])
        if do == "power_cut":
            return self.power_cut(args["off_ms"])
        return self.request(do, **args)

    def step(self, ms: int) -> dict[str, Any]:
        """Let `ms` of model time pass -> what can be seen and heard then. In real time this waits."""
        if self.clock == "real":
            return self._wait(ms)
        seen: dict[str, Any] = {}
        while True:
            chunk_ms = min(ms, CHUNK_MS)
            seen = self.request("step", until_us=self._now_us + chunk_ms * 1000)
            if self.after_step is not None:
                self.after_step()
            ms -= chunk_ms
            if ms <= 0:
                return seen

    def _wait(self, ms: int) -> dict[str, Any]:
        seen = self.request("read")
        end_us = self._now_us + ms * 1000
        while self._now_us < end_us:  # a busy computer may fall behind
            time.sleep(min(CHUNK_MS * 1000, end_us - self._now_us) / 1e6 / self.speed)
            seen = self.request("read")
            if self.after_step is not None:
                self.after_step()
        return seen

    def power_cut(self, off_ms: int) -> None:
        """The board loses power now, between two ticks, and gets it back after `off_ms` of model time."""
        with self._lock:
            world = self.request("halt")
            world["scratch"] = SCRATCH
            self._restart("power", world, off_ms * 1000)

    def heap(self) -> int:
        """Bytes that the firmware allocated with the relay on, outside of its sleeps, since it started (probe=True)."""
        return self.request("heap")


@functools.cache
def _blank_flash(journal_sectors: int) -> bytes:
    """A flash without anything but the guards of a journal of so many sectors."""
    flash = bytearray(b"\xff" * (FLASH_BLOCKS * BLOCK_BYTES))
    for block, data in filesystem({}, FLASH_BLOCKS, guards.blocks(FLASH_BLOCKS, journal_sectors)).items():
        flash[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES] = data
    return bytes(flash)


def find_micropython() -> str:
    """Path of MicroPython's unix port. Raises UserError if it is not installed."""
    beside = Path(sys.executable).parent / "micropython"
    found = str(beside) if beside.exists() else shutil.which("micropython")
    if not found:
        raise UserError(
            "MicroPython's unix port is not installed, and the simulated board needs it: run make setup "
            "(there are packages for Linux on x86_64 and macOS on arm64 only)."
        )
    return found


def _make_flash(state_dir: Path, board: str | Path, dev: str, firmware: Path) -> BinaryIO:
    """Make the directory that is the board's flash; a dev that is there already stays -> the lock on it.

    Raises UserError, also for a flash that another board has or that is not as large as a board's.
    """
    loaded = load_board(board)
    with contextlib.ExitStack() as opened:
        try:
            state_dir.mkdir(parents=True, exist_ok=True)
            held = opened.enter_context((state_dir / LOCK).open("ab"))
            _take_lock(held, state_dir)
            flash = state_dir / FLASH
            if not flash.exists():
                write_whole(state_dir / "dev.txt", f"{dev}\n".encode())
                write_whole(flash, _blank_flash(loaded.journal.sectors))
            _check_size(flash)
            (state_dir / "tumbler_board.py").write_text(board_module(loaded))
            (state_dir / "boot.py").write_text(fill_in((firmware / "boot.py").read_text(), loaded))
        except OSError as error:
            raise UserError(
                f"The simulated board cannot keep its flash in {state_dir} ({error.strerror}): name another directory."
            ) from None
        opened.pop_all()
    return held


def _take_lock(held: BinaryIO, state_dir: Path) -> None:
    """It goes with the process, however that ends. Raises UserError, OSError where a file cannot be locked."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError(
            f"A simulated board runs with the flash in {state_dir} already: stop that one, or name another directory."
        ) from None


def _check_size(flash: Path) -> None:
    size, whole = flash.stat().st_size, FLASH_BLOCKS * BLOCK_BYTES
    if size != whole:
        raise UserError(
            f"The simulated board's flash {flash} has {size} bytes and not {whole}: remove its folder, or name another "
            "directory."
        )
