"""Hits against expectation: how often each face, total and side came, and whether chance alone explains it.

Pearson's chi-square; its tail is Abramowitz and Stegun, Handbook of Mathematical Functions, 26.4.4 and 26.4.5. What a
small p means, and what it does not, stands in docs/VIEW.md.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

from host_tools.settler.taisai import OUTCOMES, Dice
from host_tools.view.contract import Cell, Comparison, Figures, Side

FACES = tuple(range(1, 7))
TOTALS = tuple(range(3, 19))
SIDES: tuple[Side, ...] = ("small", "big", "triple")
LEAST_EXPECTED = 5
"""Below this in any cell the chi-square distribution does not describe the statistic well enough."""


def side(dice: Dice) -> Side:
    """Small, big or triple."""
    if len(set(dice)) == 1:
        return "triple"
    return "small" if sum(dice) <= 10 else "big"


def figures(results: Mapping[Dice, int]) -> Figures:
    """The figures of so many results: dice as pressed -> how often they came."""
    rounds = sum(results.values())
    sixth = Fraction(1, 6)
    return Figures(
        rounds=rounds,
        faces=_compare(_count(results, lambda dice: dice), dict.fromkeys(FACES, 3 * sixth), rounds),
        places=[
            _compare(_count(results, lambda dice, n=place: (dice[n],)), dict.fromkeys(FACES, sixth), rounds)
            for place in range(3)
        ],
        sides=_compare(_count(results, lambda dice: (side(dice),)), _share(SIDES, side), rounds),
        totals=_compare(_count(results, lambda dice: (sum(dice),)), _share(TOTALS, sum), rounds),
    )


def _count(results: Mapping[Dice, int], values: Callable[[Dice], Iterable[Hashable]]) -> Counter[Hashable]:
    """How often each of values(dice) came."""
    hits: Counter[Hashable] = Counter()
    for dice, times in results.items():
        for value in values(dice):
            hits[value] += times
    return hits


def _share(values: Sequence[Hashable], of: Callable[[Dice], Hashable]) -> dict[Hashable, Fraction]:
    """value -> how often it comes in a round of even dice."""
    ways = Counter(map(of, OUTCOMES))
    return {value: Fraction(ways[value], len(OUTCOMES)) for value in values}


def _compare(hits: Counter[Hashable], share: Mapping[Hashable, Fraction], rounds: int) -> Comparison:
    expected = {value: part * rounds for value, part in share.items()}
    needed = math.ceil(LEAST_EXPECTED / min(share.values()))
    degrees = len(share) - 1
    statistic = tail = None
    if rounds >= needed:
        statistic = float(sum((hits[value] - mean) ** 2 / mean for value, mean in expected.items()))
        tail = chi_square_tail(statistic, degrees)
    cells = [
        Cell(value=str(value), hits=hits[value], expected=round(float(mean), 4)) for value, mean in expected.items()
    ]
    return Comparison(
        cells=cells, enough=rounds >= needed, rounds_needed=needed, chi_square=statistic, degrees=degrees, p=tail
    )


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The chance that chi-square with `degrees` (1 or more) degrees of freedom comes to `statistic` or more."""
    half = statistic / 2
    if degrees % 2 == 0:
        term = total = math.exp(-half)
        for n in range(1, degrees // 2):
            term *= half / n
            total += term
        return min(total, 1.0)
    total = math.erfc(math.sqrt(half))
    term = math.sqrt(2 * statistic / math.pi) * math.exp(-half)
    for n in range(1, (degrees - 1) // 2 + 1):
        total += term
        term *= statistic / (2 * n + 1)
    return min(total, 1.0)
