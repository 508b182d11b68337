"""One UF2 file for a board: MicroPython, and the filesystem with our firmware where that MicroPython looks for it.

The filesystem has a guard file for each sector of the journal and the identity (docs/SAFETY.md, "The flash"). The
sectors themselves are not in the UF2, so that what stands in them outlives another image.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from littlefs import LFSConfig, LittleFS, UserContext
from tumbler.hw import guards

from host_tools import keys
from host_tools.binary_info import read_program
from host_tools.boards import Board, load_board
from host_tools.build import build_files, firmware_id
from host_tools.errors import UserError
from host_tools.uf2 import FLASH_START, PAGE_BYTES, read_uf2, write_uf2
from host_tools.whole_file import write_whole

BLOCK_BYTES = 4096  # a flash sector: what MicroPython's rp2.Flash erases at once
PROGRAM_BYTES = 256  # a flash page, as MicroPython's _boot.py mounts
CACHE_BYTES = 4 * PROGRAM_BYTES  # as MicroPython: it decides which small files stand inside the directory
DISK_VERSION = 0x00020000  # littlefs 2.0: the oldest, which every MicroPython reads
NO_INLINE = 0xFFFFFFFF  # lfs_size_t of -1
BAD_BLOCK = -84  # LFS_ERR_CORRUPT, upon which littlefs takes the next free block
OLDEST = (1, 25)  # MicroPython
DEV_FILE = "dev.txt"  # where the firmware looks for an identity that is not for play
USB_DRIVE = b"Board MSC"  # name of the USB interface by which a MicroPython offers its files as a drive


@dataclass(frozen=True)
class Port:
    """A board of MicroPython's rp2 port: its name in the pico-sdk, what os.uname() on it calls it (without the chip),
    and the flash that it keeps files in."""

    pico_board: str
    title: str
    address: int
    size: int  # bytes


# ports/rp2/boards/*/mpconfigboard.h (MICROPY_HW_BOARD_NAME; MICROPY_HW_FLASH_STORAGE_BYTES, at the end of the flash)
# and mpconfigboard.cmake
PORTS = {
    "RPI_PICO": Port("pico", "Raspberry Pi Pico", FLASH_START + 0xA0000, 1408 * 1024),
    "RPI_PICO_W": Port("pico_w", "Raspberry Pi Pico W", FLASH_START + 0x12C000, 848 * 1024),
    "WAVESHARE_RP2040_ZERO": Port("waveshare_rp2040_zero", "Waveshare RP2040-Zero", FLASH_START + 0xA0000, 1408 * 1024),
    "ARDUINO_NANO_RP2040_CONNECT": Port(
        "arduino_nano_rp2040_connect", "Arduino Nano RP2040 Connect", FLASH_START + 0x200000, 14 * 1024 * 1024
    ),
}


def new_enough(release: str) -> bool:
    """Whether this firmware runs on MicroPython `release`, like 1.25.0."""
    numbers = re.match(r"([0-9]{1,4})\.([0-9]{1,4})", release)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= OLDEST


def check_micropython(pages: Mapping[int, bytes], name: str, board: Board) -> str:
    """The version ("v1.28.0") of the MicroPython in these flash pages, if our filesystem can be put beside it.

    Raises UserError, naming the file as `name`: no MicroPython, too old, for another board, one that formats its
    flash for a USB drive, or one that is not alone in the flash.
    """
    port = port_of(board)
    program = read_program(pages)
    wanted = f"give the .uf2 of MicroPython {OLDEST[0]}.{OLDEST[1]} or newer for {board.micropython}"
    if program is None or program.name != "MicroPython":
        raise UserError(f"{name} holds no MicroPython; {wanted}.")
    if not (program.version.startswith("v") and new_enough(program.version[1:])):
        raise UserError(f"{name} holds MicroPython {program.version!r}, which this firmware is not for; {wanted}.")
    if program.board != port.pico_board:
        raise UserError(f"{name} holds MicroPython for the board {program.board!r}; {wanted}.")
    if (port.address, port.size) not in program.storage:
        raise UserError(f"{name} holds a MicroPython that keeps its files elsewhere than stock ones; {wanted}.")
    end = max(pages) + PAGE_BYTES
    if end > port.address:
        raise UserError(
            f"{name} reaches to 0x{end:08x} and the files begin at 0x{port.address:08x}, so more than MicroPython "
            f"is in it; {wanted}."
        )
    if USB_DRIVE in b"".join(pages[address] for address in sorted(pages)):
        raise UserError(
            f"{name} holds a MicroPython that offers its files as a USB drive and would format away what an image "
            "brings; build it for this board with MICROPY_HW_USB_MSC set to 0."
        )
    return program.version


def port_of(board: Board) -> Port:
    """The port of MicroPython that runs on the board. Raises UserError for one that is not in PORTS."""
    if board.micropython not in PORTS:
        raise UserError(
            f"Board {board.name} runs MicroPython {board.micropython}, and where that keeps its files is known for "
            f"{', '.join(PORTS)} only; give a board of these, or copy the files with mpremote."
        )
    return PORTS[board.micropython]


class _Flash(UserContext):
    """An erased flash that remembers which blocks littlefs took (each that it looked at or erased: of the two of a
    directory it may erase but one, and compares both), and gives the blocks `guarded` to nobody but the guard for whom
    `want` is set."""

    def __init__(self, blocks: int, guarded: Collection[int]) -> None:
        super().__init__(buffer=bytearray(b"\xff" * (blocks * BLOCK_BYTES)))
        self.used: set[int] = set()
        self.guarded = guarded
        self.want: int | None = None
        self.looked = False  # at a guarded block

    def erase(self, cfg: LFSConfig, block: int) -> int:
        if block in self.guarded if self.want is None else block != self.want:
            return BAD_BLOCK
        self.used.add(block)
        return super().erase(cfg, block)

    def read(self, cfg: LFSConfig, block: int, off: int, size: int) -> bytearray:
        self.used.add(block)
        self.looked = self.looked or block in self.guarded
        return super().read(cfg, block, off, size)


def filesystem(files: Mapping[str, bytes], blocks: int, guarded: Sequence[int]) -> dict[int, bytes]:
    """The littlefs blocks (number -> 4096 bytes) that hold these files in an area of so many blocks, and a guard file
    for each of the blocks `guarded`; these themselves and unused blocks are left out, so the flash may hold an older
    filesystem. The same files give the same blocks."""
    flash = _Flash(blocks, frozenset(guarded))
    disk = LittleFS(
        flash,
        mount=False,
        block_size=BLOCK_BYTES,
        block_count=blocks,
        read_size=PROGRAM_BYTES,
        prog_size=PROGRAM_BYTES,
        cache_size=CACHE_BYTES,
        inline_max=NO_INLINE,  # no file's content in its directory: littlefs reads all of a directory to find one name
        disk_version=DISK_VERSION,
    )
    disk.format()
    disk.mount()
    _make_guards(disk, flash, guarded)
    for path in sorted(files):
        folder = path.rpartition("/")[0]
        if folder:
            disk.makedirs(folder, exist_ok=True)
        with disk.open(path, "wb") as file:
            file.write(files[path])
    disk.unmount()
    return {
        block: bytes(flash.buffer[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES])
        for block in sorted(flash.used.difference(guarded))
    }


def _make_guards(disk: LittleFS, flash: _Flash, guarded: Sequence[int]) -> None:
    """A file of one block for each of the blocks, which it owns then."""
    for folder in guards.folders(len(guarded)):
        flash.looked = True
        while flash.looked:  # a directory takes two blocks, and erases but one of them before it has both
            flash.looked = False
            disk.mkdir(folder)
            if flash.looked:
                disk.rmdir(folder)
    for number, block in enumerate(guarded):
        with disk.open(guards.path(number), "wb") as file:
            flash.want = block
            file.write(bytes(BLOCK_BYTES))
            file.flush()
            flash.want = None


def guarded_blocks(board: Board) -> list[int]:
    """The blocks of the board's identity and journal in its filesystem's area. Raises UserError as port_of()."""
    return guards.blocks(port_of(board).size // BLOCK_BYTES, board.journal.sectors)


def add_filesystem(pages: Mapping[int, bytes], board: Board, files: Mapping[str, bytes]) -> dict[int, bytes]:
    """MicroPython's pages and, behind them, whole sectors of the filesystem with these files (path -> content)."""
    port = port_of(board)
    whole = dict(pages)
    for number, block in filesystem(files, port.size // BLOCK_BYTES, guarded_blocks(board)).items():
        for offset in range(0, BLOCK_BYTES, PAGE_BYTES):
            whole[port.address + number * BLOCK_BYTES + offset] = block[offset : offset + PAGE_BYTES]
    return whole


def image(
    board: Annotated[str, typer.Option(help="A board's name or a .toml file", metavar="NAME|FILE")],
    micropython: Annotated[Path, typer.Option(help="MicroPython for that board, a .uf2 file", metavar="FILE.uf2")],
    out: Annotated[Path, typer.Option(help="The file to write", metavar="FILE.uf2")],
    dev: Annotated[
        str | None, typer.Option(help="Identity of a board that is not for play, emu-…", metavar="DEV")
    ] = None,
) -> None:
    """Make one UF2 file of MicroPython and our firmware, to drag onto a board. Its filesystem is made anew by it; the
    journal and the identity of a board that has them stay."""
    loaded = load_board(board)
    if dev is not None:
        _check_dev(dev)
    try:
        data = micropython.read_bytes()
        same = out.exists() and out.samefile(micropython)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise UserError(f"Cannot read {micropython} ({_why(error)}); give a .uf2 file that can be read.") from None
    if same:
        raise UserError(f"--out {out} is the MicroPython file itself; give another name.")
    pages = read_uf2(data, str(micropython))
    version = check_micropython(pages, str(micropython), loaded)
    firmware = build_files(loaded)
    identity = {} if dev is None else {DEV_FILE: f"{dev}\n".encode("ascii")}
    whole = add_filesystem(pages, loaded, firmware | identity)
    try:
        write_whole(out, write_uf2(whole))
    except (OSError, ValueError) as error:
        raise UserError(f"Cannot write {out} ({_why(error)}); give a place that can be written.") from None
    typer.echo(f"{out}: MicroPython {version} and firmware {firmware_id(firmware)} for board {loaded.name}.")
    typer.echo(
        f"Identity {dev}, not for play." if dev else "No identity is in it: a board needs one before it can play."
    )


def _why(error: OSError | ValueError) -> str:
    return error.strerror or "it fails" if isinstance(error, OSError) else "that is no file name"


def _check_dev(dev: str) -> None:
    keys.check_dev(dev)
    if not dev.startswith("emu-"):
        raise UserError(
            f"Board {dev} cannot get its identity from a file: only provisioning gives one that is for play; "
            "leave --dev out, or give one that begins emu-."
        )
