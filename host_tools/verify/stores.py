"""Checks a store against itself: each board's chain, what is in force for each round, each settlement, the odds."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, RowMapping, and_, cast, or_, select, union

from host_tools.settler.amounts import MAX_STAKE_CENTS
from host_tools.settler.paytable import Paytable
from host_tools.settler.taisai import check_dice
from host_tools.store import settling
from host_tools.store.alarms import NamedGap, named_gaps
from host_tools.store.database import Database
from host_tools.store.rows import Round
from host_tools.store.schema import adjustments, records, rounds, settlements, wagers, withdrawals
from host_tools.verify.audit import Damage
from host_tools.verify.board_records import ROUND, BoardRecords
from host_tools.verify.logs import KeyOf
from host_tools.verify.settled import SETTLEMENT, NotHere, Settled, bundled
from host_tools.verify.stored_odds import odds_damage


class Checked(NamedTuple):
    """What was found: counts, the damages in the order in which they were met, rounds whose amounts cannot be judged
    because their paytable is not here, and what is missing by a named gap."""

    records: int
    rounds: int
    settlements: int
    damages: list[Damage]
    unknown: list[NotHere]
    gaps: list[NamedGap]


def check_store(url: str, key_of: KeyOf, given: Sequence[Paytable] = ()) -> Checked:
    """Read the whole store; `given`: paytables besides the bundled ones. Raises UserError as Database and key_of()."""
    paytables = {paytable.hash: paytable for paytable in (*bundled(), *given)}
    database = Database(url, make=False)
    try:
        with database.reading() as connection:
            return _check(connection, key_of, paytables)
    finally:
        database.close()


def _check(connection: Connection, key_of: KeyOf, paytables: dict[str, Paytable]) -> Checked:
    damages: list[Damage] = []
    unknown: list[NotHere] = []
    counts = [0, 0, 0]
    with_records = set(connection.scalars(select(records.c.dev).distinct()))
    devs = with_records.union(connection.scalars(select(rounds.c.dev).distinct()))
    for dev in sorted(devs):
        board = BoardRecords(connection, dev, key_of(dev)) if dev in with_records else None
        broken = board.check() if board is not None else []
        damages += broken
        missing = set() if board is None else board.rounds()
        settled = Settled(connection, board is not None and board.may_wait(), paytables)
        of_dev = select(rounds).where(rounds.c.dev == dev).order_by(rounds.c.round)
        for row in connection.execute(of_dev).mappings().all():
            counts[1] += 1
            missing.discard(row["round"])
            round_ = _round(row)
            if isinstance(round_, Damage):
                damages.append(round_)
                continue
            damages += _round_damage(board, bool(broken), round_)
            damages += settled.check(round_)
        unknown += settled.unknown
        counts[2] += settled.count
        if board is not None:
            counts[0] += board.count
            if not broken:
                damages += [board.round_gone(number) for number in sorted(missing) if not board.was_refused(number)]
    damages += _stakes(connection)
    damages += _astray(connection)
    damages += odds_damage(connection, paytables)
    return Checked(counts[0], counts[1], counts[2], damages, unknown, named_gaps(connection))


def _round(row: RowMapping) -> Round | Damage:
    try:
        round_ = settling.round_from(row)
        if round_.dice is not None:
            check_dice(round_.dice)
    except (TypeError, ValueError):
        why = f"round {row['round']} has dice {row['dice']!r}, which are none"
        return Damage(ROUND, row["dev"], row["boot"], row["seq"], None, why)
    return round_


def _round_damage(board: BoardRecords | None, broken: bool, round_: Round) -> list[Damage]:
    """What is in force is known of a whole chain alone."""
    if board is None:
        why = f"no record of board {round_.dev} is there, and its round {round_.round} is"
    else:
        why = "" if broken else board.round_differs(round_)
    return [Damage(ROUND, round_.dev, round_.boot, round_.seq, None, why)] if why else []


def _stakes(connection: Connection) -> Iterator[Damage]:
    """Stakes that no wager has. The database refuses them, but not from who told it not to look, and a loser's stake
    is in no settlement."""
    stake = wagers.c.stake_cents
    impossible = or_(stake < 1, stake > MAX_STAKE_CENTS, stake != cast(stake, BigInteger))
    of_round = and_(rounds.c.dev == wagers.c.dev, rounds.c.round == wagers.c.round)
    query = select(wagers.c.dev, wagers.c.round, rounds.c.boot, rounds.c.seq, wagers.c.wager_id, stake)
    query = query.join_from(wagers, rounds, of_round).where(impossible)
    for dev, number, boot, seq, wager_id, cents in connection.execute(query).all():
        what = (
            f", {cents} cents, is not from 1 to {MAX_STAKE_CENTS}" if isinstance(cents, int) else " is no whole cents"
        )
        yield Damage(SETTLEMENT, dev, boot, seq, None, f"round {number}: stake of wager {wager_id}{what}")


def _astray(connection: Connection) -> Iterator[Damage]:
    """Rows that name one which is not there. The database refuses them, but not from who told it not to look."""
    of_round = (wagers.c.dev, wagers.c.round), (adjustments.c.dev, adjustments.c.round)
    named = union(*(select(*columns) for columns in of_round)).subquery()
    no_round = ~select(rounds.c.dev).where(rounds.c.dev == named.c.dev, rounds.c.round == named.c.round).exists()
    for dev, number in connection.execute(select(named).where(no_round)):
        yield Damage(ROUND, dev, None, 0, None, f"wagers or adjustments of round {number} are there, and it is not")
    entry = settlements.c
    key = ("dev", "round", "wager_id")
    withdrawn = select(*(withdrawals.c[name] for name in key))
    of_wager = select(wagers.c.dev).where(*(wagers.c[name] == withdrawals.c[name] for name in key))
    for dev, number, wager_id in connection.execute(withdrawn.where(~of_wager.exists())):
        yield Damage(
            ROUND, dev, None, 0, None, f"wager {wager_id} of round {number} was withdrawn, and it is not there"
        )
    wager = select(wagers.c.dev).where(*(wagers.c[name] == entry[name] for name in key))
    cause = select(records.c.dev).where(*(records.c[name] == entry[name] for name in ("dev", "boot", "seq", "round")))
    # An adjustment rests on the record that its entries name.
    above = select(adjustments.c.id).where(
        adjustments.c.id == entry.adjustment,
        *(adjustments.c[name] == entry[name] for name in ("dev", "boot", "seq", "round")),
    )
    for lacks, what in (
        (~wager.exists(), "its wager is not there"),
        (~cause.exists(), "the record that it names is none of this round"),
        (and_(entry.adjustment.is_not(None), ~above.exists()), "the adjustment that it names is none of this record"),
    ):
        query = select(*(entry[name] for name in ("id", *key, "boot", "seq"))).where(lacks).order_by(entry.id)
        for id_, dev, number, wager_id, boot, seq in connection.execute(query).all():
            why = f"round {number}: entry {id_} settles wager {wager_id}, and {what}"
            yield Damage(SETTLEMENT, dev, boot, seq, None, why)
