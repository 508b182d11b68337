"""The command line `tumbler`: starts a command (host_tools/commands.py) and says how it ended.

A UserError becomes its sentence on stderr and exit code 2, as does what typer itself refuses and an output that takes
nothing more. Ctrl-C is 130. Anything else is a fault of the program and shows its traceback, without the values of
variables: a key may be among them.
"""

import contextlib
import errno
import io
import os
import sys
from typing import TYPE_CHECKING

from host_tools.errors import UserError
from host_tools.words import printable

if TYPE_CHECKING:
    from typer.exceptions import TyperException

BAD_INPUT = 2
READER_GONE = 1
INTERRUPTED = 130  # the shell's 128 + SIGINT
OUTPUT_ENDED = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


# What typer says of a value, and how to say it so that it can be mended.
_MENDED = (
    ("Input should be a valid integer, unable to parse string as an integer", "give a whole number, like 7"),
    ("Input should be a valid number, unable to parse string as a number", "give a number, like 2.5"),
    ("Input should be", "give one that is"),
    ("Value error, ", ""),
)


def main() -> None:
    """Run the command line and exit."""
    try:
        code = _run()
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        # A room says itself which file failed; what has no name and comes up to here is the output.
        if error.filename is not None or error.errno not in OUTPUT_ENDED:
            raise
        code = _lost_output(error)
    raise SystemExit(code)


def _run() -> int:
    """The exit code of the command. What takes long to import comes here, where Ctrl-C is caught."""
    try:
        from typer.exceptions import TyperException

        from host_tools import commands

        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # a character that it cannot encode must not end a run
                stream.reconfigure(errors="backslashreplace")
        try:
            return commands.app(prog_name="tumbler", standalone_mode=False) or 0
        except UserError as error:
            # A sentence may cite what a board or a file says.
            return _refuse("\n".join(printable(line) for line in str(error).split("\n")))
        except TyperException as error:
            return _refuse(_sentence(error))
    except KeyboardInterrupt:
        return INTERRUPTED


def _sentence(error: "TyperException") -> str:
    """What typer refuses, on one line. A command that was given nothing at all shows its help instead."""
    said = error.format_message()
    if said.startswith("Usage:"):
        return said
    for theirs, ours in _MENDED:
        said = said.replace(theirs, ours)
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "tumbler"
    return f"{' '.join(said.split()).rstrip('.')}: see `{command} --help`."


def _refuse(sentence: str) -> int:
    with contextlib.suppress(OSError):  # nobody is left to be told
        print(sentence, file=sys.stderr)
    return BAD_INPUT


def _lost_output(error: OSError) -> int:
    with open(os.devnull, "wb") as nowhere:  # so that Python's own flush at the end does not fail
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):  # as with `| head`: it has seen enough
        return READER_GONE
    return _refuse(f"The output cannot be written ({error.strerror}): make room, or send it elsewhere.")
