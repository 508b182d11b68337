"""The past of a board, read on from record to record: always what a reader says that reads all of it anew, and never
the more work the longer the board has been on."""

from contextlib import closing, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from host_tools.errors import UserError
from host_tools.store import Store
from host_tools.store.database import Database
from host_tools.view.reading import Reader, serving
from tests.host.store.chain import DEV, HOIANA, SETTLER, Chain, at
from tests.host.view.played import dice_of, play_many

BOOT = ("0123456789abcdef", "1.28.0", "pico")
PLAYED = 40  # more than are shown, so that some rounds are known by their figures alone
STEPS_PER_CALL = 10  # instructions of SQLite's machine between two counts


class Table:
    """A table whose board is replaced now and then, and two ways to read its state."""

    def __init__(self, url):
        self.store, self.database = Store.open(url), Database(url, make=False)
        self.store.enrol(DEV, "T1", at(0))
        self.board = Chain(self.store)
        play_many(self.database, self.board, PLAYED)
        self.round, self.boards = PLAYED, 1
        self.reader = self._new_reader()

    def close(self):
        self.database.close()
        self.store.close()

    def _new_reader(self):
        return Reader(self.database, serving("T1"), HOIANA)

    def look(self):
        """What the reader says that was there from the beginning, and what a new one says."""
        return self.reader.read(at(0)), self._new_reader().read(at(0))

    def result(self, dice):
        self.round += 1
        self.board.result(self.round, dice, batch=[])

    def spin(self):
        self.round += 1
        self.board.take("spin", self.round, 3)

    def correct(self, back, dice):
        """The round so far back; the store takes it, though no board would correct an old one."""
        if (round_ := self._with_dice(back)) is not None:
            named = (round_.round, round_.boot, round_.seq)
            self.board.take("correction", *named, dice, "supervisor", "wrong_entry")

    def void(self, back):
        if (round_ := self._with_dice(back)) is not None:
            self.board.take("void", round_.round, round_.boot, round_.seq, "supervisor", "dispute")

    def adjust(self, back, dice):
        if (round_ := self._with_dice(back)) is not None:
            named = (self.board.dev, round_.round, round_.in_force)
            with suppress(UserError):  # it has these dice already, or its board can still correct it
                self.store.adjust(*named, dice, "dispute", "host:anna", SETTLER, at(99))

    def _with_dice(self, back):
        round_ = self.store.round(self.board.dev, self.round - back)
        return None if round_ is None or round_.dice is None else round_

    def start(self, cause):
        self.board.take("boot", *BOOT, cause, "production", None)

    def fault(self):
        self.board.take("fault", self.round, "IDLE", "stall")

    def replace(self):
        old, self.boards = self.board.dev, self.boards + 1
        self.board = Chain(self.store, f"sim-0000000000a{self.boards % 10}-{self.boards:04x}")
        self.store.enrol(self.board.dev, "T1", at(self.boards))
        self.board.take("boot", *BOOT, "power", "production", old)
        self.round = 0


backs = st.sampled_from([0, 0, 1, 2, 33])
dice = st.sampled_from([(1, 2, 3), (6, 6, 6), (6, 5, 5)])
acts = st.one_of(
    st.tuples(st.just("result"), dice),
    st.tuples(st.just("spin")),
    st.tuples(st.just("correct"), backs, dice),
    st.tuples(st.just("void"), backs),
    st.tuples(st.just("adjust"), backs, st.none() | dice),
    st.tuples(st.just("start"), st.sampled_from(["power", "watchdog"])),
    st.tuples(st.just("fault")),
    st.tuples(st.just("replace")),
)


@settings(max_examples=25, deadline=None)
@given(looks=st.lists(st.lists(acts, min_size=1, max_size=3), max_size=6))
def test_what_is_read_on_is_what_is_read_anew(tmp_path_factory, looks):
    with closing(Table(f"sqlite:///{tmp_path_factory.mktemp('history')}/t.db")) as table:
        table.look()
        for done in looks:
            for act, *given_ in done:
                getattr(table, act)(*given_)
            read_on, anew = table.look()
            assert read_on == anew


def test_a_correction_a_void_and_an_adjustment_are_each_counted_once(tmp_path):
    with closing(Table(f"sqlite:///{tmp_path}/t.db")) as table:
        table.look()

        def totals():
            figures = table.look()[0].figures
            return figures.rounds, [cell.hits for cell in figures.totals.cells if cell.value in ("3", "4", "18")]

        shown = [sum(dice_of(number)) for number in range(1, PLAYED + 1)]
        expected = [shown.count(total) for total in (3, 4, 18)]
        assert totals() == (PLAYED, expected)
        table.result((1, 1, 1))
        expected[0] += 1
        assert totals() == (PLAYED + 1, expected)
        table.correct(0, (6, 6, 6))
        expected[0] -= 1
        expected[2] += 1
        assert totals() == (PLAYED + 1, expected)
        table.void(0)
        expected[2] -= 1
        assert totals() == (PLAYED, expected)
        table.adjust(33, (1, 1, 2))  # round 8, which showed 3, 2, 2
        expected[1] += 1
        assert totals() == (PLAYED, expected)


@pytest.mark.parametrize("act", [("correct", 35, (6, 6, 6)), ("void", 35)])
def test_a_round_that_is_shown_no_more_is_counted_anew_when_it_changes(tmp_path, act):
    with closing(Table(f"sqlite:///{tmp_path}/t.db")) as table:
        before, _ = table.look()
        getattr(table, act[0])(*act[1:])
        read_on, anew = table.look()
        assert read_on == anew
        assert read_on.figures != before.figures


@pytest.fixture
def steps():
    """steps(database, rounds, do): how much SQLite works for the readings of `do` when so many rounds were played."""

    def count(folder, played):
        url = f"sqlite:///{folder}/{played}.db"
        with closing(Store.open(url)) as store, closing(Database(url, make=False)) as database:
            store.enrol(DEV, "T1", at(0))
            board, reader = Chain(store), Reader(database, lambda _: DEV, HOIANA)
            play_many(database, board, played)
            done = 0

            def another():
                nonlocal done
                done += 1

            @event.listens_for(database.engine, "checkout")
            def counted(connection, *_):
                connection.set_progress_handler(another, STEPS_PER_CALL)

            reader.read(at(0))
            first, done = done, 0
            for kind, *values in (("spin", 3), ("bets_open", 3), ("bets_closed", "dealer"), ("uncovered",)):
                board.take(kind, played + 1, *values)
                reader.read(at(0))
            board.take("result", played + 1, (1, 2, 3), 4)
            assert reader.read(at(0)).figures.rounds == played + 1
            board.correct(played + 1, (1, 2, 4))
            assert reader.read(at(0)).result.dice == (1, 2, 4)
            return first, done

    return count


def test_a_record_of_a_long_evening_costs_no_more_to_read_than_one_of_a_short_one(steps, tmp_path):
    (short_anew, short_on), (long_anew, long_on) = steps(tmp_path, 50), steps(tmp_path, 1000)
    assert long_anew > 5 * short_anew  # it is measured what a reading costs
    assert long_on <= 1.1 * short_on
