"""Settles columns of wagers with numpy: one look-up in a table of what each outcome does to each area.

For games in which every outcome decides every wager (Tai-Sai, Super Sevens). Same amounts as settle.settle_round, to
the cent; whole numbers throughout.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from host_tools.errors import UserError
from host_tools.settler.game import STANDS, TIE, WIN, Area, Game, Outcome
from host_tools.settler.settle import Totals, Wager

_LARGEST = 2**63 - 1


class Columns(NamedTuple):
    """Wagers, one row each: `area` (uint16) is the number of the area in OddsTable.areas, `stake_cents` (int64)."""

    area: NDArray[np.uint16]
    stake_cents: NDArray[np.int64]


class Settled(NamedTuple):
    """What became of Columns, row by row: `verdict` (uint16) is an index of OddsTable.verdicts; cents are int64."""

    verdict: NDArray[np.uint16]
    won_cents: NDArray[np.int64]
    returned_cents: NDArray[np.int64]


class OddsTable(Generic[Outcome]):
    """What every outcome does to a wager on every area of a game, computed once.

    `areas` are the game's, sorted; `verdicts` are the different ones that occur. Raises ValueError for a game in which
    a wager may stand undecided.
    """

    def __init__(self, game: Game[Outcome]) -> None:
        self.areas: tuple[Area, ...] = tuple(sorted(game.areas))
        self._column = {area: column for column, area in enumerate(self.areas)}
        self._row = {outcome: row for row, outcome in enumerate(game.ways)}
        grid = [[game.verdict(area, outcome) for area in self.areas] for outcome in self._row]
        self.verdicts = tuple(dict.fromkeys(verdict for row in grid for verdict in row))
        if any(verdict.result == STANDS for verdict in self.verdicts):
            raise ValueError("a wager that may stand undecided is not settled in bulk")
        number = {verdict: index for index, verdict in enumerate(self.verdicts)}
        self._verdict = np.array([[number[verdict] for verdict in row] for row in grid], np.uint16)
        odds = [verdict.odds for verdict in self.verdicts]
        self._win = np.array([pair.win if pair else 0 for pair in odds], np.int64)
        self._per = np.array([pair.stake if pair else 1 for pair in odds], np.int64)
        self._returns = np.array([verdict.result in (WIN, TIE) for verdict in self.verdicts], np.int64)
        self._largest_stake = _LARGEST // (int(self._win.max()) + 1)

    def columns(self, wagers: Iterable[Wager]) -> Columns:
        """The wagers as columns, in order. Raises UserError for one on an area that is not covered."""
        rows = list(wagers)
        try:
            areas = [self._column[kind, selection] for _, _, kind, selection, _ in rows]
        except KeyError as error:
            kind, selection = error.args[0]
            raise UserError(
                f"No wager is settled: {kind} {selection!r} is not covered by the paytable; take it out."
            ) from None
        return Columns(np.array(areas, np.uint16), np.array([wager.stake_cents for wager in rows], np.int64))

    def settle(self, wagers: Columns, outcome: Outcome) -> Settled:
        """Settles every row against one outcome.

        Raises KeyError for an outcome that is not the game's, ValueError when a stake is not over 0 or so large that
        its pay would not fit 64 bits.
        """
        stakes = wagers.stake_cents
        if stakes.size and not 0 < stakes.min() <= stakes.max() <= self._largest_stake:
            raise ValueError(f"a stake is not from 1 to {self._largest_stake} cents")
        verdict = self._verdict[self._row[outcome]][wagers.area]
        won = stakes * self._win[verdict] // self._per[verdict]
        return Settled(verdict, won, won + stakes * self._returns[verdict])

    def totals(self, wagers: Columns, settled: Settled) -> Totals:
        """The sums over the rows, exact, as settle.totals has them."""
        stakes, (verdict, won, returned) = wagers.stake_cents, settled
        kept = _sum(stakes[self._returns[verdict] == 0])
        return Totals(_sum(stakes), _sum(won), _sum(returned), kept, self._breakage(stakes, verdict))

    def _breakage(self, stakes: NDArray[np.int64], verdict: NDArray[np.uint16]) -> Fraction:
        broken = Fraction(0)
        for index in np.flatnonzero(self._per > 1):
            per = int(self._per[index])
            rest = stakes[verdict == index] * self._win[index] % per
            broken += Fraction(_sum(rest), per)
        return broken


def _sum(cents: NDArray[Any]) -> int:
    """The exact sum of any number of int64, which may itself not fit 64 bits: high and low halves apart."""
    return (int((cents >> 32).sum()) << 32) + int((cents & 0xFFFFFFFF).sum())
