"""`tumbler provision`: a board gets guards, a dev and a key, once; or its journal is guarded again, whatever was lost.

The key is drawn here, kept in a file that only its owner reads, and sent over the serial line alone.
"""

import re
import secrets
from dataclasses import dataclass
from typing import Annotated, Protocol

import typer

from host_tools import keys
from host_tools.boards import Board, load_board
from host_tools.errors import UserError

IMPORT = "from tumbler.hw import provision\n"
LOOK = re.compile(r"([a-z0-9_]{1,24}) ([0-9a-f]{16}) ([a-z0-9-]{1,21}) ([01]) ([0-9]{1,4})")


class Console(Protocol):
    """What runs code on a board -> what it printed. Raises Refused where that fails, Lost when the board is gone
    (host_tools/repl.py)."""

    def run(self, code: str) -> str: ...


@dataclass(frozen=True)
class Found:
    """What is on a board: its chip's id (16 hex), its dev ("" if none), whether its guards hold, and how many sectors
    of an identity or a journal lie where none belong."""

    chip: str
    dev: str
    guarded: bool
    strangers: int


def look(console: Console, board: Board) -> Found:
    """Raises UserError: another board, or no answer of our firmware."""
    said = console.run(IMPORT + "provision.look()")
    match = LOOK.fullmatch(said)
    if match is None:
        raise UserError("What answers there is not this firmware: put the image for the board onto it first.")
    name, chip, dev, guarded, strangers = match.groups()
    if name != board.name:
        raise UserError(f"The firmware there is for board {name}, not {board.name}: give --board {name}.")
    return Found(chip, "" if dev == "-" else dev, guarded == "1", int(strangers))


def give_identity(console: Console, board: Board) -> str:
    """Provision what answers at the console -> what was done, a sentence. Raises UserError."""
    found = look(console, board)
    refuse_strangers(found)
    if found.dev and found.guarded:
        raise UserError(f"The board is provisioned already, as {found.dev}: its identity stays, nothing was changed.")
    guard(console, found)
    if found.dev:
        return f"Board {found.dev}: its journal is guarded again."
    dev = give(console, board, found)
    return f"Board {dev} is provisioned; its key is in {keys.key_path(dev)}. Next: tumbler enrol {dev} --table NAME."


def refuse_strangers(found: Found) -> None:
    """Raises UserError where a journal or an identity lies that the firmware would not find, and could write over."""
    if found.strangers:
        raise UserError(
            f"The flash holds {found.strangers} sectors of a journal or an identity that this firmware would not find: "
            "put a firmware with the same [journal] sectors onto the board; nothing was changed."
        )


def guard(console: Console, found: Found) -> None:
    """Have guards own the board's sectors, if they do not. Raises UserError."""
    if not found.guarded and console.run(IMPORT + "provision.guard()") != "guarded":
        raise UserError(
            "A file on the board lies where its journal belongs: put the image for the board onto it, "
            "and provision before anything else is copied there."
        )


def give(console: Console, board: Board, found: Found) -> str:
    """Draw an identity, keep its key on this computer, give both to the board -> its dev. Raises UserError."""
    dev = f"{found.chip}-{secrets.token_hex(2)}"
    key = secrets.token_bytes(keys.KEY_BYTES)
    path = keys.keep_new_key(dev, key)  # first: no key is ever on a board alone
    console.run(f"{IMPORT}provision.here().give({dev!r}, bytes.fromhex({key.hex()!r}))")
    if look(console, board).dev != dev:
        raise UserError(f"The board did not take its identity {dev}: try again; remove the key file {path}.")
    return dev


def provision(
    port: Annotated[str, typer.Option(help="The serial port of a board in maintenance", metavar="PORT")],
    board: Annotated[str, typer.Option(help="A board's name or a .toml file", metavar="NAME|FILE")],
) -> None:
    """Give a board in maintenance its identity, once; or guard its journal again after its filesystem was made anew."""
    from host_tools.repl import Repl  # mpremote takes a while

    loaded = load_board(board)
    with Repl(port) as console:
        typer.echo(give_identity(console, loaded))
