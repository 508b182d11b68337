"""What a game is to the settler: outcomes, areas to wager on, and what each outcome does to a wager on each area.

Tai-Sai (`paytable.Paytable`), craps (`craps.wagers`) and Super Sevens (`blackjack.super_sevens`) stand behind it; the
house edge and bulk settling (`bulk`) are written once, for any of them.
"""

from collections.abc import Collection, Hashable, Mapping
from fractions import Fraction
from typing import NamedTuple, Protocol, TypeVar

Area = tuple[str, str]
"""One area of the layout: (kind, selection), the selection in its canonical form."""

WIN = "win"
LOSE = "lose"
TIE = "tie"
"""Decided, and the stake goes back alone."""
STANDS = "stands"
"""Not decided: the wager stands for the next outcome."""


class Odds(NamedTuple):
    """Odds of `win` to `stake`, two integers over 0: 8:1 pays 8 for a stake of 1 and returns 9."""

    win: int
    stake: int

    def __str__(self) -> str:
        return f"{self.win}:{self.stake}"


class Verdict(NamedTuple):
    """What one outcome does to one wager.

    `result` is win, lose, tie or stands; `odds` are those that pay, None unless it wins; `moves_to` is the area where
    a wager that stands is from now on, None when it stays.
    """

    result: str
    odds: Odds | None = None
    moves_to: Area | None = None


LOST = Verdict(LOSE)
TIED = Verdict(TIE)
STAYS = Verdict(STANDS)

Outcome = TypeVar("Outcome", bound=Hashable)


class Game(Protocol[Outcome]):
    """A game under one paytable: what can come, what can be wagered on, and which areas win at what odds."""

    @property
    def ways(self) -> Mapping[Outcome, int]:
        """Every outcome with the number of equally likely ways in which it comes."""
        ...

    @property
    def areas(self) -> Collection[Area]:
        """Every area on which a wager can stand."""
        ...

    def verdict(self, area: Area, outcome: Outcome) -> Verdict:
        """What `outcome` does to a wager on `area`. Raises KeyError for an area or outcome that the game has not."""
        ...


def house_edge(game: Game[Outcome], area: Area) -> Fraction:
    """The house's share of a stake on `area` until the wager is decided, exact: 1/36 for Small at 1:1.

    A tie counts as decided. Wagers may stay where they are or move on, but never back to an area where they were.
    Raises KeyError when the game does not have the area.
    """
    expected = Fraction(0)
    deciding = 0
    for outcome, ways in game.ways.items():
        result, odds, moves_to = game.verdict(area, outcome)
        if moves_to is not None:
            expected -= ways * house_edge(game, moves_to)
        elif odds is not None:
            expected += ways * Fraction(odds.win, odds.stake)
        elif result == LOSE:
            expected -= ways
        deciding += ways * (moves_to is not None or result != STANDS)
    return -expected / deciding
