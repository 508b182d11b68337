"""An emulated board: MicroPython for RP2040 with our firmware on its flash, and the tumbler on its pins.

It stands still but in step(): the same calls give the same bytes. NOT FOR PLAY.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from rp2040py.boards import BOARDS, resolve_firmware
from rp2040py.device import MicroPythonDevice
from rp2040py.device.base_device import ResetCause

from host_tools.boards import Board, load_board
from host_tools.build import build_files
from host_tools.emu import workarounds
from host_tools.emu.micropython import find_uf2
from host_tools.emu.usb import UsbHost
from host_tools.emu.world import World
from host_tools.errors import UserError
from host_tools.image import add_filesystem, check_micropython
from host_tools.rig import Seen
from host_tools.uf2 import FLASH_START, PAGE_BYTES, read_uf2

TEST_DEV = "emu-0000000000a1-9c1e"
STEP_US = 5000  # the longest time that passes between two calls of `after_step`
ERASES = (0x20, 0xD8)  # commands of a serial NOR flash: erase a sector, a block
Reset = Literal["power", "run_pin"]  # from outside; the watchdog is the firmware's
_CAUSES = {"power": ResetCause.POWER_ON, "run_pin": ResetCause.RUN_PIN, "watchdog": ResetCause.WATCHDOG}


class EmuBoard:
    """One emulated board, in power.

    board: checked board, or its name in boards/. uf2: MicroPython for RPI_PICO, by default the one of
    micropython.find_uf2(). files: path on the board -> bytes, instead of the firmware built for `board` and a dev.txt
    with `dev`. erase_ms: the flash is busy so long at each erase, and the CPU with it (W25Q16JV datasheet: 45 ms
    typical, 400 at most); the emulator itself takes 0.2 ms. start_ticks: ticks_ms() at every start.
    after_step: called every STEP_US of step(), for a host that reads.

    usb: the serial line, host's end. world: pins, machinery and the relay's trace. resets: causes of chip resets,
    oldest first. Raises UserError for a board that the emulator cannot play.
    """

    def __init__(
        self,
        board: Board | str = "pico",
        *,
        uf2: Path | None = None,
        files: Mapping[str, bytes] | None = None,
        dev: str = TEST_DEV,
        seed: int = 1,
        erase_ms: float = 0,
        start_ticks: int = 0,
    ):
        self.board = board if isinstance(board, Board) else load_board(board)
        _refuse_other_boards(self.board)
        self.erase_ms = erase_ms
        self.after_step: Callable[[], None] | None = None
        self.resets: list[str] = []
        content = firmware_files(self.board, dev) if files is None else files
        uf2 = uf2 or find_uf2()
        pages = read_uf2(uf2.read_bytes(), uf2.name)
        check_micropython(pages, uf2.name, self.board)
        self._device = MicroPythonDevice(board=resolve_firmware(BOARDS["pico"], "micropython", str(uf2)))
        self._mcu, self._simulator = self._device.mcu, self._device.simulator
        self.clock = self._mcu.clock
        self._fill_flash(add_filesystem(pages, self.board, content))
        self.pio_time = workarounds.PioTime(self._device)
        workarounds.stop_watchdog_at_reset(self._device)
        workarounds.read_back_outputs(self._device)
        self._note_resets()
        self._hold_flash_busy()
        self._start_timer_at(start_ticks)
        workarounds.send_frames(self._device)
        self.usb = UsbHost(self._device)
        self.world = World(self._device, self.board, self.pio_time, seed)
        self._stop = self.clock.create_alarm(self._simulator.stop)
        self._mcu.core.pc = FLASH_START

    @property
    def device(self) -> MicroPythonDevice:
        """What it runs in."""
        return self._device

    def _fill_flash(self, pages: Mapping[int, bytes]) -> None:
        flash = self._mcu.flash
        flash[:] = b"\xff" * len(flash)
        for address, page in pages.items():
            flash[address - FLASH_START : address - FLASH_START + PAGE_BYTES] = page

    # ------------------------------------------------------------ time

    def step(self, ms: float) -> Seen:
        """Let `ms` of emulated time pass -> what can be seen and heard then."""
        end = self.clock.nanos + ms * 1e6
        while self.clock.nanos < end:
            self._run(min(end - self.clock.nanos, STEP_US * 1000))
            if self.after_step is not None:
                self.after_step()
        return self.world.read()

    def _run(self, nanos: float) -> None:
        self._stop.schedule(nanos)
        self._simulator.stopped = False
        while not self._simulator.stopped:
            self._simulator._execute_batch()

    def at(self, us: float, act: Callable[[], None]) -> None:
        """Call act() in `us` of emulated time, at that very ns."""
        self.clock.create_alarm(act).schedule(us * 1000)

    def stall(self, ms: float) -> None:
        """The CPU does nothing for `ms`, as while the flash is busy; PIO, USB bus and tumbler go on."""
        self.clock.tick(ms * 1e6)

    def _start_timer_at(self, ms: int) -> None:
        timer = self._mcu.timer
        reset = timer.reset

        def reset_to() -> None:
            reset()
            timer._epoch_nanos -= ms * 1e6

        timer.reset = reset_to
        reset_to()

    # ------------------------------------------------------------ resets

    def reset(self, kind: Reset, off_ms: float = 0) -> None:
        """The chip resets and stays in reset for off_ms."""
        self._device._enter_reset(_CAUSES[kind])
        self.clock.tick(off_ms * 1e6)
        self._device._leave_reset()

    def _note_resets(self) -> None:
        enter = self._device._enter_reset

        def enter_reset(cause: ResetCause) -> None:
            self.resets.append(next(name for name, value in _CAUSES.items() if value is cause))
            enter(cause)

        self._device._enter_reset = enter_reset

    def _hold_flash_busy(self) -> None:
        ssi = self._mcu.ssi
        apply = ssi._apply_command

        def apply_command() -> None:
            erases = bool(ssi._tx_buffer) and ssi._tx_buffer[0] in ERASES and ssi._write_enabled
            apply()
            if erases and self.erase_ms:
                self.stall(self.erase_ms)

        ssi._apply_command = apply_command

    # ------------------------------------------------------------ what the rig calls

    def call(self, do: str, args: dict[str, Any]) -> Any:
        """One rig command by name (host_tools/rig/rig.py). Raises UserError."""
        world = self.world
        if do in ("press", "release"):
            if world.pin_of(args["key"]) is None:
                raise UserError(f"Board {self.board.name} has no key {args['key']}.")
            world.press(args["key"], do == "press")
        elif do == "dice":
            if not world.cover_open or world.drum.on_table is None:
                raise UserError("The dice are under the cover: open it first.")
            return list(world.drum.on_table)
        elif do == "read":
            return world.read()
        else:
            act: dict[str, Callable[..., Any]] = {
                "cover": world.set_cover,
                "cover_wire": world.set_cover_wire,
                "supervisor": world.set_supervisor,
                "estop": world.set_estop,
                "sensor": world.set_sensor,
                "motor": world.set_motor,
                "next_dice": world.drum.next_dice.append,
                "step": self.step,
                "stall": self.stall,
                "power_cut": lambda off_ms: self.reset("power", off_ms),
            }
            return act[do](*args.values())
        return None


def firmware_files(board: Board, dev: str) -> dict[str, bytes]:
    """Path on the board -> bytes: the firmware for `board`, and the identity `dev`."""
    return build_files(board) | {"dev.txt": f"{dev}\n".encode()}


def _refuse_other_boards(board: Board) -> None:
    """Raises UserError for a board that the emulator or its world cannot play."""
    if board.micropython != "RPI_PICO":
        raise UserError(f"The emulator plays boards with MicroPython for RPI_PICO only, and {board.name} has another.")
