"""A store in which a board has played many rounds, written in one stroke: record by record it would take an hour."""

from sqlalchemy import insert

from host_tools.store import rows
from host_tools.store.schema import records, rounds
from tests.host.store.chain import HOIANA, at

KINDS = ("spin", "bets_open", "bets_closed", "uncovered", "result", "meter")
CHUNK = 5000


def dice_of(number):
    """What round `number` shows: all three places differ in how they come round."""
    return (1 + number % 6, 1 + number // 6 % 6, 1 + number // 5 % 6)


def play_many(database, board, count):
    """Rounds 1 to `count` of a board that has none yet; `board` goes on behind them. Their lines are no ledger lines,
    but as long: only those of boot records, voids and faults are ever read again."""
    for first in range(1, count + 1, CHUNK):
        numbers = range(first, min(first + CHUNK, count + 1))
        with database.writing() as connection:
            connection.execute(insert(records), [row for number in numbers for row in _records(board.dev, number)])
            connection.execute(insert(rounds), [_round(board.dev, number) for number in numbers])
    board.seq = count * len(KINDS)


def _records(dev, number):
    first = (number - 1) * len(KINDS) + 1
    for seq, kind in enumerate(KINDS, first):
        yield {
            "dev": dev, "boot": 1, "seq": seq, "kind": kind, "round": None if kind == "meter" else number,
            "t_ms": seq, "mac": f"{seq:032x}", "line": "." * 200, "received_at": at(0),
        }  # fmt: skip


def _round(dev, number):
    return {
        "dev": dev, "round": number, "state": "result", "dice": rows.digits(dice_of(number)), "boot": 1,
        "seq": number * len(KINDS) - 1, "paytable": HOIANA.head.name, "paytable_hash": HOIANA.hash,
        "began_at": at(0), "closed_at": at(0), "ended_at": at(0), "settled": True,
    }  # fmt: skip
