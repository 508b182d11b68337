"""Compares the odds in a store with the paytables whose hashes they have, each area settled without any SQL."""

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement

from sqlalchemy import Connection, select

from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import Wager, settle_round
from host_tools.store import odds
from host_tools.store.schema import odds as table
from host_tools.verify.audit import Damage

CHANGED = "changed"

Row = tuple[str, str, str]  # dice, kind, selection
Decided = tuple[str, int | None, int | None]  # outcome, odds_win, odds_stake


def odds_damage(connection: Connection, known: Mapping[str, Paytable]) -> Iterator[Damage]:
    """The first wrong row of each known paytable whose odds the store holds. Odds of one that is not known are judged
    with its rounds, which then are not called whole."""
    for hash_ in connection.scalars(select(table.c.paytable_hash).distinct().order_by(table.c.paytable_hash)).all():
        paytable = known.get(hash_)
        if paytable is None:
            continue
        wrong = _first_wrong(_due(paytable), _held(connection, hash_))
        if wrong is not None:
            why = f"its odds under paytable {paytable.name} (hash {paytable.short_hash}) are wrong: {wrong}"
            yield Damage(CHANGED, "", None, 0, None, why)


def _first_wrong(due: dict[Row, Decided], held: dict[Row, Decided]) -> str | None:
    for row in sorted(due.keys() | held.keys(), key=str):  # what was changed need not be text
        if due.get(row) != held.get(row):
            dice, kind, selection = row
            area = f"{kind} {selection}".rstrip()
            return (
                f"{area} at dice {dice} is {_said(held.get(row))} in the store, {_said(due.get(row))} in the paytable"
            )
    return None


def _said(decided: Decided | None) -> str:
    if decided is None:
        return "absent"
    outcome, win, stake = decided
    return outcome if win is None and stake is None else f"{outcome} at {win} to {stake}"


def _due(paytable: Paytable) -> dict[Row, Decided]:
    areas = [Wager("", "", kind, selection, 1) for kind, selection in sorted(paytable.areas)]
    due: dict[Row, Decided] = {}
    for dice in combinations_with_replacement(range(1, 7), 3):
        for made in settle_round(areas, dice, paytable):
            win, stake = (None, None) if made.odds is None else (made.odds.win, made.odds.stake)
            due[odds.key(dice), made.wager.kind, made.wager.selection] = (made.outcome, win, stake)
    return due


def _held(connection: Connection, hash_: str) -> dict[Row, Decided]:
    columns = (table.c[name] for name in ("dice", "kind", "selection", "outcome", "odds_win", "odds_stake"))
    rows = connection.execute(select(*columns).where(table.c.paytable_hash == hash_)).tuples()
    return {(dice, kind, selection): (outcome, win, stake) for dice, kind, selection, outcome, win, stake in rows}
