"""Settling: from dice, wagers and a paytable to what each wager won and what goes back, in integer cents."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from host_tools.errors import UserError
from host_tools.settler.game import LOSE, TIE, WIN, Odds, Verdict
from host_tools.settler.paytable import Paytable
from host_tools.settler.taisai import Dice

VOID = "void"
"""Not decided by the game: the round counts for nothing, and the stake goes back."""


class Wager(NamedTuple):
    """One wager: `selection` in canonical form, `stake_cents` over 0."""

    wager_id: str
    player: str
    kind: str
    selection: str
    stake_cents: int


class Settlement(NamedTuple):
    """One settled wager.

    `outcome` is win, lose, tie or void; `odds` are those that paid, None unless it won; `won_cents` is the pay without
    the stake; `returned_cents` is all that goes to the player: pay and stake of a winner, the stake of a tie or a void,
    else 0.
    """

    wager: Wager
    outcome: str
    odds: Odds | None
    won_cents: int
    returned_cents: int

    @property
    def breakage_cents(self) -> Fraction:
        """What rounding the pay down to a whole cent left with the house: at least 0, less than 1."""
        if self.odds is None:
            return Fraction(0)
        return Fraction(self.wager.stake_cents * self.odds.win % self.odds.stake, self.odds.stake)


class Totals(NamedTuple):
    """Sums over settlements, in cents: staked + paid = returned + kept.

    `paid` is the pay of the winners without their stakes, `kept` the stakes of the losers, `breakage` the parts of a
    cent by which the pay was rounded down: exact, in no other sum, and with the house.
    """

    staked_cents: int
    paid_cents: int
    returned_cents: int
    kept_cents: int
    breakage_cents: Fraction


NOTHING = Totals(0, 0, 0, 0, Fraction(0))


@dataclass(frozen=True)
class Tally:
    """How many settlements there are of each outcome, and their sums."""

    counts: Mapping[str, int] = field(default_factory=dict)
    totals: Totals = NOTHING

    def __add__(self, other: "Tally") -> "Tally":
        ours, theirs = self.totals, other.totals
        return Tally(
            Counter(self.counts) + Counter(other.counts),
            Totals(
                ours.staked_cents + theirs.staked_cents,
                ours.paid_cents + theirs.paid_cents,
                ours.returned_cents + theirs.returned_cents,
                ours.kept_cents + theirs.kept_cents,
                ours.breakage_cents + theirs.breakage_cents,
            ),
        )

    @property
    def count(self) -> int:
        return sum(self.counts.values())


def settle_round(wagers: Iterable[Wager], dice: Dice, paytable: Paytable) -> list[Settlement]:
    """Settle every wager against one result, in order.

    Raises UserError when the paytable does not cover a wager, ValueError unless `dice` are three values 1..6; then
    none is settled.
    """
    winning = paytable.winning_areas(dice)
    covered = paytable.areas
    settlements: list[Settlement] = []
    for wager in wagers:
        area = (wager.kind, wager.selection)
        odds = winning.get(area)
        if odds is not None:
            settlements.append(_won(wager, odds))
        elif area in covered:
            settlements.append(Settlement(wager, LOSE, None, 0, 0))
        else:
            raise UserError(
                f"Wager {wager.wager_id!r} on {wager.kind} {wager.selection!r} is not covered by paytable "
                f"{paytable.name}: take it out or settle with a paytable that has its odds."
            )
    return settlements


def settle_verdict(wager: Wager, verdict: Verdict) -> Settlement:
    """Settle one wager by what its game says of it. Raises ValueError while it stands undecided."""
    if verdict.odds is not None:
        return _won(wager, verdict.odds)
    if verdict.result == TIE:
        return Settlement(wager, TIE, None, 0, wager.stake_cents)
    if verdict.result != LOSE:
        raise ValueError(f"wager {wager.wager_id!r} is not decided: it {verdict.result}")
    return Settlement(wager, LOSE, None, 0, 0)


def _won(wager: Wager, odds: Odds) -> Settlement:
    """Paid at its odds, rounded down to a cent; the stake comes back."""
    won_cents = wager.stake_cents * odds.win // odds.stake
    return Settlement(wager, WIN, odds, won_cents, wager.stake_cents + won_cents)


def void_wagers(wagers: Iterable[Wager]) -> list[Settlement]:
    """Void every wager: the whole stake goes back."""
    return [Settlement(wager, VOID, None, 0, wager.stake_cents) for wager in wagers]


def totals(settlements: Iterable[Settlement]) -> Totals:
    """The sums over `settlements`."""
    staked = paid = returned = kept = 0
    breakage = Fraction(0)
    for settlement in settlements:
        stake_cents = settlement.wager.stake_cents
        staked += stake_cents
        paid += settlement.won_cents
        returned += settlement.returned_cents
        kept += stake_cents if settlement.outcome == LOSE else 0
        breakage += settlement.breakage_cents
    return Totals(staked, paid, returned, kept, breakage)


def tally(settlements: Sequence[Settlement]) -> Tally:
    """Of all these."""
    return Tally(Counter(settlement.outcome for settlement in settlements), totals(settlements))


def json_line(settlement: Settlement) -> str:
    """One settlement as a JSON object on one line, without the line end.

    Money is integer cents; odds are `"8:1"`, or null unless the wager won.
    """
    wager = settlement.wager
    return json.dumps(
        {
            "wager_id": wager.wager_id,
            "kind": wager.kind,
            "selection": wager.selection,
            "stake": wager.stake_cents,
            "outcome": settlement.outcome,
            "odds": None if settlement.odds is None else str(settlement.odds),
            "won": settlement.won_cents,
            "returned": settlement.returned_cents,
        }
    )
