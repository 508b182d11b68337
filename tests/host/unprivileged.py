"""Permissions, also where the tests run as root, who may read and write everything."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

NOBODY = 65534


@contextlib.contextmanager
def not_as_root() -> Iterator[None]:
    """What stands inside is done as a user who is not root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@contextlib.contextmanager
def folder_for_all() -> Iterator[Path]:
    """A folder that every user may look into; pytest's own are for its user alone."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)
