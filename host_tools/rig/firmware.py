"""What goes onto the rig's board: its package compiled, main.py, and the table of its wires; and how it gets there."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from host_tools.boards import Board
from host_tools.build import FIRMWARE, compile_module
from host_tools.errors import UserError
from host_tools.flash.checks import ask_who
from host_tools.flash.files import Told, carry_out, list_files, make_plan, refuse_foreign
from host_tools.image import OLDEST, new_enough
from host_tools.repl import RESET, Repl
from host_tools.rig.wiring import RigTable, rig_module

TABLE = "rig_table.py"
OURS = "rig/"


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


def put_on(port: str, files: Mapping[str, bytes], told: Told) -> int:
    """Put `files` onto the rig's board at `port` and start it -> how many were changed; told() hears of each file's
    progress.

    main.py goes first and comes last: a rig that was cut off half-way starts nothing and pulls no line. Raises
    UserError, also for a board that holds another program, such as the terminal's.
    """
    with Repl(port, soft_reset=True) as repl, repl.or_running_again():
        check_micropython(repl)
        there = list_files(repl)
        refuse_foreign(there, files, OURS)
        plan = make_plan(files, there, OURS)
        carry_out(repl, files, plan, told)
        repl.leave(RESET)
    return len(plan.write)


def check_micropython(repl: Repl) -> None:
    """Raises UserError for anything but MicroPython for an RP2040, new enough."""
    who = ask_who(repl)
    if who is None or who.system != "rp2" or not new_enough(who.release):
        release = "" if who is None else who.release
        raise UserError(
            f"The board there has {release or 'no MicroPython'} and the rig needs MicroPython {OLDEST[0]}.{OLDEST[1]} "
            "or newer for an RP2040: drag its .uf2 onto the board, with BOOTSEL held while you plug it in."
        )
