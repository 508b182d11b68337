"""Stand-ins for boards on ptys, and `tumbler flash` at them; its limits are short, for a stand-in answers at once."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from littlefs import LittleFS, UserContext

from host_tools import keys, repl
from host_tools.boards import load_board
from host_tools.build import build_files
from host_tools.flash import command, job, line
from host_tools.flash.job import Job
from host_tools.image import BLOCK_BYTES
from host_tools.run.target import DeviceTarget
from tests.host.flash.standin import StandIn, new_flash


class Flashed(NamedTuple):
    """A whole flash, the dev and the key that it got, what was said meanwhile, and the code that ran on the board."""

    flash: bytes
    dev: str
    key: bytes
    said: list[str]
    runs: list[str]


def shorten(patch: pytest.MonkeyPatch) -> None:
    """Limits for a stand-in, which answers at once."""
    for room, name, seconds in (
        (repl, "TRY_S", 0.5),
        (repl, "ENTER_LIMIT_S", 4),
        (repl, "READ_S", 0.3),
        (repl, "ANSWER_LIMIT_S", 5),
        (line, "LISTEN_S", 0.6),
        (line, "ANSWER_S", 6),
        (line, "GONE_S", 1),
        (job, "COME_BACK_S", 0.5),
        (job, "HELLO_S", 5),
        (job, "JUMPER_S", 5),
    ):
        patch.setattr(room, name, seconds)


@pytest.fixture(scope="session")
def built() -> dict[str, bytes]:
    """The firmware for the pico: path -> bytes."""
    return build_files(load_board("pico"))


@pytest.fixture(scope="session")
def newer() -> dict[str, bytes]:
    """Another build: four spins are asked for."""
    pico = load_board("pico")
    return build_files(dataclasses.replace(pico, spin=dataclasses.replace(pico.spin, required=4)))


@pytest.fixture
def flash_file(tmp_path: Path) -> Path:
    """The flash of a board that was never used."""
    return new_flash(tmp_path / "flash.bin")


@pytest.fixture(scope="session")
def flashed(micropython: None, built: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Flashed:
    """A board that was flashed once, from its first byte on."""
    folder = tmp_path_factory.mktemp("flashed")
    flash, said = new_flash(folder / "flash.bin"), []
    board = StandIn(flash)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        shorten(patch)
        Job(load_board("pico"), built, DeviceTarget(board.path), said.append, lambda *_: None).run(None, None)
        board.stop()
        dev = said[-1].split("enrol ")[1].split()[0]
        return Flashed(flash.read_bytes(), dev, keys.board_key(dev), said, board.runs)


@pytest.fixture
def used(flashed: Flashed, flash_file: Path, tumbler: object) -> Flashed:
    """The flash of this test's board is that of a board that was flashed, and its key is in its place."""
    flash_file.write_bytes(flashed.flash)
    keys.keep_new_key(flashed.dev, flashed.key)
    return flashed


@pytest.fixture
def plug_in(micropython: None, flash_file: Path) -> Iterator[Callable[..., StandIn]]:
    """plug_in(**StandIn's keywords) -> a board with that flash; the one before is unplugged."""
    boards: list[StandIn] = []

    def plug(**settings: object) -> StandIn:
        for board in boards:
            board.stop()
        boards.append(StandIn(flash_file, **settings))
        return boards[-1]

    yield plug
    for board in boards:
        board.stop()


@pytest.fixture
def flash(tumbler, built, monkeypatch) -> Callable[..., tuple[int, str, str]]:
    """flash(board, *options) -> (exit code, stdout, stderr) of `tumbler flash --board pico` at its port."""
    shorten(monkeypatch)
    monkeypatch.setattr(command, "build_files", lambda board: built)

    def run(board: StandIn, *options: str) -> tuple[int, str, str]:
        return tumbler("flash", "--board", "pico", "--port", board.path, *options)

    return run


def mounted(flash_file: Path) -> tuple[LittleFS, UserContext]:
    """The file system on the flash, in memory, and its bytes."""
    data = bytearray(flash_file.read_bytes())
    flash = UserContext(buffer=data)
    count = len(data) // BLOCK_BYTES
    disk = LittleFS(flash, mount=False, block_size=BLOCK_BYTES, block_count=count, prog_size=256, read_size=256)
    disk.mount()
    return disk, flash


@pytest.fixture
def on_disk(flash_file: Path) -> Callable[[], dict[str, bytes]]:
    """on_disk() -> path -> bytes of what littlefs finds on the flash, but the guards."""

    def look() -> dict[str, bytes]:
        disk, _ = mounted(flash_file)
        found = {}
        for folder, _, names in disk.walk("/"):
            for name in names if not folder.startswith("/guards") else ():
                path = f"{folder}/{name}".lstrip("/")
                with disk.open(path, "rb") as file:
                    found[path] = file.read()
        return found

    return look
