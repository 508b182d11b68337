"""`tumbler replay`: a log gives the settlements of its run once more, fills a restored store, and opens no bets."""

import sqlite3
from datetime import datetime, timezone

import pytest
from typer.testing import CliRunner

from host_tools.commands import app
from host_tools.errors import UserError
from host_tools.replay.feed import Replay
from host_tools.store import Settler, Store
from host_tools.store.rows import Owner
from tests.host.capture.parts import in_parts
from tests.host.run.table_bench import HOIANA, WAGERS, Bench, play, started
from tests.host.verify.recording import DEV, Recording

WAGER_FILE = "wager_id,player,kind,selection,stake\nW1,Aroha,small,,10.00\nW2,Ben,total,15,5.00\n"
TABLES = "select round, wager_id, entry, boot, seq, outcome, won_cents, returned_cents from settlements order by id"
LINES = "select line from records order by dev, seq"
ROUNDS = "select round, state, dice, boot, seq, settled from rounds order by round"


def replay(*args):
    """-> (exit code, what was printed)."""
    done = CliRunner().invoke(app, ["replay", *(str(arg) for arg in args)])
    if isinstance(done.exception, UserError):
        raise done.exception
    return done.exit_code, done.output


def rows(url, query):
    store = Store.open(url)
    with store._db.reading() as connection:
        found = [tuple(row) for row in connection.exec_driver_sql(query)]
    store.close()
    return found


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/scratch.db"


