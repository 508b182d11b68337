"""verify of a store: whole as runs and hosts leave it; each thing that is changed behind their back is named."""

import pytest
from sqlalchemy import create_engine, select, update

from host_tools.store import Store
from host_tools.store.database import Database
from host_tools.store.rows import InForce
from host_tools.store.schema import records
from host_tools.verify.stores import check_store
from tests.host.store.behind import change
from tests.host.store.chain import DEV, HOIANA, SETTLER, Chain, at
from tests.host.verify.recording import Recording

KEY = bytes(range(32))


@pytest.fixture
def played(url):
    """A store with a result, a correction, a void, a late wager that went back, a round with open bets, and meters."""
    store = Store.open(url)
    board = Chain(store)
    board.take("boot", "0123456789abcdef", "1.28.0", "pico", "power", "production", None)
    board.result(1)  # seq 2 to 6
    board.take("meter", 1, 4, 1, 0, 0, 0, 3)
    board.result(2)  # 8 to 12
    board.correct(2, (3, 3, 6))
    board.take("meter", 2, 8, 2, 0, 1, 0, 3)
    board.uncovered(3)  # 15 to 18
    board.void(3)
    board.betting(4)  # 20, 21
    board.take("bets_closed", 4, "dealer", occurred_s=board.seq, bound_ms=500)  # all of its wagers are late
    store.close()
    return url


def damages(url, *changes):
    """(kind, seq) of what is found once the changes were made behind everybody's back."""
    if changes:
        change(url, *changes)
    found = check_store(url, lambda dev: KEY)
    return [(damage.kind, damage.seq) for damage in found.damages]


def test_a_store_as_runs_leave_it_is_whole(played):
    assert damages(played) == []
    found = check_store(played, lambda dev: KEY)
    assert (found.records, found.rounds, found.settlements, found.unknown) == (22, 4, 4 + 12 + 4 + 4, [])


@pytest.mark.parametrize(
    ("statement", "kind", "seq"),
    [
        ("update records set line = replace(line, '[6,1,3]', '[6,6,6]') where seq = 6", "edited", 6),
        ("update records set mac = '0' || substr(mac, 2) where seq = 6", "edited", 6),
        ("update records set kind = 'void' where seq = 6", "edited", 6),
        ("update records set t_ms = 1 where seq = 6", "edited", 6),
        ("delete from records where seq = 7", "dropped", 7),
        ("update rounds set dice = '666' where round = 1", "not what its round shows", 6),
        ("update rounds set state = 'result', dice = '336' where round = 3", "not what its round shows", 19),
        ("delete from records where seq = 22", "not what its round shows", 22),
        ("update settlements set returned_cents = 9000 where id = 1", "not what was settled", 6),
        ("update settlements set outcome = 'win' where id = 2", "not what was settled", 6),
        (
            "update settlements set won_cents = 0 where entry = 'reverse' and wager_id = 'W1'",
            "not what was settled",
            13,
        ),
        ("delete from settlements where round = 1 and wager_id = 'W1'", "not what was settled", 6),
        ("update wagers set stake_cents = 5000 where round = 1 and wager_id = 'W1'", "not what was settled", 6),
    ],
)
def test_what_was_changed_behind_its_back_is_named(played, statement, kind, seq):
    assert (kind, seq) in damages(played, statement)


@pytest.mark.parametrize(("cents", "number", "seq"), [(-100, 1, 6), (0, 4, 22), (1_000_000_001, 4, 22)])
def test_a_stake_that_no_wager_may_have_is_named_where_it_lost_and_where_it_is_open(played, cents, number, seq):
    """Whoever may write to the database may take its conditions away, too."""
    changed = f"update wagers set stake_cents = {cents} where round = {number} and wager_id = 'W2'"
    if played.startswith("postgresql"):
        engine = create_engine(played)
        with engine.begin() as connection:
            connection.exec_driver_sql("alter table wagers drop constraint stake_in_range")
            connection.exec_driver_sql(changed)
            condition = "check (stake_cents between 1 and 1000000000) not valid"  # for the tests that come after
            connection.exec_driver_sql(f"alter table wagers add constraint stake_in_range {condition}")
        engine.dispose()
    else:
        change(played, changed)
    assert ("not what was settled", seq) in damages(played)


