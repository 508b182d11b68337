"""The command `tumbler verify`: reads logs and stores, says what they hold and what was damaged first."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from host_tools import keys
from host_tools.capture.names import captures
from host_tools.errors import UserError
from host_tools.progress import bytes_read, waiting
from host_tools.settler import paytable as paytables
from host_tools.verify.audit import Audit, BoardAudit, Damage
from host_tools.verify.bench_report import wrong_logs
from host_tools.verify.logs import KeyOf, audit_logs, check_log, in_folder
from host_tools.words import plural

DAMAGED = 1


def verify(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Captured logs in the order in which they were made, the folder of a run, a capture or a bench, or a "
            "store's URL",
            metavar="LOG...|FOLDER|STORE",
        ),
    ],
    key: Annotated[
        Path | None, typer.Option(help="The board's key file; without it, the key kept on this host", metavar="FILE")
    ] = None,
    paytable: Annotated[
        list[str] | None,
        typer.Option(help="Of rounds in a store that no bundled paytable settled; once for each", metavar="FILE"),
    ] = None,
) -> None:
    """Check the chain and the totals of logs or of a store, and name the first record that is damaged.

    A store's rounds are compared with its records and settled once more, a bench's logs with its report. Ends with 0
    when all is whole, 1 when a record was edited, spliced in, dropped, re-ordered, replayed or cut off, a log of a
    bench is missing or altered, or money does not follow; 2 when it cannot be judged. Simulated and emulated boards
    need no key.
    """
    console = Console()
    key_of = _keys(key)
    if any("://" in source for source in sources):
        if len(sources) > 1:
            raise UserError("A store is verified alone: give its URL and nothing else, and the logs in another call.")
        _verify_store(console, sources[0], key_of, paytable or [])
        return
    logs = [Path(source) for source in sources]
    is_folder = any(os.path.isdir(source) for source in sources)
    if is_folder and len(sources) > 1:
        raise UserError("A folder is verified alone: give it and nothing else, or name the logs in it.")
    wrong = wrong_logs(logs[0]) if is_folder else []
    try:
        damage = _judge_logs(console, in_folder(logs[0]) if is_folder else captures(logs), key_of, all_there=not wrong)
    except UserError as error:
        if not wrong:
            raise
        _say(console, str(error))  # what is missing matters more
        damage = None
    for sentence in wrong:
        _say(console, f"{sentence}.", "bold red")
    if damage is not None:
        _tell(console, damage)
    if wrong or damage is not None:
        raise typer.Exit(DAMAGED)


def _judge_logs(console: Console, captured: Sequence[Sequence[Path]], key_of: KeyOf, all_there: bool) -> Damage | None:
    """Say what the captures hold -> the first damage. Raises UserError for what cannot be judged."""
    total = sum(check_log(path) for parts in captured for path in parts)
    with bytes_read("Reading", total) as advance:
        audit = audit_logs(captured, key_of, advance)
    audit.end()
    _show(console, audit, all_there)
    return audit.first_damage()


def _verify_store(console: Console, url: str, key_of: KeyOf, given: Sequence[str]) -> None:
    # The database takes most of a second to import.
    from host_tools.verify.stores import check_store

    known = [paytables.load(name) for name in given]
    with waiting("Reading the store"):
        found = check_store(url, key_of, known)
    counts = (
        plural(found.records, "record", "records"),
        plural(found.rounds, "round", "rounds"),
        plural(found.settlements, "settlement", "settlements"),
    )
    verdict = "DAMAGED" if found.damages else "not judged" if found.unknown else "whole"
    _say(console, f"{', '.join(counts)}: {verdict}")
    for gap in found.gaps:
        records = f"record {gap.first} is" if gap.first == gap.last else f"records {gap.first} to {gap.last} are"
        answered = f"{gap.confirmed_by} answered for that, {gap.confirmed_at:%Y-%m-%d %H:%M:%S}"
        _say(console, f"Board {gap.dev}: {records} not in this store, a named gap: {answered}.", "yellow")
    for damage in found.damages:
        _tell(console, damage)
    if found.damages:
        raise typer.Exit(DAMAGED)
    if found.unknown:
        first, others = found.unknown[0], len(found.unknown) - 1
        raise UserError(
            f"Round {first.round} of board {first.dev} was settled under paytable {first.paytable} (hash "
            f"{first.hash[:12]}), which is not here, so its amounts cannot be judged, nor those of "
            f"{plural(others, 'other round', 'other rounds')}: give its file with --paytable."
        )


def _keys(file: Path | None) -> KeyOf:
    if file is None:
        return keys.board_key
    given = keys.read_key(file)
    return lambda dev: keys.TEST_KEY if keys.not_for_play(dev) else given


def _show(console: Console, audit: Audit, all_there: bool) -> None:
    for board in audit.boards.values():
        _say(console, _summary(board, all_there))
    if audit.bad_lines or audit.noise_bytes:
        noise = plural(audit.noise_bytes, "byte", "bytes")
        _say(console, f"{plural(audit.bad_lines, 'broken line', 'broken lines')}, {noise} outside ledger lines")
    for board in audit.boards.values():
        for note in _notes(board):
            _say(console, note, "yellow")


def _summary(board: BoardAudit, all_there: bool) -> str:
    if not board.records:
        return f"Board {board.dev}: no records"
    counts = (
        f"{plural(board.records, 'record', 'records')}, seq {board.first.seq} to {board.last_seq}",
        plural(len(board.boots), "start", "starts"),
        f"{board.again} sent again",
        f"{plural(board.meters, 'meter', 'meters')} compared",
    )
    return f"Board {board.dev}: {', '.join(counts)}: {'whole' if all_there and board.damage is None else 'DAMAGED'}"


def _notes(board: BoardAudit) -> Sequence[str]:
    """What is no damage by itself and not proven either."""
    notes = []
    if board.records and board.first.seq > 1:
        notes.append(
            f"Board {board.dev}: record {board.first.boot}:{board.first.seq} is the first here; what it says is proven "
            f"only together with the log that holds record {board.first.seq - 1}."
        )
    if board.damage is None and board.written > board.last_seq:
        notes.append(
            f"Board {board.dev}: it had written records up to seq {board.written}, the last one here is "
            f"{board.last_seq}: the capture was stopped before they came, or its end was cut off."
        )
    return notes


def _tell(console: Console, damage: Damage) -> None:
    identity = f"{damage.seq}" if damage.boot is None else f"{damage.boot}:{damage.seq}"
    board = f"board {damage.dev}" if damage.dev else "the store"
    record = f"record {identity} of {board}" if damage.seq else board
    where = f"{damage.place}: " if damage.place else ""
    _say(console, f"{where}{record} is {damage.kind}: {damage.why}.", "bold red")


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style), soft_wrap=True)
