"""`tumbler wager`: wagers taken into the open round of a board beside its run, listed, and taken back."""

import json as json_room
import os
import secrets
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from tumbler.core import fields as F

from host_tools.errors import UserError
from host_tools.progress import bytes_read
from host_tools.settler import paytable as paytables
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import Wager
from host_tools.settler.taisai import label
from host_tools.settler.wagerfile import COLUMNS, iter_wagers, parse_wager
from host_tools.store_option import DEFAULT_STORE, By, StoreUrl, existing, host_name
from host_tools.words import composed, plural

if TYPE_CHECKING:
    from host_tools.store import Store
    from host_tools.store.listing import Listed
    from host_tools.store.staging import Imported

BETTING = "BETTING"
# A board says its status once a second.
STATUS_S = 1.2
LOOK_S = 0.02

wager_app = typer.Typer(no_args_is_help=True, help="Wagers: taken and taken back while bets are open, and listed.")

Dev = Annotated[
    str | None, typer.Option(help="The board; may be left out when one board serves a table", metavar="DEV")
]
OpenRound = Annotated[
    int | None,
    typer.Option("--round", help="Only into this round; else the one that is open", metavar="N", min=0, max=F.UINT_MAX),
]
PaytableOption = Annotated[
    str | None, typer.Option(help="Where the round's is not one of ours: its TOML file", metavar="FILE")
]


