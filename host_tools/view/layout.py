"""The layout of a paytable: its areas, each with its odds and the stakes that it takes."""

from host_tools.settler.game import Area
from host_tools.settler.limits import ALL, Limit
from host_tools.settler.paytable import Paytable
from host_tools.settler.taisai import AREAS, OUTCOMES, multiplicity
from host_tools.view.contract import LayoutArea, LayoutPaytable, Limits


def area_id(area: Area) -> str:
    """`small`, `total-4`, `combination-1-6`: letters, digits, _ and - alone."""
    kind, selection = area
    return f"{kind}-{selection}" if selection else kind


def areas(paytable: Paytable) -> list[LayoutArea]:
    """Every area on which wagers are taken, in layout order."""
    return [
        LayoutArea(
            id=area_id(area),
            kind=area[0],
            selection=area[1],
            odds=_odds(paytable, area),
            limits=_limits(paytable, area[0]),
        )
        for area in AREAS
        if area in paytable.areas
    ]


def about(paytable: Paytable) -> LayoutPaytable:
    """Where the odds come from, and what they do not cover."""
    head = paytable.head
    return LayoutPaytable(
        name=head.name,
        title=head.title,
        hash=paytable.hash,
        source=head.source,
        status=head.status,
        partial=bool(paytable.not_covered),
        not_covered=list(paytable.not_covered),
    )


def _odds(paytable: Paytable, area: Area) -> list[tuple[int, int]]:
    """The odds for each number of times that the area can win at once, the lowest first."""
    paid = {multiplicity(area, dice): paytable.winning[dice].get(area) for dice in OUTCOMES}
    return [(odds.win, odds.stake) for _, odds in sorted(paid.items()) if odds is not None]


def _limits(paytable: Paytable, kind: str) -> Limits:
    return Limits(**(paytable.limits.get(kind) or paytable.limits.get(ALL) or Limit())._asdict())
