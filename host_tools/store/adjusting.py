"""The host's adjustments: another decision on a round that its board can correct no more, settled in the same step."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from host_tools.errors import UserError
from host_tools.settler.taisai import Dice
from host_tools.store import rows, settling
from host_tools.store.alarms import settling_stopped
from host_tools.store.ingest import betting_proven_until, find_round
from host_tools.store.rows import Adjustment, InForce, Made, Round, Settler
from host_tools.store.schema import adjustments, boards, rounds


def adjust(
    connection: Connection,
    dev: str,
    number: int,
    in_force: InForce,
    dice: Dice | None,
    reason: str,
    by: str,
    settler: Settler,
    at: datetime,
) -> Made:
    """As Store.adjust, inside the caller's transaction."""
    rows.check_reason(reason)
    round_ = find_round(connection, dev, number, lock=True)
    if round_ is None:
        raise UserError(f"Board {dev} has no round {number} in this store: see `tumbler rounds`.")
    if settling_stopped(connection, dev):
        raise UserError(f"Settling of board {dev} is stopped by an open alarm: have it confirmed first.")
    standing = None if round_.adjustment is None else find(connection, round_.adjustment)
    _check(connection, round_, standing, in_force, dice)
    made = {"dev": dev, "round": number, "boot": round_.boot, "seq": round_.seq, "replaces": round_.adjustment}
    made |= {"dice": None if dice is None else rows.digits(dice), "reason": reason, "by": by, "adjusted_at": at}
    id_ = connection.execute(insert(adjustments).values(made).returning(adjustments.c.id)).scalar_one()
    of_round = (rounds.c.dev == dev, rounds.c.round == number)
    # The time of closing is missing where the closing lies in a named gap or came out of its order.
    round_ = round_._replace(adjustment=id_, closed_at=round_.closed_at or betting_proven_until(round_))
    connection.execute(update(rounds).where(*of_round).values(adjustment=id_, closed_at=round_.closed_at))
    why = None if dice is not None else f"round voided by the host's adjustment {InForce(None, id_)}: {reason}"
    settling.settle(connection, round_, dice, why, settler, at)
    return settling.made(connection, round_)


def find(connection: Connection, id_: int) -> Adjustment:
    """The adjustment of that number, which is there."""
    return next(iter(_select(connection, adjustments.c.id == id_)))


def of_round(connection: Connection, dev: str, number: int) -> list[Adjustment]:
    """All adjustments of a round, those that no longer stand too, oldest first."""
    return _select(connection, adjustments.c.dev == dev, adjustments.c.round == number)


def _select(connection: Connection, *where: Any) -> list[Adjustment]:
    query = select(adjustments).where(*where).order_by(adjustments.c.id)
    found = connection.execute(query).mappings()
    return [Adjustment(**{**row, "dice": rows.dice(row["dice"])}) for row in found]


def _check(
    connection: Connection, round_: Round, standing: Adjustment | None, in_force: InForce, dice: Dice | None
) -> None:
    """Raises UserError unless `in_force` is what stands, it is not final, the board's time for it is over, and the
    adjustment would change something."""
    what = f"Round {round_.round} of board {round_.dev}"
    if in_force != round_.in_force:
        raise UserError(f"{what}: {round_.in_force} is in force, not {in_force}: look at `tumbler rounds` again.")
    now = round_.dice if standing is None else standing.dice
    if round_.state == "void" or (standing is not None and standing.dice is None):
        raise UserError(f"{what} is void, and a void is final: its stakes went back and stay back.")
    if _board_can(connection, round_):
        raise UserError(
            f"{what} is the last one of its board, which can still end or correct it: use the keys or `tumbler order`, "
            "or wait for the next spin."
        )
    if dice is not None and now is not None and sorted(dice) == sorted(now):
        raise UserError(f"{what} has these dice already: there is nothing to adjust.")


def _board_can(connection: Connection, round_: Round) -> bool:
    """Whether the board may still write a record of this round: it is its last one, and it serves a table."""
    last = connection.execute(select(func.max(rounds.c.round)).where(rounds.c.dev == round_.dev)).scalar_one()
    serves = select(boards.c.id).where(boards.c.dev == round_.dev, boards.c.enrolled_to.is_(None))
    return round_.round == last and connection.execute(serves).first() is not None