@pytest.fixture
def live(tmp_path, monkeypatch):
    """A run of two rounds and a correction: its log, its store's URL, its wager file."""
    monkeypatch.setattr("host_tools.link.port.READ_TIMEOUT_S", 0.005)
    made = Bench(tmp_path, board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    play(made, 1)
    made.say(made.board.write("correction", 1, 1, 6, (5, 5, 5), "supervisor", "wrong_entry"))
    play(made, 2, (6, 4, 5))
    for closed in (made.port, made.capture, made.store):
        closed.close()
    (tmp_path / "wagers.csv").write_text(WAGER_FILE)
    return made.capture.log_path, f"sqlite:///{tmp_path}/t.db", tmp_path / "wagers.csv"


def test_a_log_in_a_new_store_gives_the_settlements_of_its_run(live, url):
    log, lived, file = live
    code, said = replay(log, "--store", url, "--wagers", file)
    assert code == 0 and "12 records taken" in said
    assert rows(url, TABLES) == rows(lived, TABLES) != []
    assert (rows(url, LINES), rows(url, ROUNDS)) == (rows(lived, LINES), rows(lived, ROUNDS))


def test_a_log_in_parts_gives_the_settlements_and_times_of_its_run(live, tmp_path, url):
    log, lived, file = live
    parts = in_parts(log, tmp_path / "parts", 700)
    assert len(parts) > 3
    code, said = replay(*reversed(parts), "--store", url, "--wagers", file)
    assert code == 0 and "12 records taken" in said
    times = "select seq, received_at from records order by seq"
    for query in (TABLES, LINES, ROUNDS, times):
        assert rows(url, query) == rows(lived, query) != []


def test_a_replay_never_takes_the_store_of_the_table_by_default(live, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, said = replay(live[0])
    assert code == 2 and "--store" in said
    assert not (tmp_path / "tumbler.db").exists()


def test_a_log_that_is_replayed_again_changes_nothing(live, url):
    log, _, file = live
    replay(log, "--store", url, "--wagers", file)
    before = [rows(url, query) for query in (TABLES, LINES, ROUNDS)]
    code, said = replay(log, "--store", url, "--wagers", file)
    assert code == 0 and "0 records taken" in said and "0 settlements" in said
    assert [rows(url, query) for query in (TABLES, LINES, ROUNDS)] == before


def test_the_times_of_the_records_are_those_of_the_capture(live, url):
    log, lived, _ = live
    replay(log, "--store", url)
    times = "select received_at from records order by seq"
    assert rows(url, times) == rows(lived, times)


def test_no_board_looks_live_after_a_replay(live, url):
    log, _, file = live
    replay(log, "--store", url, "--wagers", file)
    assert [rows(url, f"select count(*) from {name}") for name in ("live", "owners", "boards")] == [[(0,)]] * 3


def test_a_store_that_saw_the_board_live_takes_no_wagers_from_a_file(live, tmp_path, url):
    log, _, file = live
    store = Store.open(url)
    store.update_live(DEV, 1, "IDLE", 0, None, datetime(2026, 11, 30, tzinfo=timezone.utc))
    store.close()
    with pytest.raises(UserError, match="its wagers are those that were taken then"):
        replay(log, "--store", url, "--wagers", file)
    assert rows(url, "select count(*) from wagers") == [(0,)]


def test_a_restored_store_gets_what_it_lacks_and_settles_the_wagers_that_it_has(live, tmp_path):
    """The backup is of round 1 with bets open, and the board said so once more after the wagers were placed."""
    log, lived, _ = live
    (tmp_path / "backup").mkdir()
    made = Bench(tmp_path / "backup", board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    made.say(made.board.write("spin", 1, 3) + made.board.write("bets_open", 1, 3))
    made.say(made.board.status("BETTING", 1))
    made.pass_time(0.5)
    made.say(made.board.status("BETTING", 1))
    made.run._ownership.release()
    for closed in (made.port, made.capture, made.store):
        closed.close()
    url = f"sqlite:///{tmp_path}/backup/t.db"
    code, said = replay(log, "--store", url)
    assert code == 0 and "9 records taken" in said
    round_1 = TABLES.replace("order by", "where round = 1 order by")
    assert rows(url, round_1) == rows(lived, round_1) != []
    assert rows(url, LINES) == rows(lived, LINES)


@pytest.mark.parametrize("bound", ["bound_ms", "null"])
def test_wagers_that_only_the_boards_clock_can_prove_to_be_in_time_go_back_without_it(live, tmp_path, bound):
    """A log tells no time of a closing but the board's; the backup is of the moment after the wagers were placed."""
    (tmp_path / "backup").mkdir()
    made = Bench(tmp_path / "backup", board=started(), wagers=WAGERS).meet()
    made.say(made.board.lines[0])
    made.say(made.board.write("spin", 1, 3) + made.board.write("bets_open", 1, 3))
    made.say(made.board.status("BETTING", 1))
    made.run._ownership.release()
    for closed in (made.port, made.capture, made.store):
        closed.close()
    url = f"sqlite:///{tmp_path}/backup/t.db"
    with sqlite3.connect(tmp_path / "backup" / "t.db") as database:
        database.execute(f"update records set bound_ms = {bound} where kind = 'bets_open'")
    database.close()
    assert replay(live[0], "--store", url)[0] == 0
    round_1 = TABLES.replace("order by", "where round = 1 order by")
    if bound == "null":
        assert [row[5] for row in rows(url, round_1)] == ["void", "void"]
    else:
        assert rows(url, round_1) == rows(live[1], round_1)


def test_a_log_behind_a_gap_is_not_taken_and_the_first_record_is_named(tmp_path, url):
    made = Recording().start().play(1)
    (tmp_path / "a.log").write_bytes(b"".join(made.board.lines[:3] + made.board.lines[4:]))
    code, said = replay(tmp_path / "a.log", "--store", url)
    assert code == 1 and "a.log:4: record 1:5 of board" in said and "record 4 is not there" in said
    assert len(rows(url, LINES)) == 3


def test_a_record_that_came_early_and_again_in_its_turn_is_taken(tmp_path, url):
    made = Recording().start().play(1)
    (tmp_path / "a.log").write_bytes(b"".join(made.board.lines[:3] + made.board.lines[4:5] + made.board.lines[3:]))
    assert replay(tmp_path / "a.log", "--store", url)[0] == 0
    assert len(rows(url, LINES)) == 7


def test_an_edited_record_and_all_behind_it_are_not_taken(tmp_path, url):
    made = Recording().start().play(1)
    made.lines[made.at(6)] = made.sealed_again(made.board.lines[5], b"[1,3,6]", b"[6,6,6]")
    (tmp_path / "a.log").write_bytes(made.log)
    code, said = replay(tmp_path / "a.log", "--store", url)
    assert code == 1 and "record 1:6 of board" in said and "tumbler verify" in said
    assert len(rows(url, LINES)) == 5


def test_a_record_that_the_store_has_with_other_content_is_named(tmp_path, url):
    for name, dice in (("a", (1, 3, 6)), ("b", (5, 5, 5))):
        (tmp_path / f"{name}.log").write_bytes(Recording().start().play(1, dice).play(2).log)
    assert replay(tmp_path / "a.log", "--store", url)[0] == 0
    code, said = replay(tmp_path / "b.log", "--store", url)
    assert code == 1 and "record 1:6 of board" in said and "is not the record that is stored" in said


def test_a_board_that_a_run_owns_is_left_alone(tmp_path, url, monkeypatch):
    (tmp_path / "a.log").write_bytes(Recording().start().log)
    at = datetime(2026, 11, 30, tzinfo=timezone.utc)
    store = Store.open(url)
    store.claim(Owner(DEV, "0" * 16, "pit", 42, at, at, at), None)
    monkeypatch.setattr("host_tools.replay.feed.time.sleep", lambda _: store.renew(DEV, datetime.now(timezone.utc), at))
    with pytest.raises(UserError, match=r"belongs to process 42 on pit .* which is running"):
        replay(tmp_path / "a.log", "--store", url)
    store.close()
    assert rows(url, LINES) == []


def test_times_that_a_run_which_died_did_not_finish_are_left_out(live, url):
    log, lived, _ = live
    with log.with_suffix(".times.csv").open("a") as times:
        times.write("99999,2026-11-")
    assert replay(log, "--store", url)[0] == 0
    query = "select received_at from records order by seq"
    assert rows(url, query) == rows(lived, query)


def test_times_that_are_none_are_named_and_nothing_is_taken(live, url):
    log, _, _ = live
    log.with_suffix(".times.csv").write_text("offset,utc\n0,noon\n")
    with pytest.raises(UserError, match=r"times.csv, line 2: '0,noon' is no byte and its time"):
        replay(log, "--store", url)
    assert rows(url, LINES) == []


def test_a_replay_that_died_between_the_bets_and_their_wagers_goes_on_where_it_was(live, url, monkeypatch):
    log, lived, file = live
    with monkeypatch.context() as dying:
        dying.setattr(Store, "place_replayed", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Replay(Store.open(url), Settler(HOIANA), WAGERS, print).log([log], lambda _: None)
    assert rows(url, "select state from rounds") == [("bets_open",)]
    with sqlite3.connect(url.removeprefix("sqlite:///")) as database:
        database.execute("delete from owners")
    database.close()
    assert replay(log, "--store", url, "--wagers", file)[0] == 0
    assert rows(url, TABLES) == rows(lived, TABLES)


def test_wagers_of_a_round_that_a_log_leaves_open_are_placed_once_and_no_others_after_them(tmp_path, url):
    made = Recording().start()
    made.take("spin", 1, 3)
    made.take("bets_open", 1, 3)
    (tmp_path / "a.log").write_bytes(made.log)
    (tmp_path / "wagers.csv").write_text(WAGER_FILE)
    (tmp_path / "other.csv").write_text(WAGER_FILE.replace("10.00", "20.00"))
    for _ in range(2):
        assert replay(tmp_path / "a.log", "--store", url, "--wagers", tmp_path / "wagers.csv")[0] == 0
    with pytest.raises(UserError, match="other wagers than these are placed in it, W1, W2"):
        replay(tmp_path / "a.log", "--store", url, "--wagers", tmp_path / "other.csv")
    assert rows(url, "select wager_id, stake_cents from wagers order by place") == [("W1", 1000), ("W2", 500)]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "b.log holds no ledger line: give"),
        (b"offset,utc\n0,2026-11-30T12:00:00\n", "b.log holds no ledger line: give"),
        (b'{"sb":1,"dev":"sim-0000000000a1-9c1e"}\n', "b.log holds no ledger line that is whole: copy"),
    ],
)
def test_what_holds_no_whole_line_is_refused_and_leaves_no_store(tmp_path, url, content, sentence):
    (tmp_path / "a.log").write_bytes(Recording().start().log)
    (tmp_path / "b.log").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        replay(tmp_path / "a.log", tmp_path / "b.log", "--store", url)
    assert not (tmp_path / "scratch.db").exists()
