"""The odds in the store: every result on every area as the rules say, written once, and never silently absent."""

from dataclasses import replace
from fractions import Fraction

import pytest
from sqlalchemy import func, select

from host_tools.errors import UserError
from host_tools.settler import paytable as paytables
from host_tools.settler.bulk import OddsTable
from host_tools.settler.settle import Wager
from host_tools.store import Settler, entering, odds, schema
from tests.host.settler.plain_reading import ODDS, SELECTIONS, THROWS, times, to_one
from tests.host.store.chain import DEV, HOIANA, Chain, at, figures

MADE = [schema.settlements.c[name] for name in ("outcome", "odds_win", "odds_stake", "won_cents", "returned_cents")]


def rounded(store, dev, paytable, wagers):
    """A round of a board of its own under a paytable, its bets closed, with these wagers."""
    board = Chain(store, dev)
    settler = Settler(paytable)
    board.give(*board.line("spin", 1, 3), settler=settler)
    board.give(*board.line("bets_open", 1, 3), settler=settler)
    store.update_live(dev, 1, "BETTING", 1, None, at(2))
    store.place_wagers(dev, 1, wagers, paytable, lambda: at(2))
    board.give(*board.line("bets_closed", 1, "dealer"), settler=settler, occurred_s=2.5)
    board.give(*board.line("uncovered", 1), settler=settler)
    return board


def plain(name, areas, stakes, throw):
    """What becomes of the wagers by the plain reading, as the columns MADE."""
    made = []
    for (kind, selection), stake in zip(areas, stakes, strict=True):
        count = times(kind, selection, throw)
        pay = to_one(name, kind, selection, count)
        made.append(("win", pay, 1, stake * pay, stake * pay + stake) if count else ("lose", None, None, 0, 0))
    return made


def looked_up(table, columns, throw):
    verdicts, won, returned = table.settle(columns, throw)
    return [
        (verdict.result, *(verdict.odds or (None, None)), int(pay), int(back))
        for verdict, pay, back in zip((table.verdicts[index] for index in verdicts), won, returned, strict=True)
    ]


def by_statement(connection, round_, throw):
    """What the store's own statement enters, taken back again."""
    entered = select(*MADE).where(schema.settlements.c.dev == round_.dev).order_by(schema.settlements.c.id)
    trial = connection.begin_nested()
    assert entering.settle(connection, round_, throw, at(9)) == entering.count_due(connection, round_)
    made = [tuple(row) for row in connection.execute(entered)]
    trial.rollback()
    return made


@pytest.mark.parametrize("name", sorted(ODDS))
def test_statement_and_look_up_settle_every_result_on_every_area_as_the_plain_reading_does(store, name):
    paytable = paytables.load(name)
    areas = [(k, s) for k in SELECTIONS for s in SELECTIONS[k] if to_one(name, k, s, 1) is not None]
    stakes = [1000 + 7 * number for number in range(len(areas))]
    wagers = [Wager(f"w{n}", "p", *area, stakes[n]) for n, area in enumerate(areas)]
    rounded(store, DEV, paytable, wagers)
    round_ = store.round(DEV, 1)
    table = OddsTable(paytable)
    columns = table.columns(wagers)
    with store._db.writing() as connection:
        odds.keep(connection, paytable)
        for throw in THROWS:
            expected = plain(name, areas, stakes, throw)
            assert looked_up(table, columns, throw) == expected, throw
            assert by_statement(connection, round_, throw) == expected, throw


def test_pay_is_rounded_down_to_a_cent(store):
    """9 to 5 on 104 cents is 187.2, 1 to 3 on 2 cents is 0.67."""
    fractions = {("small", ""): paytables.Odds(9, 5), ("any_triple", ""): paytables.Odds(1, 3)}
    paytable = replace(HOIANA, odds={**HOIANA.odds, **fractions}, hash="5" * 64)
    wagers = [Wager("W1", "p", "small", "", 104), Wager("W2", "p", "any_triple", "", 2)]
    board = rounded(store, DEV, paytable, wagers)
    done = board.give(*board.line("result", 1, (1, 1, 2), 4), settler=Settler(paytable))
    assert figures(done.made.entries) == [("W1", "settle", "win", 187, 291), ("W2", "settle", "lose", 0, 0)]
    assert done.made.settled.totals.breakage_cents == Fraction(1, 5)
    corrected = board.line("correction", 1, 1, 5, (2, 2, 2), "supervisor", "wrong_entry")
    done = board.give(*corrected, settler=Settler(paytable))
    assert figures(done.made.entries)[2:] == [("W1", "settle", "lose", 0, 0), ("W2", "settle", "win", 0, 2)]
    assert done.made.settled.totals.breakage_cents == Fraction(2, 3)
    assert done.made.reversed.totals.breakage_cents == Fraction(-1, 5)


def test_the_largest_stake_at_the_highest_odds_is_paid_to_the_cent(store):
    paytable = replace(HOIANA, odds={**HOIANA.odds, ("any_triple", ""): paytables.Odds(999_999, 1)}, hash="6" * 64)
    board = rounded(store, DEV, paytable, [Wager("W1", "p", "any_triple", "", 1_000_000_000)])
    done = board.give(*board.line("result", 1, (2, 2, 2), 4), settler=Settler(paytable))
    assert figures(done.made.entries) == [("W1", "settle", "win", 999_999_000_000_000, 1_000_000_000_000_000)]


def test_the_odds_of_a_paytable_are_written_when_it_first_settles_and_never_again(store, board):
    """56 results on the 50 areas of hoiana."""
    written = select(func.count()).select_from(schema.odds)
    with store._db.reading() as connection:
        assert connection.execute(written).scalar_one() == 0
    board.result(1)
    board.result(2)
    with store._db.writing() as connection:
        odds.keep(connection, HOIANA)
        assert connection.execute(written).scalar_one() == 56 * 50


def test_a_wager_without_odds_stops_the_settling_with_a_sentence(store, board):
    board.result(1)
    pair = (schema.odds.c.kind == "combination", schema.odds.c.selection == "1-6")
    with store._db.writing() as connection:
        connection.execute(schema.odds.delete().where(*pair))
    board.uncovered(2)
    raw, fields = board.line("result", 2, (6, 1, 3), 4)
    with pytest.raises(
        UserError, match=r"^Wager 'W3' in round 2 .* on combination 1-6, .* no odds under paytable hoiana"
    ):
        board.give(raw, fields)
    assert store.settlements(DEV, 2) == [] and store.round(DEV, 2).state == "uncovered"
    assert store.last_identity(DEV).seq == fields["seq"] - 1
