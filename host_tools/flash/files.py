"""The files of a board at its raw REPL: what is there, what has to change, and each change so that a cut does no harm.

The application starts from main.py. So main.py goes first and comes back last: a board that is cut off half-way starts
nothing, its relay off, and the next run of the tool goes on. A file is written beside its place under another name and
renamed once its hash was found right; the rename is one step in littlefs.
"""

import ast
import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from host_tools.errors import UserError
from host_tools.image import BLOCK_BYTES
from host_tools.provision import Console
from host_tools.repl import Refused

MAIN = "main.py"
NEW = ".new"  # behind a file's name while it is written: no module, and not part of the firmware hash
OURS = "tumbler/"  # in there every file is the firmware's, also one of an older one
CODE = (".py", ".mpy")  # what counts in the firmware hash
CHUNK_BYTES = 768  # 1 KiB as base64
KEPT_BLOCKS = 4  # for directories that grow

HELPERS = """
import os, hashlib
from binascii import a2b_base64
def _hash(path):
    digest, buf = hashlib.sha256(), memoryview(bytearray(1024))
    with open(path, "rb") as f:
        n = f.readinto(buf)
        while n:
            digest.update(buf[:n])
            n = f.readinto(buf)
    return digest.digest().hex()
def _list(path):
    for entry in os.ilistdir(path or "/"):
        name = path + "/" + entry[0]
        if entry[1] != 0x4000:
            code = name.endswith(".py") or name.endswith(".mpy")
            print(repr((name[1:], os.stat(name)[6], _hash(name) if code else "")))
        elif name != "/guards":
            _list(name)
def _close(new, place, right):
    f.close()
    if _hash(new) == right:
        os.rename(new, place)
        print("whole")
def _make(path):
    try:
        os.mkdir(path)
    except OSError as e:
        if e.args[0] != 17:
            raise
"""


Told = Callable[[str, int, int], object]  # path, bytes written, bytes in all


@dataclass(frozen=True)
class There:
    """One file on the board: its size in bytes and, of code, its SHA-256 in hex."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Plan:
    """What has to be done, in this order: remove, then write. Empty lists: the board has all of it."""

    remove: list[str]
    write: list[str]


def list_files(console: Console) -> dict[str, There]:
    """Path -> file of the whole file system but the guards."""
    said = console.run(HELPERS + "_list('')")
    listed = [ast.literal_eval(line) for line in said.splitlines()]
    return {path: There(size, digest) for path, size, digest in listed}


def refuse_foreign(there: Iterable[str], files: Mapping[str, bytes], ours: str = OURS) -> None:
    """Raises UserError for code that is not ours: it would be started, or counted in the firmware hash. ours: the
    folder whose files are."""
    code = [path for path in there if path.endswith(CODE)]
    foreign = [path for path in code if path not in files and not path.startswith(ours)]
    if not any(path.startswith(ours) for path in code):
        foreign += [path for path in code if path == MAIN]
    if foreign:
        shown = ", ".join(sorted(foreign)[:5])
        raise UserError(
            f"The board holds another program ({shown}): is it the right port? If the program may go, remove it with "
            f"`mpremote fs rm :{min(foreign)}`; a terminal can also get an image, by `tumbler image`."
        )


def make_plan(files: Mapping[str, bytes], there: Mapping[str, There], ours: str = OURS) -> Plan:
    """What makes the board hold exactly `files` (path -> bytes) as its code; in `ours` nothing else stays."""
    write = [path for path, data in files.items() if path not in there or there[path].sha256 != sha256(data)]
    half = {path + NEW for path in files}
    stale = [path for path in there if path in half or (path.startswith(ours) and path not in files)]
    write.sort(key=lambda path: (path == MAIN, path != "boot.py", path))
    remove = sorted(stale)
    if MAIN in there and (stale or any(path != MAIN for path in write)):
        remove.insert(0, MAIN)
        write = [path for path in write if path != MAIN] + [MAIN]
    return Plan(remove, write)


def refuse_full(files: Mapping[str, bytes], there: Mapping[str, There], plan: Plan, free_blocks: int) -> None:
    """Raises UserError if the file system has no room for a step of the plan, before the first one is done."""
    free = free_blocks - KEPT_BLOCKS + sum(_blocks(there[path].size) for path in plan.remove)
    for path in plan.write:
        if _blocks(len(files[path])) > free:
            needed = sum(_blocks(len(files[path])) for path in plan.write)
            raise UserError(
                f"The board's flash is full, {needed} blocks are to be written and {max(0, free_blocks)} are free: "
                "remove files that are not of the firmware (`mpremote fs ls`); no file of it was changed."
            )
        old = 0 if path in plan.remove or path not in there else _blocks(there[path].size)
        free += old - _blocks(len(files[path]))


def carry_out(console: Console, files: Mapping[str, bytes], plan: Plan, told: Told) -> None:
    """Do what the plan says; told() hears of each file's progress. Raises UserError."""
    console.run(HELPERS)
    for path in plan.remove:
        console.run(f"os.remove({'/' + path!r})")
    make_folders(console, "", plan.write)
    for path in plan.write:
        write_file(console, "/" + path, files[path], told)


def make_folders(console: Console, root: str, paths: Sequence[str]) -> None:
    """The folders of these paths below `root`; HELPERS ran before."""
    folders = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}
    for folder in sorted(folders):
        console.run(f"_make({f'{root}/{folder}'!r})")


def write_file(console: Console, place: str, data: bytes, told: Told) -> None:
    """Write one file, which is not empty, beside its place, compare its hash, rename it; HELPERS ran before. Raises
    UserError."""
    new = place + NEW
    last = (len(data) - 1) // CHUNK_BYTES * CHUNK_BYTES
    said = ""
    try:
        for at in range(0, len(data), CHUNK_BYTES):
            begin = f"f = open({new!r}, 'wb')\n" if at == 0 else ""
            chunk = base64.b64encode(data[at : at + CHUNK_BYTES]).decode("ascii")
            end = f"\n_close({new!r}, {place!r}, {sha256(data)!r})" if at == last else ""
            said = console.run(f"{begin}f.write(a2b_base64('{chunk}')){end}")
            told(place[1:], min(at + CHUNK_BYTES, len(data)), len(data))
    except Refused as error:
        if re.search(r"\b28\b", error.why):  # ENOSPC
            raise UserError(
                f"The board's flash is full, {place[1:]} finds no room: remove files that are not of the firmware "
                "(`mpremote fs ls`) and run the same command again; until then the board starts nothing."
            ) from None
        raise
    if said != "whole":
        raise UserError(f"{place[1:]} did not reach the board's flash as it was sent: run the same command again.")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _blocks(size: int) -> int:
    return -(-size // BLOCK_BYTES)
