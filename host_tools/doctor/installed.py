"""What is installed here: Python, the packages that pyproject.toml pins, the unix port, the firmware's type stubs."""

import platform
import re
import sys
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path

from host_tools.doctor.findings import Finding

OLDEST_PYTHON = (3, 10)
PINNED = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==([^ ;]+)\s*(;.*)?")
STUBS = Path(__file__).resolve().parents[2] / "typings" / ".installed"
MEND = "run `make setup`"


def python(version: tuple[int, int] = sys.version_info[:2]) -> Finding:
    """The interpreter; `version` is (major, minor)."""
    says = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if version < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        return Finding("Python", says, f"Python {oldest} or newer is needed: `make setup PYTHON=python3.x` with one.")
    return Finding("Python", says)


def packages(
    required: Iterable[str] | None = None, installed: Callable[[str], str] = metadata.version
) -> list[Finding]:
    """What the program itself needs, each with the version that is there. required: as `NAME==VERSION; marker`."""
    found = []
    for text in metadata.requires("tumbler") or [] if required is None else required:
        pin = PINNED.fullmatch(text)
        if pin is None or "extra ==" in (pin[3] or ""):
            continue
        name, wanted = pin[1], pin[2]
        try:
            there = installed(name)
        except metadata.PackageNotFoundError:
            if pin[3]:  # for another Python or another computer
                found.append(Finding(name, f"not installed, for {pin[3].lstrip('; ')}"))
            else:
                found.append(Finding(name, "not installed", f"{name} {wanted} is missing: {MEND}."))
            continue
        wrong = "" if there == wanted else f"{name} is {there}, and {wanted} is what was tested: {MEND}."
        found.append(Finding(name, there, wrong))
    return found


def stubs(path: Path = STUBS) -> Finding:
    """MicroPython's types, which only `make lint` needs."""
    there = path.exists()
    return Finding("stubs of MicroPython", "installed" if there else "not installed; `make lint` fetches them")
