"""The layout in characters: every area of the paytable with its odds, and those that win lit.

A lit area has another colour and stands between `>` and `<`; all others between blanks, so that nothing moves.
"""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from host_tools.view.contract import LayoutArea
from host_tools.watch.flow import Flow, padded
from host_tools.watch.words import Words

LIT = "bold #000000 on #4ade80"
LABEL = "bold"
TIMES_SHOWN = {"double": 2, "triple": 3}  # how many dice a selection of one number stands for
RANGES = {"small": (4, 10), "big": (11, 17)}
ROWS = (
    ("small", "any_triple", "big"),
    ("odd", "even"),
    ("double",),
    ("triple",),
    ("total",),
    ("combination",),
    ("face",),
    ("four_numbers",),
    ("three_dice",),
)
"""Kinds that stand side by side, from the top of the cloth to its bottom."""

Lit = Mapping[str, tuple[int, int]]
"""The areas that win, by id, and the odds that each pays."""


def cloth(areas: Sequence[LayoutArea], lit: Lit, words: Words) -> list[Flow]:
    """The rows of the layout; a kind that the paytable does not have takes no place."""
    rows = [[area for kind in kinds for area in areas if area.kind == kind] for kinds in ROWS]
    return [_row(row, lit, words) for row in rows if row]


def odds_text(odds: Sequence[tuple[int, int]], words: Words) -> str:
    """`8 to 1`; a number's three odds with the number of dice that each is for."""
    if len(odds) == 1:
        return words.odds(*odds[0])
    return ", ".join(words.for_dice(count, words.odds(*pair)) for count, pair in enumerate(odds, 1))


def _row(row: Sequence[LayoutArea], lit: Lit, words: Words) -> Flow:
    if not row[0].selection:  # small, big and the like bear their names
        return Flow([_cell(area.id, _named(area, words), lit) for area in row], gap=2)
    name = words.kinds[row[0].kind].capitalize()
    same = all(area.odds == row[0].odds for area in row)
    label = f"{name} {odds_text(row[0].odds, words)}:" if same else f"{name}:"
    texts = [_dice(area) if same else f"{_dice(area)}: {odds_text(area.odds, words)}" for area in row]
    widest = max(map(cell_len, texts))
    cells = [_cell(area.id, padded(text, widest), lit) for area, text in zip(row, texts, strict=True)]
    return Flow([Text(label, LABEL), *cells])


def _named(area: LayoutArea, words: Words) -> str:
    said = [words.area(area.kind, area.selection)]
    if area.kind in RANGES:
        said += [f"({words.range(*RANGES[area.kind])})"]
    return f"{' '.join(said)}: {odds_text(area.odds, words)}"


def _dice(area: LayoutArea) -> str:
    return "-".join([area.selection] * TIMES_SHOWN.get(area.kind, 1))


def _cell(area: str, text: str, lit: Lit) -> Text:
    return Text(f">{text}<", LIT) if area in lit else Text(f" {text} ")
