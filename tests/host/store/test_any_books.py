"""Whatever board and host decide on rounds, in whatever order: no cent appears or vanishes, and entries only grow."""

from collections import Counter
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.errors import UserError
from host_tools.settler.settle import Wager
from host_tools.store import Store
from tests.host.store.chain import DEV, SETTLER, Chain, at

OTHER = "sim-0000000000b2-0001"
FACES = st.tuples(*[st.integers(1, 6)] * 3)
STAKES = st.integers(1, 10**9)
AREAS = st.sampled_from(
    [("small", ""), ("big", ""), ("any_triple", ""), ("face", "6"), ("double", "3"), ("total", "10"), ("triple", "2")]
)
BATCHES = st.lists(st.tuples(AREAS, STAKES), max_size=5)
STEPS = st.one_of(
    st.tuples(st.just("round"), BATCHES, st.one_of(st.none(), FACES)),
    st.tuples(st.just("correct"), FACES),
    st.tuples(st.just("void")),
    st.tuples(st.just("adjust"), st.integers(1, 4), st.one_of(st.none(), FACES)),
)

# What one cent on an area gives back, stake included, by the odds of hoiana; counted here, not by the settler.
PAYS = {"small": 2, "big": 2, "any_triple": 25, "double": 9, "total": 7, "triple": 151}


def gives_back(kind, selection, stake, dice):
    triple = len(set(dice)) == 1
    if kind == "face":
        shown = dice.count(int(selection))
        return stake * (0, 2, 3, 4)[shown]
    won = {
        "small": 4 <= sum(dice) <= 10 and not triple,
        "big": 11 <= sum(dice) <= 17 and not triple,
        "any_triple": triple,
        "double": dice.count(3) >= 2,
        "total": sum(dice) == 10,
        "triple": dice == (2, 2, 2),
    }[kind]
    return stake * PAYS[kind] if won else 0


class Books:
    """What was decided, kept beside the store: for each round its wagers and its dice, None for void."""

    def __init__(self, store):
        self.store, self.board = store, Chain(store)
        self.wagers, self.dice, self.refused = {}, {}, Counter()
        self.entries = []
        store.enrol(DEV, "T1", at(0))

    def round(self, batch, dice):
        number = len(self.wagers) + 1
        names = count(1)
        wagers = [Wager(f"W{next(names)}", f"P{stake % 3}", *area, stake) for area, stake in batch]
        self.board.uncovered(number, wagers)
        self.wagers[number] = wagers
        self.dice[number] = dice
        if dice is None:
            self.board.void(number, "not_flat")
        else:
            self.board.take("result", number, dice, 4)

    def correct(self, dice):
        number = len(self.wagers)
        if number and self.dice[number] is not None:
            self.board.correct(number, dice)
            self.dice[number] = dice

    def void(self):
        number = len(self.wagers)
        if number and self.dice[number] is not None:
            self.board.void(number)
            self.dice[number] = None

    def adjust(self, number, dice):
        round_ = self.store.round(DEV, number)
        if round_ is None:
            return
        before = self.dice[number]
        try:
            self.store.adjust(DEV, number, round_.in_force, dice, "dispute", "host:anna", SETTLER, at(99))
        except UserError:
            self.refused["last"] += number == len(self.wagers)
            self.refused["void"] += before is None
            self.refused["same"] += dice is not None and before is not None and sorted(dice) == sorted(before)
            assert number == len(self.wagers) or before is None or sorted(dice) == sorted(before)
            return
        assert number < len(self.wagers) and before is not None
        self.dice[number] = dice

    def check(self):
        entries = [entry for number in self.wagers for entry in self.store.settlements(DEV, number)]
        by_id = {entry.id: entry for entry in entries}
        assert [by_id[entry.id] for entry in self.entries] == self.entries  # nothing changed, nothing gone
        self.entries = entries
        for number, wagers in self.wagers.items():
            dice = self.dice[number]
            due = {
                wager.wager_id: wager.stake_cents
                if dice is None
                else gives_back(wager.kind, wager.selection, wager.stake_cents, dice)
                for wager in wagers
            }
            got = Counter()
            for entry in self.store.settlements(DEV, number):
                got[entry.settlement.wager.wager_id] += entry.settlement.returned_cents
            assert {name: got[name] for name in due} == due
            sums = self.store.balance(DEV, number)
            assert sums.returned_cents == sum(due.values()) and sums.unsettled_cents == 0
            assert sums.staked_cents + sums.paid_cents == sums.returned_cents + sums.kept_cents
            self.check_overpaid(number)

    def check_overpaid(self, number):
        """Walk the entries: whoever stood higher before a cause than after it must be on the list, by that much."""
        stood, fell = Counter(), {}
        for entry in self.store.settlements(DEV, number):
            wager, cents = entry.settlement.wager.wager_id, entry.settlement.returned_cents
            cause = (wager, entry.boot, entry.seq, entry.adjustment)
            fell[cause] = fell.get(cause, 0) - cents
            stood[wager] += cents
        listed = {
            (row.wager_id, row.boot, row.seq, row.adjustment): (row.overpaid_cents, row.due_cents)
            for row in self.store.overpaid(DEV, number)
        }
        assert listed == {cause: (cents, stood[cause[0]]) for cause, cents in fell.items() if cents > 0}


ANY_STEPS = st.lists(STEPS, min_size=1, max_size=12)


@settings(max_examples=30, deadline=None)
@given(steps=ANY_STEPS)
def test_money_is_conserved_and_exact_over_any_order_of_results_corrections_voids_and_adjustments(
    steps, tmp_path_factory
):
    check_any(steps, f"sqlite:///{tmp_path_factory.mktemp('books')}/any.db")


@settings(max_examples=8, deadline=None)
@given(steps=ANY_STEPS)
def test_so_it_is_in_postgresql(steps, postgresql_server):
    postgresql_server.empty()
    check_any(steps, postgresql_server.url)


def check_any(steps, url):
    store = Store.open(url)
    try:
        books = Books(store)
        for name, *args in steps:
            getattr(books, name)(*args)
            books.check()
    finally:
        store.close()
