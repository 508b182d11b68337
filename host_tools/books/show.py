"""Puts rounds, adjustments and overpaid players into lines, each saying who, why and which record."""

from collections.abc import Sequence

import typer

from host_tools.settler.call import call
from host_tools.settler.render import money
from host_tools.settler.taisai import Dice
from host_tools.store import Store
from host_tools.store.rows import Adjustment, InForce, Overpaid, Round

VOID = "void"


def print_round_lines(store: Store, round_: Round) -> None:
    """A round: what is in force, by whom and why, its sums, its adjustments, and what is overpaid."""
    typer.echo(f"{round_.dev}  round {round_.round}  in force {round_.in_force}  {_says(store, round_)}")
    sums = store.balance(round_.dev, round_.round)
    settled = f"returned {money(sums.returned_cents)}"
    if sums.unsettled_cents:
        settled += f", not settled {money(sums.unsettled_cents)}"
    typer.echo(f"    staked {money(sums.staked_cents)}, {settled}")
    for adjustment in store.adjustments(round_.dev, round_.round):
        stands = "" if adjustment.id == round_.adjustment else ", stands no more"
        typer.echo(f"    {adjustment_line(adjustment)}{stands}")
    overpaid_cents = sum(row.overpaid_cents for row in store.overpaid(round_.dev, round_.round))
    if overpaid_cents:
        typer.echo(f"    OVERPAID {money(overpaid_cents)}: see `tumbler overpaid --dev {round_.dev}`")


def adjustment_line(adjustment: Adjustment) -> str:
    """Who adjusted, when, to what, why, and above which record."""
    return (
        f"the host's adjustment {InForce(None, adjustment.id)} above record {adjustment.boot}:{adjustment.seq}, "
        f"{adjustment.adjusted_at:%Y-%m-%d %H:%M:%S}: {_result(adjustment.dice)} by {adjustment.by} "
        f"({adjustment.reason})"
    )


def print_overpaid(store: Store, rows: Sequence[Overpaid]) -> None:
    """A line for each record or adjustment that lowered what a player gets."""
    for row in rows:
        typer.echo(
            f"OVERPAID {money(row.overpaid_cents)}: {row.player}, wager {row.wager_id} in round {row.round} of board "
            f"{row.dev}, since {_since(store, row)}; the wager gives {money(row.due_cents)} now"
        )


def _since(store: Store, row: Overpaid) -> str:
    if row.adjustment is not None:
        (made,) = [made for made in store.adjustments(row.dev, row.round) if made.id == row.adjustment]
        return adjustment_line(made)
    fields = store.record(row.dev, row.boot, row.seq)
    return f"{fields['kind']} {row.boot}:{row.seq} by {fields['by']} ({fields['reason']})"


def _says(store: Store, round_: Round) -> str:
    """What is in force: the host's adjustment, else the board's record."""
    for adjustment in store.adjustments(round_.dev, round_.round):
        if adjustment.id == round_.adjustment:
            return f"{_result(adjustment.dice)}, adjusted by {adjustment.by} ({adjustment.reason})"
    said = round_.state if round_.dice is None else f"{round_.state} {call(round_.dice)}"
    fields = store.record(round_.dev, round_.boot, round_.seq)
    if fields["kind"] != round_.state:  # its board lost its journal, and the round is void without a record of its own
        return f"{said}, for another board replaced its own"
    who = f" by {fields['by']}" if "by" in fields else ""
    return said + who + (f" ({fields['reason']})" if "reason" in fields else "")


def _result(dice: Dice | None) -> str:
    return VOID if dice is None else call(dice)
