"""What goes onto the rig's board: its package compiled, main.py, and the table of its wires."""

import tempfile
from pathlib import Path

from host_tools.boards import Board
from host_tools.build import FIRMWARE, compile_module
from host_tools.rig.wiring import RigTable, rig_module

TABLE = "rig_table.py"


def rig_files(rig: RigTable, board: Board) -> dict[str, bytes]:
    """Path on the rig's board -> content, for a rig wired to a terminal `board`; main.py last, as it starts the rest.

    Raises UserError for a board that the rig cannot serve.
    """
    files = {TABLE: rig_module(rig, board).encode("ascii")}
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((FIRMWARE / "rig").rglob("*.py")):
            name = path.relative_to(FIRMWARE)
            if name.name != "main.py":
                data = compile_module(name.as_posix(), path.read_bytes(), Path(folder))
                files[name.with_suffix(".mpy").as_posix()] = data
    files["main.py"] = (FIRMWARE / "rig" / "main.py").read_bytes()
    return files
