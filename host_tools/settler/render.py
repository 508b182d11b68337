"""Puts rounds, settlements and paytables on a screen, for whichever command has them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from host_tools.settler.call import call
from host_tools.settler.check import Edge, percent
from host_tools.settler.limits import Limit
from host_tools.settler.paytable import Odds, Paytable
from host_tools.settler.paytable_file import AnyPaytable
from host_tools.settler.settle import LOSE, VOID, WIN, Settlement, Tally, tally
from host_tools.settler.taisai import Area, Dice, label

_STYLE = {WIN: "green", LOSE: "dim", VOID: "yellow"}
_COLUMNS = ("Wager", "Player", "On", "Stake", "Outcome", "Odds", "Won", "Returned")
_FOLDED = _COLUMNS[:3]
FOLDED_WIDTH = 5  # at least
# A terminal of fewer characters gets a list instead of a table.
LIST_BELOW = 70
_STATUS = {
    "official": "official: as published by the authority",
    "published": "published: the operator's own, not an authority's",
    "secondary": "not an official table: taken from a secondary source",
    "general_practice": "not an official table: what is usual, no single source",
}


def money(cents: int) -> str:
    """Cents as people read them, `1,234.50`; negative amounts with a leading minus."""
    units, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{units:,}.{rest:02}"


def print_round(
    console: Console, dice: Dice, settlements: Sequence[Settlement], paytable: Paytable, of: Tally | None = None
) -> None:
    """A settled round: the call, the areas that light, wagers as print_settlements() has them, and the paytable."""
    console.print(Text(call(dice), style="bold"))
    print_areas(console, paytable.winning_areas(dice))
    print_settlements(console, settlements, of)
    print_paytable_line(console, paytable)


def print_areas(console: Console, winning: Mapping[Area, Odds]) -> None:
    """The layout areas that light, each with what it pays."""
    areas = [f"{label(area)} ({odds.win} to {odds.stake})" for area, odds in winning.items()]
    _say(console, "Lit: " + (" · ".join(areas) or "no area that this paytable covers"))


def print_settlements(console: Console, settlements: Sequence[Settlement], of: Tally | None = None) -> None:
    """Wagers won, lost and void with their amounts, and the sums: a table, or a list where that would not fit.

    of: what the sums are of, where there are more than `settlements`, which are the first of them.
    """
    all_ = tally(settlements) if of is None else of
    sums, counts = all_.totals, Counter(all_.counts)
    total = ("Total", "", "", money(sums.staked_cents), "", "", money(sums.paid_cents), money(sums.returned_cents))
    rows = [_cells(settlement) for settlement in settlements]
    table = _table(rows, total, [_STYLE[settlement.outcome] for settlement in settlements])
    # Names may be folded, amounts never: what they need is more than a small terminal has.
    if console.width >= max(LIST_BELOW, _least_width(rows, total)):
        console.print(table)
    else:
        for cells, settlement in zip(rows, settlements, strict=True):
            _say(console, _listed(cells), _STYLE[settlement.outcome])
        _say(console, _listed(total))
    if all_.count > len(settlements):
        _say(
            console,
            f"{all_.count - len(settlements):,} more are in the sums and not shown: `tumbler wager list` has all",
        )
    house_cents = sums.kept_cents - sums.paid_cents
    breakage = f" · breakage {sums.breakage_cents} cents" if sums.breakage_cents else ""
    _say(
        console,
        f"{counts[WIN]} won, {counts[LOSE]} lost, {counts[VOID]} void · stakes lost {money(sums.kept_cents)}"
        f" · house {money(house_cents)}{breakage}",
    )


def _cells(settlement: Settlement) -> tuple[str, ...]:
    wager = settlement.wager
    return (
        wager.wager_id,
        wager.player,
        label((wager.kind, wager.selection)),
        money(wager.stake_cents),
        settlement.outcome,
        "" if settlement.odds is None else str(settlement.odds),
        money(settlement.won_cents),
        money(settlement.returned_cents),
    )


def _table(rows: Sequence[tuple[str, ...]], total: tuple[str, ...], styles: Sequence[str]) -> Table:
    table = Table(show_footer=True)
    for name, footer in zip(_COLUMNS, total, strict=True):
        if name in _FOLDED:
            table.add_column(name, footer, overflow="fold")
        else:
            table.add_column(name, footer, justify="left" if name == "Outcome" else "right", no_wrap=True)
    for cells, style in zip(rows, styles, strict=True):
        # Text, not str: what a wager file holds is never read as rich markup.
        table.add_row(*(Text(cell) for cell in cells), style=style)
    return table


def _least_width(rows: Sequence[tuple[str, ...]], total: tuple[str, ...]) -> int:
    """What the table needs: whole amounts, names of a few letters, a border and two spaces for each column."""
    columns = zip(_COLUMNS, *rows, total, strict=True)
    whole = sum(max(map(len, column)) for column in columns if column[0] not in _FOLDED)
    return whole + len(_FOLDED) * FOLDED_WIDTH + 3 * len(_COLUMNS) + 1


def _listed(cells: tuple[str, ...]) -> str:
    """Two lines of a list: who wagers on what, and under it the amounts."""
    wager, player, area, stake, outcome, odds, won, returned = cells
    result = f"{outcome} {odds}".strip()
    first = " · ".join(part for part in (wager, player, area, result) if part)
    return f"{first}\n  stake {stake} · won {won} · returned {returned}"


def _say(console: Console, text: str, style: str = "") -> None:
    """Text that a terminal wraps, and that stays on its line in a file or a pipe."""
    console.print(Text(text, style=style), soft_wrap=not console.is_terminal)


def print_paytable_line(console: Console, paytable: AnyPaytable) -> None:
    """Which paytable was used, with its hash, and in plain words when it is not an official one."""
    _say(console, paytable_line(paytable), "" if paytable.status == "official" else "yellow")


def paytable_line(paytable: AnyPaytable) -> str:
    """What print_paytable_line() shows, as text."""
    return f"Paytable {paytable.name} [{paytable.short_hash}] · {_STATUS[paytable.status]}"


def print_paytables(console: Console, paytables: Sequence[AnyPaytable]) -> None:
    """What each paytable is, where it comes from, what it covers, what not, and its hash."""
    for paytable in paytables:
        console.print(Text(f"{paytable.name} · {paytable.title}", style="bold"))
        grid = Table.grid(padding=(0, 2))
        grid.add_column()
        grid.add_column(no_wrap=True)
        # Folded, never cut: an address must stay whole.
        grid.add_column(overflow="fold")
        grid.add_row("", "status", Text(_STATUS[paytable.status]))
        grid.add_row("", "source", Text(paytable.source))
        grid.add_row(
            "", "covers", ", ".join(paytable.covers) + (" (in part, see below)" if _has_part(paytable) else "")
        )
        grid.add_row("", "not covered", ", ".join(paytable.not_covered) or "nothing: the table is complete")
        grid.add_row("", "hash", paytable.short_hash)
        console.print(grid)


def _has_part(paytable: AnyPaytable) -> bool:
    return any(" " in gap for gap in paytable.not_covered)


def print_edges(console: Console, paytable: AnyPaytable, edges: Sequence[Edge]) -> None:
    """The exact house edge of every wager that a paytable covers, what it does not cover, and its table limits."""
    print_paytable_line(console, paytable)
    table = Table("Wager", "Selections", "Odds")
    table.add_column("House edge", justify="right", no_wrap=True)
    table.add_column("%", justify="right", no_wrap=True)
    for kind, selections, odds, edge in edges:
        table.add_row(kind, ", ".join(selections), ", ".join(map(str, odds)), str(edge), percent(edge))
    console.print(table)
    _say(console, f"Not covered: {', '.join(paytable.not_covered) or 'nothing'}")
    for kind, limit in paytable.limits.items():
        _say(console, f"Limit for {kind}: {_limit_words(limit)}")


def _limit_words(limit: Limit) -> str:
    amounts = zip(("from", "to", "in steps of"), limit, strict=True)
    return " ".join(f"{word} {money(cents)}" for word, cents in amounts if cents is not None)
