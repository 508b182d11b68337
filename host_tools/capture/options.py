"""The options of the commands that capture: how files are rotated and when they are put on the disk."""

import math
from typing import Annotated

import typer

from host_tools.capture.files import Rotation, Sync
from host_tools.errors import UserError

MB = 1_000_000
HOUR_S = 3600

RotateSize = Annotated[
    float | None, typer.Option(help="Begin a new log file after so many MB, at the end of a line", metavar="MB")
]
RotateTime = Annotated[
    float | None, typer.Option(help="Begin a new log file after so many hours, at the end of a line", metavar="HOURS")
]
Fsync = Annotated[Sync, typer.Option(help="When bytes are put on the disk: with each read, once a second, at the end")]


def rotation(size_mb: float | None, hours: float | None) -> Rotation:
    """The rotation that was asked for. Raises UserError for what is not above nought."""
    for name, value in (("--rotate-size", size_mb), ("--rotate-time", hours)):
        if value is not None and not 0 < value < math.inf:
            raise UserError(f"{name} {value:g} is no size of a log file: give a number above 0, or leave it out.")
    return Rotation(
        None if size_mb is None else math.ceil(size_mb * MB),
        None if hours is None else hours * HOUR_S,
    )
