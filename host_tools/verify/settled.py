"""Settles the rounds of a store once more and says which of their entries and adjustments do not follow."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, select

from host_tools.errors import UserError
from host_tools.settler import paytable as paytables
from host_tools.settler.paytable import Paytable
from host_tools.settler.settle import VOID, Settlement, settle_round
from host_tools.settler.taisai import Dice, check_dice
from host_tools.store import adjusting, settling
from host_tools.store.rows import REVERSE, Adjustment, Entry, InForce, Round
from host_tools.store.schema import wagers, withdrawals
from host_tools.verify.audit import Damage

SETTLEMENT = "not what was settled"


class NotHere(NamedTuple):
    """A round whose paytable is not here, by the name and the hash that its row has."""

    dev: str
    round: int
    paytable: str | None
    hash: str


def bundled() -> list[Paytable]:
    """All paytables that come with the program."""
    return [paytables.load(name) for name in paytables.bundled_names()]


class Settled:
    """The settlements of one dev, round by round."""

    def __init__(self, connection: Connection, may_wait: bool, known: dict[str, Paytable]) -> None:
        """`may_wait`: a round may be at its end and not settled yet; `known`: paytables by their hash."""
        self._connection, self._may_wait, self._known = connection, may_wait, known
        self.count = 0
        self.unknown: list[NotHere] = []

    def check(self, round_: Round) -> list[Damage]:
        """Everything in the round that does not follow from what is in force."""
        found = settling.entries(self._connection, round_.dev, round_.round)
        self.count += len(found)
        return [
            Damage(SETTLEMENT, round_.dev, round_.boot, round_.seq, None, f"round {round_.round}: {why}")
            for why in self._wrong(round_, found)
        ]

    def _wrong(self, round_: Round, found: list[Entry]) -> Iterator[str]:
        no_money = [entry for entry in found if not _is_money(entry)]
        if no_money:
            yield f"stake or amounts of wager {no_money[0].settlement.wager.wager_id} are no whole cents"
            return
        try:
            made = adjusting.of_round(self._connection, round_.dev, round_.round)
            for adjustment in made:
                check_dice(adjustment.dice or (1, 1, 1))
        except (TypeError, ValueError):
            yield "an adjustment of it has dice that are none"
            return
        standing: dict[str, Entry] = {}
        yield from _paired(found, standing)
        astray = list(_adjusted_wrong(round_, made))
        yield from astray
        if astray:
            return
        if round_.settled:
            yield from self._settled_wrong(round_, made, standing)
        elif round_.state in settling.FINAL:
            if not self._may_wait:
                yield f"its {round_.state} is in force, it is marked as not settled, and no alarm says why"
        elif not made:  # what the host decided stands until the round's end
            for wager_id, entry in standing.items():
                if not _is_void(entry.settlement):
                    yield f"wager {wager_id} is settled, and the round has no end"

    def _settled_wrong(self, round_: Round, made: list[Adjustment], standing: dict[str, Entry]) -> Iterator[str]:
        if round_.adjustment is None and round_.state not in settling.FINAL:
            yield "it is marked as settled and has no end"
            return
        by_id = {adjustment.id: adjustment for adjustment in made}
        dice = None if round_.state == "void" else round_.dice
        if round_.adjustment is not None:
            dice = by_id[round_.adjustment].dice
        # Such stakes stay back, whatever the board says of the round when it comes again.
        given_back = any(adjustment.dice is None for adjustment in made)
        paytable = self._known.get(round_.paytable_hash or "")
        of_round = (wagers.c.dev == round_.dev, wagers.c.round == round_.round)
        withdrawn = and_(*(withdrawals.c[name] == wagers.c[name] for name in ("dev", "round", "wager_id")))
        query = select(wagers.c.wager_id, wagers.c.accepted_at, withdrawals.c.withdrawn_at)
        query = query.select_from(wagers.outerjoin(withdrawals, withdrawn)).where(*of_round).order_by(wagers.c.place)
        for wager_id, accepted_at, withdrawn_at in self._connection.execute(query).all():
            void = given_back or dice is None or _taken_back(round_, accepted_at, withdrawn_at)
            entry = standing.get(wager_id)
            if entry is None:
                yield f"wager {wager_id} is not settled"
            elif void or dice is None:
                if not _is_void(entry.settlement):
                    yield f"wager {wager_id} is void, and its entry {entry.id} is not"
            elif (entry.boot, entry.seq, entry.adjustment) != (round_.boot, round_.seq, round_.adjustment):
                yield f"entry {entry.id} of wager {wager_id} does not name what is in force"
            elif round_.paytable_hash is None:
                yield f"wager {wager_id} was taken, and the round names no paytable"
            elif paytable is None:
                self.unknown.append(NotHere(round_.dev, round_.round, round_.paytable, round_.paytable_hash))
                return
            else:
                yield from _wager_wrong(entry, dice, paytable)


def _taken_back(round_: Round, accepted_at: datetime, withdrawn_at: datetime | None) -> bool:
    """Whether the wager was accepted too late, or withdrawn in time."""
    if round_.closed_at is None:
        return withdrawn_at is not None
    return accepted_at >= round_.closed_at or (withdrawn_at is not None and withdrawn_at < round_.closed_at)


def _is_money(entry: Entry) -> bool:
    made = entry.settlement
    return all(isinstance(cents, int) for cents in (made.wager.stake_cents, made.won_cents, made.returned_cents))


def _is_void(made: Settlement) -> bool:
    return made == Settlement(made.wager, VOID, None, 0, made.wager.stake_cents)


def _paired(found: list[Entry], standing: dict[str, Entry]) -> Iterator[str]:
    """Match each reversing entry with what it names; fills `standing` with what is left, by wager."""
    by_id = {entry.id: entry for entry in found}
    for entry in found:
        wager_id = entry.settlement.wager.wager_id
        if entry.entry != REVERSE:
            if wager_id in standing:
                yield f"wager {wager_id} has two entries that stand"
            standing[wager_id] = entry
            continue
        reversed_ = by_id.get(entry.reverses or 0)
        if reversed_ is None or not _cancels(reversed_.settlement, entry.settlement):
            yield f"entry {entry.id} does not reverse what it names"
        standing.pop(wager_id, None)


def _cancels(made: Settlement, back: Settlement) -> bool:
    amounts = (made.won_cents, made.returned_cents)
    return made.wager == back.wager and amounts == (-back.won_cents, -back.returned_cents)


def _adjusted_wrong(round_: Round, made: list[Adjustment]) -> Iterator[str]:
    """Adjustments that do not explain what stands: each is the one in force, was replaced by a later one, or rests on
    a record that is in force no more."""
    replaced = {adjustment.replaces for adjustment in made}
    record = InForce((round_.boot, round_.seq), None)
    for adjustment in made:
        stands = (adjustment.boot, adjustment.seq) == record.record and adjustment.id not in replaced
        if stands and adjustment.id != round_.adjustment:
            yield f"adjustment a{adjustment.id} stands above {record}, and the round does not name it"
        elif adjustment.id == round_.adjustment and not stands:
            yield f"adjustment a{adjustment.id}, which it names, does not stand above {record}"
    if round_.adjustment is not None and all(adjustment.id != round_.adjustment for adjustment in made):
        yield f"adjustment a{round_.adjustment}, which it names, is not there"


def _wager_wrong(entry: Entry, dice: Dice, paytable: Paytable) -> Iterator[str]:
    made = entry.settlement
    try:
        due = settle_round([made.wager], dice, paytable)[0]
    except UserError:
        yield f"wager {made.wager.wager_id} is on nothing that paytable {paytable.name} covers"
        return
    if due != made:
        right, wrong = (f"{one.outcome}, {one.returned_cents} cents returned" for one in (due, made))
        yield f"wager {made.wager.wager_id} is {right}; its entry {entry.id} says {wrong}"
