"""Which processes have a device open: what /proc of Linux says; elsewhere nothing."""

import os
import re
from pathlib import Path

PROC = Path("/proc")
SHOWN = 60


def holders(device: str, proc: Path = PROC) -> list[str]:
    """Each other process that has `device` open, as `process 4711 (tumbler run --target auto)`; of other users' ones
    only what this user may see."""
    try:
        wanted = os.path.realpath(device)
        numbers = sorted(int(entry.name) for entry in proc.iterdir() if entry.name.isdigit())
    except OSError:
        return []
    return [
        f"process {number} ({_command(proc / str(number))})"
        for number in numbers
        if number != os.getpid() and _has_open(proc / str(number), wanted)
    ]


def _has_open(process: Path, wanted: str) -> bool:
    try:
        return any(os.readlink(handle) == wanted for handle in (process / "fd").iterdir())
    except OSError:  # it ended meanwhile, or is another user's
        return False


def _command(process: Path) -> str:
    try:
        words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return "ended"
    if len(words) > 1 and "python" in words[0]:
        words = words[1:]
    words[0] = os.path.basename(words[0])
    said = re.sub(r"://\S*@", "://…@", " ".join(words).strip())  # the URL of a database may hold a password
    return said if len(said) <= SHOWN else said[: SHOWN - 1] + "…"
