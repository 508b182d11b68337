"""A board that lost its journal goes on under a new dev: the rounds that the old one left open are void, and the order
whose answer did not come is at its end."""

from datetime import datetime

from sqlalchemy import Connection, select, update
from tumbler.core import ledger

from host_tools.store import orders, settling
from host_tools.store.alarms import raise_alarm
from host_tools.store.rows import Made, Round
from host_tools.store.schema import boards, records, rounds


def predecessor(connection: Connection, dev: str) -> str | None:
    """The dev that the first record of `dev` says it replaces; None when it names none or did not come."""
    query = select(records.c.line).where(records.c.dev == dev, records.c.seq == 1, records.c.kind == "boot")
    line = connection.execute(query).scalar_one_or_none()
    return None if line is None else ledger.decode_device(line.encode("ascii"))["replaces"]


def first_record(connection: Connection, dev: str, at: datetime) -> tuple[Made, str]:
    """Act on the first record of `dev`: void what its predecessor left open -> the entries made, a note or "".

    Raises an alarm instead, which is the note, when the two do not belong to one table.
    """
    old = predecessor(connection, dev)
    if old is None:
        return Made(), ""
    ours, theirs = _table(connection, dev), _table(connection, old)
    if _open_rounds(connection, old) and ours != theirs:
        text = (
            f"Board {dev} says that it replaces board {old}, but it serves table {ours} and that one served {theirs}: "
            f"stakes of {old} do not go back. If it is true, enrol {dev} for table {theirs}, confirm this and start "
            "again; if not, confirm this and look for who made the record."
        )
        raise_alarm(connection, dev, "replaces", text, at)
        return Made(), text
    made = void_open(connection, dev, at)
    return made, f"Board {dev} replaces board {old}, whose journal was lost: rounds that {old} left open are void."


def void_open(connection: Connection, dev: str, at: datetime) -> Made:
    """Void the open rounds of the predecessor of `dev` if both belong to one table; all stakes go back. The order that
    was sent to it is judged by its records: no answer will come.

    Open alarms of either do not hold it up: nothing more can come from the old dev. A round that has its result stays.
    """
    old = predecessor(connection, dev)
    if old is None or _table(connection, dev) != _table(connection, old):
        return Made()
    waiting = orders.in_flight(connection, old)
    if waiting is not None:
        orders.judge(connection, waiting, at)
    made = Made()
    for round_ in _open_rounds(connection, old):
        reason = f"round voided: board {old} lost its journal, record 1 of board {dev} replaces it"
        settling.void_rest(connection, round_, reason, at)
        of_round = (rounds.c.dev == old, rounds.c.round == round_.round)
        connection.execute(update(rounds).where(*of_round).values(state="void", ended_at=at, settled=True))
        made += settling.made(connection, round_, reason)
    return made


def _open_rounds(connection: Connection, dev: str) -> list[Round]:
    query = select(rounds).where(rounds.c.dev == dev, ~rounds.c.settled, rounds.c.state.not_in(settling.FINAL))
    return [
        settling.round_from(row)
        for row in connection.execute(query.order_by(rounds.c.round).with_for_update()).mappings()
    ]


def _table(connection: Connection, dev: str) -> str | None:
    """The table that `dev` serves, or served last."""
    query = select(boards.c.table_name).where(boards.c.dev == dev).order_by(boards.c.id.desc()).limit(1)
    return connection.execute(query).scalar_one_or_none()
