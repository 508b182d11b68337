"""verify of a store's money: what does not follow, what stands astray, and what cannot be judged, each by its name."""

import shutil
import sqlite3

import pytest

from host_tools import keys
from host_tools.errors import UserError
from host_tools.settler import paytable as paytables
from host_tools.store import Store
from host_tools.store.rows import InForce
from host_tools.verify.stores import check_store
from tests.host.store.chain import DEV, SETTLER, Chain, at
from tests.host.verify.test_command import tumbler

KEY = bytes(range(32))
OTHER = "sim-0000000000b2-0001"
COLUMNS = "dev, round, wager_id, entry, boot, seq, outcome, won_cents, returned_cents, entered_at"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store with a result (record 6), a corrected one, an adjusted one and open bets."""
    folder = tmp_path_factory.mktemp("made")
    store = Store.open(f"sqlite:///{folder}/t.db")
    store.enrol(DEV, "T1", at(0))
    board = Chain(store)
    board.take("boot", "0123456789abcdef", "1.28.0", "pico", "power", "production", None)
    board.result(1)  # seq 2 to 6
    board.result(2)
    board.correct(2, (3, 3, 6))
    board.result(3)  # seq 13 to 17
    board.betting(4)
    store.adjust(DEV, 3, InForce((1, 17), None), (3, 3, 6), "wrong_entry", "host:anna", SETTLER, at(90))
    store.close()
    return folder / "t.db"


@pytest.fixture
def path(made, tmp_path):
    return shutil.copy(made, tmp_path / "t.db")


def change(path, *statements):
    with sqlite3.connect(path) as database:
        for pragma in ("foreign_keys=off", "ignore_check_constraints=on"):
            database.execute(f"pragma {pragma}")
        for statement in statements:
            assert database.execute(statement).rowcount > 0, statement
    database.close()


def whys(path):
    return " | ".join(damage.why for damage in check_store(f"sqlite:///{path}", lambda dev: KEY).damages)


def test_the_store_is_whole_before_it_is_changed(path):
    assert whys(path) == ""


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (
            [
                f"insert into settlements({COLUMNS}) select dev, round, 'GHOST', 'settle', boot, seq, 'win', 900, 1000,"
                " entered_at from settlements where id = 1"
            ],
            "settles wager GHOST, and its wager is not there",
        ),
        (["delete from wagers where round = 1 and wager_id = 'W1'"], "settles wager W1, and its wager is not there"),
        (["delete from rounds where round = 4"], "wagers or adjustments of round 4 are there, and it is not"),
        (["delete from records"], f"no record of board {DEV} is there, and its round 1 is"),
        (["update settlements set seq = 2 where id = 1"], "entry 1 of wager W1 does not name what is in force"),
        (["update settlements set seq = 9 where id = 1"], "the record that it names is none of this round"),
        (["update settlements set adjustment = 9 where adjustment = 1"], "the adjustment that it names is none"),
        (["update rounds set settled = 0 where round = 1"], "its result is in force, it is marked as not settled"),
        (
            ["delete from settlements where round = 1", "update rounds set settled = 0 where round = 1"],
            "its result is in force, it is marked as not settled",
        ),
        (["update rounds set settled = 1 where round = 4"], "it is marked as settled and has no end"),
        (
            [
                f"insert into settlements({COLUMNS}) select dev, round, wager_id, 'settle', 1, 19, 'win', 900, 1000,"
                " accepted_at from wagers where round = 4 and wager_id = 'W1'"
            ],
            "wager W1 is settled, and the round has no end",
        ),
        (
            ["update rounds set closed_at = '2020-01-01 00:00:00' where round = 1"],
            "of round 1 is that of no record of it",
        ),
        (
            ["update rounds set closed_at = '2030-01-01 00:00:00' where round = 1"],
            "closing of round 1 is after that of its record",
        ),
        (["update rounds set closed_at = null where round = 1"], "round 1 has no time of closing"),
        (["update rounds set adjustment = null where round = 3"], "adjustment a1 stands above 1:17"),
        (["update adjustments set seq = 16"], "adjustment a1, which it names, does not stand above 1:17"),
        (["delete from adjustments"], "adjustment a1, which it names, is not there"),
        (["update adjustments set dice = '999'"], "an adjustment of it has dice that are none"),
        (["update rounds set dice = '999' where round = 1"], "round 1 has dice '999', which are none"),
        (["update rounds set dice = '' where round = 1"], "round 1 has dice '', which are none"),
        (["update rounds set dice = 'abc' where round = 1"], "round 1 has dice 'abc', which are none"),
        (["update records set line = x'00ff' where seq = 6"], "its line is not text"),
        (["update wagers set stake_cents = 'abc' where round = 1 and wager_id = 'W1'"], "of wager W1 are no whole"),
        *(
            ([f"update wagers set stake_cents = {cents} where round = {number} and wager_id = 'W2'"], why)
            for cents, number, why in (
                (-100, 1, "round 1: stake of wager W2, -100 cents, is not from 1 to 1000000000"),
                (0, 4, "round 4: stake of wager W2, 0 cents, is not from 1 to 1000000000"),
                (1_000_000_001, 4, "round 4: stake of wager W2, 1000000001 cents, is not from 1 to 1000000000"),
            )
        ),
        (["update wagers set stake_cents = 'abc' where round = 4"], "round 4: stake of wager W1 is no whole cents"),
        (["update settlements set returned_cents = 'abc' where id = 1"], "of wager W1 are no whole cents"),
        (["update wagers set kind = 'zzz' where round = 1 and wager_id = 'W1'"], "wager W1 is on nothing that"),
        (["update rounds set paytable_hash = null where round = 1"], "the round names no paytable"),
    ],
)
def test_what_does_not_follow_is_named(path, statements, why):
    change(path, *statements)
    assert why in whys(path)


def test_a_closing_that_a_second_run_took_by_the_clock_of_the_board_is_no_damage(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path}/t.db")
    board = Chain(store)
    board.take("spin", 1, 3)
    board.take("bets_open", 1, 3, occurred_s=2, bound_ms=0)
    store.update_live(DEV, 1, "BETTING", 1, None, at(2))
    store.close()
    board.store = Store.open(f"sqlite:///{tmp_path}/t.db")  # it saw no open bets, and its clock is 60 s ahead
    board.take("bets_closed", 1, "dealer", occurred_s=63, bound_ms=0)
    closed_at = board.store.round(DEV, 1).closed_at
    assert at(2.9) < closed_at < at(3)
    board.store.close()
    assert whys(tmp_path / "t.db") == ""
    change(tmp_path / "t.db", "update rounds set closed_at = '2026-03-01 12:00:02.5'")
    assert "is that of no record of it" in whys(tmp_path / "t.db")


def test_a_round_that_waits_for_an_alarm_is_no_damage_until_records_come_after_its_end(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path}/t.db")
    board = Chain(store)
    board.uncovered(1)
    alarm = store.alarm(DEV, "totals", "Look at the slips.", at(5))
    board.take("result", 1, (6, 1, 3), 4)
    assert whys(tmp_path / "t.db") == ""
    store.confirm_alarm(alarm, "anna", at(30))
    assert whys(tmp_path / "t.db") == ""
    store.close()
    change(tmp_path / "t.db", "update records set received_at = '2026-03-01 13:00:00' where seq = 5")
    assert "no alarm says why" in whys(tmp_path / "t.db")


def test_a_result_of_a_board_that_was_replaced_cannot_be_void(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path}/t.db")
    store.enrol(DEV, "T1", at(0))
    board = Chain(store)
    board.result(1)
    board.uncovered(2)
    store.enrol(OTHER, "T1", at(50))
    Chain(store, OTHER).take("boot", "0123456789abcdef", "1.28.0", "pico", "power", "production", DEV)
    assert store.round(DEV, 2).state == "void"
    store.close()
    assert whys(tmp_path / "t.db") == ""
    void = (
        "outcome = 'void', odds_win = null, odds_stake = null, won_cents = 0, returned_cents = (select stake_cents from"
        " wagers where wagers.round = settlements.round and wagers.wager_id = settlements.wager_id)"
    )
    change(tmp_path / "t.db", "update rounds set state = 'void'", f"update settlements set {void}")
    assert whys(tmp_path / "t.db") == "that record of round 1 is a result, the round is void"


def test_a_bundled_paytable_is_known_by_its_hash_whatever_the_round_calls_it(path):
    change(path, "update rounds set paytable = 'gone'", "update settlements set won_cents = 9 where id = 1")
    assert "its entry 1 says" in whys(path)


def test_amounts_under_a_paytable_that_is_not_here_are_not_called_whole(path, tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "board_key", lambda dev: KEY)
    change(path, "update rounds set paytable = 'ours', paytable_hash = 'ab12' where round in (1, 2)")
    with pytest.raises(UserError, match=r"Round 1 of board .* under paytable ours \(hash ab12\), which is not here.*"):
        tumbler("verify", f"sqlite:///{path}")
    change(path, "update settlements set returned_cents = 1 where round = 3 and entry = 'reverse'")
    code, said = tumbler("verify", f"sqlite:///{path}")
    assert code == 1 and "DAMAGED" in said  # damage is said first


def test_a_paytable_that_is_given_judges(path, tmp_path):
    text = paytables.path_of("hoiana").read_text()
    (tmp_path / "ours.toml").write_text(text.replace('name = "hoiana"', 'name = "ours"'))
    ours = paytables.load(str(tmp_path / "ours.toml"))
    change(path, f"update rounds set paytable = 'ours', paytable_hash = '{ours.hash}' where round = 1")
    url = f"sqlite:///{path}"
    assert [one.round for one in check_store(url, lambda dev: KEY).unknown] == [1]
    found = check_store(url, lambda dev: KEY, [paytables.load("macau"), ours])
    assert not found.unknown and not found.damages


def test_changed_odds_are_damage_of_the_store_and_those_of_a_paytable_that_is_given_too(path, tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "board_key", lambda dev: KEY)
    text = paytables.path_of("hoiana").read_text()
    (tmp_path / "ours.toml").write_text(text.replace('name = "hoiana"', 'name = "ours"'))
    ours = paytables.load(str(tmp_path / "ours.toml"))
    change(
        path,
        f"update rounds set paytable = 'ours', paytable_hash = '{ours.hash}'",
        f"update odds set paytable_hash = '{ours.hash}'",
        "update odds set odds_win = 9 where dice = '123' and kind = 'small'",
    )
    code, said = tumbler("verify", f"sqlite:///{path}", "--paytable", str(tmp_path / "ours.toml"))
    assert code == 1 and "the store is changed: its odds under paytable ours" in said
    assert "small at dice 123 is win at 9 to 1 in the store, win at 1 to 1 in the paytable" in said


def test_entries_of_a_round_that_is_marked_as_not_settled_are_one_sentence_to_who_settles(path):
    change(path, "update rounds set settled = 0 where round = 1")
    store = Store.open(f"sqlite:///{path}")
    with pytest.raises(UserError, match=r"Round 1 of board .* marked as not settled, but entries of 1:6 stand"):
        store.settle_due(DEV, SETTLER, at(100))
    store.close()
