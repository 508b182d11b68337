"""What a paytable costs the player: the exact house edge of every wager, and a warning where the house loses."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from host_tools.settler import paytable as tai_sai
from host_tools.settler.blackjack import super_sevens
from host_tools.settler.craps import wagers as craps
from host_tools.settler.game import Area, Game, Odds, Outcome, house_edge
from host_tools.settler.paytable import Paytable
from host_tools.settler.paytable_file import AnyPaytable, PaytableFile, find_file
from host_tools.settler.taisai import AREAS

GAMES = (tai_sai.GAME, craps.GAME, super_sevens.KIND)


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


class Checked(NamedTuple):
    """A good paytable, its house edges, and a sentence for every wager on which the house loses."""

    paytable: AnyPaytable
    edges: list[Edge]
    warnings: list[str]


def check(file: PaytableFile) -> Checked:
    """Check a paytable of any game, which is that of its key `game`, Tai-Sai without one.

    Raises UserError naming file, line and key.
    """
    game = file.data.get("game", tai_sai.GAME)
    if game == tai_sai.GAME:
        paytable = tai_sai.read(file)
        return _checked(file, paytable, tai_sai_edges(paytable), lambda area: tai_sai.line_key(area, 1))
    if game == craps.GAME:
        table = craps.read(file)
        return _checked(file, table, edges(table, table.placeable), craps.line_key)
    if game == super_sevens.KIND:
        sevens = super_sevens.read(file)
        found = [
            row._replace(selections=(f"{decks} decks",))
            for decks in sevens.all_decks
            for row in edges(sevens.with_decks(decks), sevens.areas)
        ]
        return _checked(file, sevens, found, lambda _: "odds")
    raise file.refuse("game", f"is not one of {', '.join(GAMES)}")


def _checked(file: PaytableFile, paytable: AnyPaytable, found: list[Edge], key: Callable[[Area], str]) -> Checked:
    warnings = [
        f"{file.place(key((row.kind, row.selections[0])))}: the house loses {percent(-row.edge)} % of what is wagered "
        f"on {row.kind} {', '.join(row.selections)}".rstrip()
        + "; check the odds."
        for row in found
        if row.edge < 0
    ]
    return Checked(paytable, found, warnings)


def bundled_paths() -> dict[str, Path]:
    """The files of all paytables that come with the program, by name, Tai-Sai's first."""
    paths = {name: tai_sai.path_of(name) for name in tai_sai.bundled_names()}
    return {**paths, craps.GAME: craps.BUNDLED, super_sevens.KIND: super_sevens.BUNDLED}


def path_of(name_or_path: str) -> Path:
    """The file of a bundled paytable's name, of whatever game, or the path that was given.

    Raises UserError for an unknown name.
    """
    return find_file(name_or_path, bundled_paths())
