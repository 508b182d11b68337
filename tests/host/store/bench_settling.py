"""How fast a round is settled in the store, durably: `python -m tests.host.store.bench_settling`, in `make bench`.

The same wagers stand in two rounds of one SQLite file with synchronous=FULL. One round is settled as the store does it,
by one statement; the other wager by wager in Python, as a plain program would. Both are timed up to the end of their
commit, and must come to the same sums; the ratio says more than the figures, which are the machine's.
"""

import random
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import insert, select

from host_tools.settler.settle import Wager, settle_round
from host_tools.store import Store, settling
from host_tools.store.rows import Round
from host_tools.store.schema import settlements, wagers
from tests.host.store.chain import HOIANA, SETTLER, Chain, at

LIMIT = 100_000
SEED = 1
WAGERS = 200_000
DICE = (3, 3, 4)
DEVS = ("sim-0000000000a1-9c1e", "sim-0000000000b2-9c1e")


class Rate(NamedTuple):
    """Wagers a second by the clock, and by what the processor was used: the second says it without other programs."""

    by_clock: float
    by_cpu: float

    def __str__(self) -> str:
        return f"{self.by_clock:7,.0f}/s (one core alone: {self.by_cpu:,.0f}/s)"


def main() -> None:
    """Prints the figures. Raises SystemExit when the two ways differ."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        store = Store.open(f"sqlite:///{folder}/bench.db")
        draw, areas = random.Random(SEED), sorted(HOIANA.areas)
        batch = [Wager(f"W{n}", "p", *draw.choice(areas), draw.randrange(1, 100_000)) for n in range(WAGERS)]
        intake = [_taken(store, dev, batch) for dev in DEVS][1]
        statement_round, loop_round = (store.round(dev, 1) for dev in DEVS)
        assert statement_round is not None and loop_round is not None
        statement = _timed(lambda: _by_statement(store, statement_round))
        loop = _timed(lambda: _by_loop(store, loop_round))
        sums = [store.balance(dev, 1) for dev in DEVS]
        told = _timed(lambda: _told(store, statement_round))
        store.close()
    if sums[0] != sums[1] or sums[0].unsettled_cents:
        raise SystemExit(f"The statement comes to {sums[0]}, the loop to {sums[1]}.")
    verdict = "held" if statement.by_clock >= LIMIT else "MISSED"
    print(f"wagers taken into the store, durably:     {intake}")
    print(f"wagers settled in the store, in a loop:   {loop}")
    print(
        f"wagers settled in the store, by statement:{statement}, limit {LIMIT:,}/s: {verdict}; "
        f"{statement.by_clock / loop.by_clock:.1f} times the loop"
    )
    print(f"what was made, as a run shows it:         {told}")


def _taken(store: Store, dev: str, batch: list[Wager]) -> Rate:
    """A round with its wagers and its result, which an open alarm keeps from being settled."""
    board = Chain(store, dev)
    board.betting(batch=[])
    rate = _timed(lambda: store.place_wagers(dev, 1, batch, HOIANA, lambda: at(board.seq)))
    store.alarm(dev, "gap", "It stops settling.", at(board.seq))
    board.take("bets_closed", 1, "dealer", occurred_s=board.seq + 0.5)
    board.take("uncovered", 1)
    board.take("result", 1, DICE, 4)
    return rate


def _by_statement(store: Store, round_: Round) -> None:
    with store._db.writing() as connection:
        settling.settle(connection, round_, DICE, None, SETTLER, at(9))


def _told(store: Store, round_: Round) -> None:
    with store._db.reading() as connection:
        settling.made(connection, round_)


def _by_loop(store: Store, round_: Round) -> None:
    of_round = select(wagers).where(wagers.c.dev == round_.dev).order_by(wagers.c.place)
    head = {"dev": round_.dev, "round": 1, "entry": "settle", "boot": round_.boot, "seq": round_.seq}
    with store._db.writing() as connection:
        taken = [settling.wager_from(row) for row in connection.execute(of_round).mappings()]
        rows = [
            {
                **head,
                "wager_id": made.wager.wager_id,
                "outcome": made.outcome,
                "odds_win": made.odds.win if made.odds else None,
                "odds_stake": made.odds.stake if made.odds else None,
                "won_cents": made.won_cents,
                "returned_cents": made.returned_cents,
                "entered_at": at(9),
            }
            for made in settle_round(taken, DICE, HOIANA)
        ]
        connection.execute(insert(settlements), rows)


def _timed(work: Callable[[], object]) -> Rate:
    clock, used = time.perf_counter(), time.process_time()
    work()
    return Rate(WAGERS / (time.perf_counter() - clock), WAGERS / (time.process_time() - used))


if __name__ == "__main__":
    main()