def test_a_crc_made_right_again_does_not_help(played):
    database = Database(played)
    with database.writing() as connection:
        line = connection.execute(select(records.c.line).where(records.c.seq == 6)).scalar_one()
        forged = Recording().sealed_again(line.encode() + b"\n", b"[6,1,3]", b"[6,6,6]")[:-1].decode()
        connection.execute(update(records).where(records.c.seq == 6).values(line=forged))
    database.close()
    assert damages(played)[0] == ("edited", 6)


def test_a_named_gap_is_no_damage_and_an_unnamed_one_is(url):
    store = Store.open(url)
    board = Chain(store)
    board.result(1)
    for _ in range(3):
        board.line("spin", 2, 3)
    alarm = store.alarm(DEV, "store_behind", "Records 6 to 8 are missing.", at(9), (6, 8))
    store.confirm_alarm(alarm, "anna", at(10))
    board.result(3)
    board.take("meter", 9, 9, 9, 9, 9, 9, 3)
    store.close()
    assert damages(url) == []
    assert damages(url, "update alarms set missing_to = 7") == [("dropped", 6)]


def test_a_meter_that_disagrees_is_named(url):
    store = Store.open(url)
    board = Chain(store)
    board.result(1)
    board.take("meter", 1, 4, 2, 0, 0, 0, 3)
    store.close()
    assert damages(url) == [("totals", 6)]


def test_a_round_that_was_taken_out_with_its_wagers_is_named(played):
    """Wagers are in no record, but the round is."""
    for table in ("settlements", "wagers"):
        damages(played, f"delete from {table} where round = 1")
    assert damages(played, "delete from rounds where round = 1") == [("not what its round shows", 6)]


def test_a_round_whose_record_an_alarm_names_need_not_be_there(url):
    store = Store.open(url)
    board = Chain(store)
    board.take("bets_open", 1, 3)  # no spin before it
    assert store.open_alarms()[0].kind == "order" and store.rounds() == []
    store.close()
    assert damages(url) == []


def test_stakes_that_an_adjustment_gave_back_for_good_are_no_damage_under_a_later_result(url):
    store = Store.open(url)
    board = Chain(store)
    board.uncovered(1)
    store.adjust(DEV, 1, InForce((1, 4), None), None, "equipment", "host:anna", SETTLER, at(9))
    board.take("result", 1, (6, 1, 3), 4)
    assert {entry.settlement.outcome for entry in store.settlements(DEV, 1)} == {"void"}
    store.close()
    assert damages(url) == []
    win = "update settlements set outcome = 'win', returned_cents = 2000 where wager_id = 'W1'"
    assert damages(url, win) == [("not what was settled", 5)]


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        (
            "update odds set odds_win = 180 where dice = '444' and kind = 'triple' and outcome = 'win'",
            "triple 4 at dice 444 is win at 180 to 1 in the store, win at 150 to 1 in the paytable",
        ),
        (
            "update odds set outcome = 'lose', odds_win = null, odds_stake = null where kind = 'big' and dice >= '245'",
            "big at dice 245 is lose in the store, win at 1 to 1 in the paytable",
        ),
        (
            "delete from odds where dice = '136' and kind = 'small'",
            "small at dice 136 is absent in the store, win at 1 to 1 in the paytable",
        ),
        (
            "insert into odds (paytable_hash, dice, kind, selection, outcome) select paytable_hash, dice, 'odd', '',"
            " outcome from odds where dice = '111' and kind = 'small'",
            "odd at dice 111 is lose in the store, absent in the paytable",
        ),
    ],
)
def test_odds_that_no_wager_has_met_yet_are_compared_with_their_paytable_and_the_first_wrong_row_is_named(
    played, statement, wrong
):
    change(played, statement)
    (damage,) = check_store(played, lambda dev: KEY).damages
    assert damage.kind == "changed" and damage.why == (
        f"its odds under paytable hoiana (hash {HOIANA.short_hash}) are wrong: {wrong}"
    )