@wager_app.command("import")
def import_wagers(
    file: Annotated[Path, typer.Argument(help=f"CSV file: {','.join(COLUMNS)}", metavar="FILE")],
    dev: Dev = None,
    number: OpenRound = None,
    paytable: PaytableOption = None,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Take a file of wagers into the open round: all of it, or nothing. The same file once more changes nothing."""
    database = existing(store, dev)
    try:
        board, round_number, table = _open_round(database, dev, number, paytable)
        with bytes_read("Reading", os.path.getsize(file) if os.path.isfile(file) else 0) as advance:
            rows = iter_wagers(file, table, advance)
            done = database.place_file(
                board, round_number, rows, str(file), table, _now, lambda: _wait_for_status(database, board)
            )
        if not done.rows:
            raise UserError(f"Wager file {file} holds no wager: write one on each line below its header.")
        if done.taken:
            taken = plural(done.taken, "wager is", "wagers are")
            typer.echo(f"{taken} taken in round {round_number} of board {board}.")
        else:
            before = f"Every wager of {file} was taken in round {round_number} of board {board} before: no change"
            typer.echo(f"{before}{_withdrawn(done)}.")
    finally:
        database.close()


def _withdrawn(done: "Imported") -> str:
    if not done.withdrawn:
        return ""
    wager_id, by = done.first
    which = f"{wager_id} by {by}" + (" first" if done.withdrawn > 1 else "")
    were = plural(done.withdrawn, "of them was withdrawn and stays so", "of them were withdrawn and stay so")
    return f"; {were}, {which}: a wager that is to stand needs an id of its own"


@wager_app.command()
def add(
    player: Annotated[str, typer.Option(help="Who wagers", metavar="NAME")],
    kind: Annotated[str, typer.Option(help="On what: small, total, … as in a wager file", metavar="KIND")],
    stake: Annotated[str, typer.Option(help="The stake: 10.00", metavar="AMOUNT")],
    selection: Annotated[str, typer.Option(help="Which one of the kind: 1-6; none for small", metavar="…")] = "",
    wager_id: Annotated[
        str | None, typer.Option("--id", help="Its own id within the round; one is drawn if left out", metavar="ID")
    ] = None,
    dev: Dev = None,
    number: OpenRound = None,
    paytable: PaytableOption = None,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Take one wager into the open round and print its id."""
    database = existing(store, dev)
    try:
        board, round_number, table = _open_round(database, dev, number, paytable)
        id_ = f"w-{secrets.token_hex(4)}" if wager_id is None else wager_id
        wager = parse_wager((id_, player, kind, selection, stake), table)
        taken = database.place_wagers(board, round_number, [wager], table, _now)
        if not taken:
            _refuse_withdrawn(database, board, round_number, wager)
        said = "is taken" if taken else "was taken before, no change"
        typer.echo(f"Wager {wager.wager_id} in round {round_number} of board {board} {said}.")
    finally:
        database.close()


@wager_app.command()
def withdraw(
    wager_id: Annotated[str, typer.Argument(help="Its id, as `tumbler wager list` shows it", metavar="ID")],
    by: By,
    dev: Dev = None,
    number: OpenRound = None,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Take a wager back while bets are open. It stays in the books; its stake goes back with the round's end."""
    name, wager_id = host_name(by), composed(wager_id)
    database = existing(store, dev)
    try:
        board = _board(database, dev)
        open_number = _open_number(database, board, number)
        done = database.withdraw_wager(board, open_number, wager_id, name, _now)
        said = f"is withdrawn by {name}" if done else "was withdrawn before, no change"
        typer.echo(f"Wager {wager_id} in round {open_number} of board {board} {said}.")
    finally:
        database.close()


@wager_app.command("list")
def list_wagers(
    dev: Annotated[str | None, typer.Option(help="Only of this board", metavar="DEV")] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "--round", help="Of this round; else of the last one of each board", metavar="N", min=0, max=F.UINT_MAX
        ),
    ] = None,
    player: Annotated[str | None, typer.Option(help="Only of this player, in all rounds", metavar="NAME")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a wager, money in cents")] = False,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Wagers and what became of each: open, withdrawn, win, lose or void."""
    database = existing(store, dev)
    shown = 0
    try:
        for listed in database.list_wagers(dev, number, None if player is None else composed(player)):
            typer.echo(_json_line(listed) if json else _line(listed))
            shown += 1
    finally:
        database.close()
    if not shown and not json:
        typer.echo("No such wager is stored.")


def _line(listed: "Listed") -> str:
    from host_tools.settler.render import money

    wager = listed.wager
    ended = "" if listed.returned_cents is None else f", returned {money(listed.returned_cents)}"
    by = "" if listed.withdrawn_by is None else f", withdrawn by {listed.withdrawn_by}"
    area = label((wager.kind, wager.selection))
    return (
        f"{listed.dev}  round {listed.round}  {wager.wager_id}  {wager.player}  {area}  {money(wager.stake_cents)}  "
        f"{listed.outcome}{ended}{by}"
    )


def _json_line(listed: "Listed") -> str:
    wager = listed.wager
    return json_room.dumps(
        {
            "dev": listed.dev,
            "round": listed.round,
            "wager_id": wager.wager_id,
            "player": wager.player,
            "kind": wager.kind,
            "selection": wager.selection,
            "stake_cents": wager.stake_cents,
            "accepted_at": listed.accepted_at.isoformat(),
            "outcome": listed.outcome,
            "returned_cents": listed.returned_cents,
            "withdrawn_at": None if listed.withdrawn_at is None else listed.withdrawn_at.isoformat(),
            "withdrawn_by": listed.withdrawn_by,
        }
    )


def _refuse_withdrawn(database: "Store", dev: str, number: int, wager: Wager) -> None:
    """Raises UserError for a wager that is stored, when it was taken back: whoever adds it again wants it to stand."""
    for listed in database.list_wagers(dev, number, wager.player):
        if listed.wager == wager and listed.withdrawn_by is not None:
            raise UserError(
                f"Wager {wager.wager_id} is not taken: it was withdrawn in this round by {listed.withdrawn_by} and its "
                "stake goes back; give a new wager an --id of its own."
            )


def _wait_for_status(database: "Store", dev: str) -> None:
    """Wait for the board's next status, which comes within a second: then a large file has the whole of the lease."""
    first = database.live(dev)
    until = time.monotonic() + STATUS_S
    while database.live(dev) == first and time.monotonic() < until:
        time.sleep(LOOK_S)


def _open_round(
    database: "Store", dev: str | None, number: int | None, paytable: str | None
) -> tuple[str, int, Paytable]:
    """The board, its open round, and the paytable under which that was opened. Raises UserError."""
    board = _board(database, dev)
    open_number = _open_number(database, board, number)
    round_ = database.round(board, open_number)
    if round_ is None or round_.paytable is None:  # refused when the wagers are taken, with the reason
        return board, open_number, paytables.load(paytable or paytables.DEFAULT)
    name = paytable or round_.paytable
    if paytable is not None or name in paytables.bundled_names():
        table = paytables.load(name)
        if table.hash == round_.paytable_hash:
            return board, open_number, table
    raise UserError(
        f"Round {open_number} of board {board} was opened under paytable {round_.paytable} (hash "
        f"{(round_.paytable_hash or '')[:12]}), and no such one is {'this' if paytable else 'among ours'}: "
        "give its file with --paytable FILE."
    )


def _board(database: "Store", dev: str | None) -> str:
    """The board that was named, or the only one that serves a table."""
    if dev is not None:
        return dev
    serving = [row.dev for row in database.enrolments() if row.enrolled_to is None]
    if len(serving) == 1:
        return serving[0]
    if not serving:
        raise UserError("No board serves a table in this store: start `tumbler run`, or name another with --store.")
    raise UserError(f"Say which board's table it is, {', '.join(serving[:5])}: --dev DEV.")


def _open_number(database: "Store", dev: str, number: int | None) -> int:
    """The round that was asked for, or that the board says is open; the store proves it when wagers are taken."""
    if number is not None:
        return number
    live = database.live(dev)
    if live is None or live.state != BETTING:
        said = "said nothing yet" if live is None else f"last said {live.state} in round {live.round}"
        raise UserError(f"Board {dev} {said}, so no bets are open: try again once it says {BETTING}, with its run on.")
    return live.round


def _now() -> datetime:
    return datetime.now(timezone.utc)
