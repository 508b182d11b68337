"""How fast wagers are settled in memory: `python -m host_tools.settler.bench`, a part of `make bench`.

The same wagers go through the plain loop (settle_round) and in columns (bulk), in one run, by the processor time of one
core, which others on the machine do not take from; the ratio says more than the figures, which are the machine's. Both
must come to the same cent.
"""

import random
import resource
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from host_tools.settler import paytable as paytables
from host_tools.settler.bulk import Columns, OddsTable
from host_tools.settler.settle import Wager, settle_round, totals
from host_tools.settler.taisai import Dice

LIMIT = 1_000_000
"""Wagers a second, in memory."""
LIMIT_MB = 512
SEED = 1
DICE: Dice = (3, 3, 4)
LOOP_WAGERS = 200_000
PIECE_WAGERS = 1_000_000
PIECES = 10

_Made = TypeVar("_Made")


def main() -> None:
    """Prints the figures. Raises SystemExit when the two ways differ."""
    paytable = paytables.load(paytables.DEFAULT)
    table, made_s = _timed(lambda: OddsTable(paytable))
    print(
        f"odds table of {paytable.name}: {len(paytable.ways)} outcomes x {len(table.areas)} areas, "
        f"{made_s * 1e3:.0f} ms once"
    )

    draw = random.Random(SEED)
    wagers = [Wager(f"W{n}", "p", *draw.choice(table.areas), draw.randrange(1, 100_000)) for n in range(LOOP_WAGERS)]
    plain, loop_s = _timed(lambda: totals(settle_round(wagers, DICE, paytable)))
    bulk, objects_s = _timed(lambda: _settle(table, table.columns(wagers)))
    if plain != bulk:
        raise SystemExit(f"The loop comes to {plain}, the columns to {bulk}.")
    loop_rate = LOOP_WAGERS / loop_s
    print(f"plain loop, wager by wager:       {loop_rate / 1e6:8.2f} M wagers/s")
    _print_ratio("columns, made from wagers first:", LOOP_WAGERS / objects_s, loop_rate)

    piece = _random_columns(table)
    _, columns_s = _timed(lambda: _settle(table, piece))
    _print_ratio("columns:", PIECE_WAGERS / columns_s, loop_rate)
    _, many_s = _timed(lambda: [_settle(table, _random_columns(table)) for _ in range(PIECES)])
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{PIECES * PIECE_WAGERS / 1e6:.0f} M wagers on one round, drawn and settled piece by piece: {many_s:.1f} s, "
        f"at most {peak_mb:.0f} MB, limit {LIMIT_MB} MB: {_verdict(peak_mb <= LIMIT_MB)}"
    )


def _random_columns(table: OddsTable[Dice]) -> Columns:
    draw = np.random.default_rng(SEED)
    area = draw.integers(0, len(table.areas), PIECE_WAGERS, np.uint16)
    return Columns(area, draw.integers(1, 100_000, PIECE_WAGERS, np.int64))


def _settle(table: OddsTable[Dice], wagers: Columns):
    return table.totals(wagers, table.settle(wagers, DICE))


def _timed(work: Callable[[], _Made]) -> tuple[_Made, float]:
    began = time.process_time()
    made = work()
    return made, time.process_time() - began


def _print_ratio(what: str, rate: float, loop_rate: float) -> None:
    print(
        f"{what:33} {rate / 1e6:8.2f} M wagers/s, limit {LIMIT / 1e6:.0f} M/s: {_verdict(rate >= LIMIT)}; "
        f"{rate / loop_rate:.1f} times the loop"
    )


def _verdict(held: bool) -> str:
    return "held" if held else "MISSED"


if __name__ == "__main__":
    main()
