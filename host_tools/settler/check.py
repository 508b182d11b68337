"""What a paytable costs the player: the exact house edge of every wager, and a warning where the house loses."""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from host_tools.settler.game import Area, Game, Odds, Outcome, house_edge
from host_tools.settler.paytable import Paytable, line_key
from host_tools.settler.paytable_file import PaytableFile
from host_tools.settler.taisai import AREAS


class Edge(NamedTuple):
    """Areas of one kind with the same odds and the same house edge; `odds` from the lowest pay to the highest."""

    kind: str
    selections: tuple[str, ...]
    odds: tuple[Odds, ...]
    edge: Fraction


def edges(game: Game[Outcome], areas: Iterable[Area]) -> list[Edge]:
    """The house edge of each of the areas, in their order; those that are alike are one row."""
    alike: dict[tuple[str, tuple[Odds, ...], Fraction], list[str]] = {}
    for area in areas:
        paid = {odds for outcome in game.ways if (odds := game.verdict(area, outcome).odds) is not None}
        odds = tuple(sorted(paid, key=lambda pair: Fraction(pair.win, pair.stake)))
        alike.setdefault((area[0], odds, house_edge(game, area)), []).append(area[1])
    return [Edge(kind, tuple(selections), odds, edge) for (kind, odds, edge), selections in alike.items()]


def percent(share: Fraction) -> str:
    """A share in per cent with two decimals, rounded: 1/36 is `2.78`."""
    hundredths = round(share * 10_000)
    return f"{'-' if hundredths < 0 else ''}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}"


def tai_sai_edges(paytable: Paytable) -> list[Edge]:
    """The house edges of all that a Tai-Sai paytable covers, in layout order."""
    return edges(paytable, (area for area in AREAS if area in paytable.areas))


def warnings(file: PaytableFile, found: Iterable[Edge]) -> list[str]:
    """A sentence for every wager on which the player has the edge, with file and line."""
    said: list[str] = []
    for kind, selections, _, edge in found:
        if edge < 0:
            on = f"{kind} {', '.join(selections)}".strip()
            said.append(
                f"{file.place(line_key((kind, selections[0]), 1))}: the house loses {percent(-edge)} % of what is "
                f"wagered on {on}; check the odds."
            )
    return said
