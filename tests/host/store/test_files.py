"""The file of a store: a backup out of it and into its place, and what is done to the file beside the program."""

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from host_tools.errors import UserError
from host_tools.settler.settle import Wager
from host_tools.store import Store, database, files
from tests.host.store.chain import DEV, Chain, at


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tumbler.db"


@pytest.fixture
def url(path):
    return f"sqlite:///{path}"


def integrity(path):
    with closing(sqlite3.connect(path)) as file:
        return file.execute("pragma integrity_check").fetchall()


def rounds(path):
    with closing(sqlite3.connect(path)) as file:
        return [number for (number,) in file.execute("select round from rounds order by round")]


def killed_behind(path, url, tmp_path):
    """A store as kill -9 leaves it, over 4 MB of wagers behind its backup: the newest pages are in its -wal alone."""
    live = tmp_path / "live.db"
    run = Store.open(f"sqlite:///{live}")
    board = Chain(run)
    board.result(1)
    files.backup(f"sqlite:///{live}", tmp_path / "backup.db")
    for number in (2, 3, 4):
        board.result(number, batch=[Wager(f"W{place}", "Aroha", "small", "", 100) for place in range(3000)])
    for number in range(5, 10):  # the -wal is full once, and begins anew
        board.result(number)
    for part in ("", "-wal"):
        shutil.copyfile(f"{live}{part}", f"{path}{part}")
    run.close()


def test_a_backup_made_while_a_run_writes_is_whole_and_one_file(url, path, tmp_path):
    run = Store.open(url)
    Chain(run).result(1)
    files.backup(url, tmp_path / "backup.db")
    assert rounds(tmp_path / "backup.db") == [1] and integrity(tmp_path / "backup.db") == [("ok",)]
    assert sorted(os.listdir(tmp_path)) == ["backup.db", "tumbler.db", "tumbler.db-shm", "tumbler.db-wal"]
    run.close()


def test_a_backup_takes_the_place_of_no_file(url, tmp_path):
    Store.open(url).close()
    (tmp_path / "backup.db").write_text("mine")
    with pytest.raises(UserError, match="is there already"):
        files.backup(url, tmp_path / "backup.db")
    assert (tmp_path / "backup.db").read_text() == "mine"


def test_a_backup_that_is_restored_over_a_killed_run_has_nothing_of_its_wal(url, path, tmp_path):
    killed_behind(path, url, tmp_path)
    kept = files.restore(url, tmp_path / "backup.db", at(0))
    assert integrity(path) == [("ok",)] and rounds(path) == [1]
    assert rounds(kept) == list(range(1, 10))
    Store.open(url).close()


def test_no_backup_is_restored_while_a_program_has_the_store_open(url, path, tmp_path):
    run = Store.open(url)
    Chain(run).result(1)
    files.backup(url, tmp_path / "backup.db")
    before = os.stat(path).st_ino
    with pytest.raises(UserError, match="is open in another program"):
        files.restore(url, tmp_path / "backup.db", at(0))
    assert os.stat(path).st_ino == before and len(run.rounds()) == 1
    run.close()
    assert sorted(os.listdir(tmp_path)) == ["backup.db", "tumbler.db"]
    files.restore(url, tmp_path / "backup.db", at(0))
    assert os.stat(path).st_ino != before


@pytest.mark.parametrize("what", ["none", "text", "other", "damaged", "version", "itself"])
def test_what_is_no_whole_backup_is_not_restored_and_the_store_stays(url, path, tmp_path, what):
    Store.open(url).close()
    backup = tmp_path / "backup.db"
    if what == "text":
        backup.write_text("wager_id,player,kind,selection,stake\n" * 50)
    elif what == "itself":
        backup = path
    elif what != "none":
        Store.open(f"sqlite:///{backup}").close()
        with closing(sqlite3.connect(backup)) as file, file:
            file.execute(
                {"version": "update meta set schema_version = 4", "other": "drop table meta"}.get(what, "vacuum")
            )
        if what == "damaged":
            damage(backup)
    before = path.read_bytes()
    with pytest.raises(UserError) as error:
        files.restore(url, backup, at(0))
    assert "backup.db" in str(error.value) or what == "itself"
    assert path.read_bytes() == before
    assert set(os.listdir(tmp_path)) <= {"backup.db", "tumbler.db"}


def test_where_no_store_is_a_backup_makes_one(url, path, tmp_path):
    Store.open(f"sqlite:///{tmp_path}/live.db").close()
    files.backup(f"sqlite:///{tmp_path}/live.db", tmp_path / "backup.db")
    assert files.restore(url, tmp_path / "backup.db", at(0)) is None
    assert integrity(path) == [("ok",)]


def test_a_damaged_store_is_kept_beside_the_backup_that_takes_its_place(url, path, tmp_path):
    Store.open(url).close()
    files.backup(url, tmp_path / "backup.db")
    damage(path)
    damaged = path.read_bytes()
    kept = files.restore(url, tmp_path / "backup.db", at(0))
    assert integrity(path) == [("ok",)] and kept.read_bytes() == damaged


def damage(path):
    """All pages but the first, which names the tables."""
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(8 * 4096)
        file.write(b"\xa5" * (size - 8 * 4096))


def test_a_run_refuses_a_store_over_which_the_wal_of_another_one_was_laid(url, path, tmp_path):
    killed_behind(path, url, tmp_path)
    shutil.copyfile(tmp_path / "backup.db", path)
    with pytest.raises(UserError, match=r"is damaged: .*`tumbler store restore`"):
        database.check(url)
    files.restore(url, tmp_path / "backup.db", at(0))
    database.check(url)


REMOVED = {
    "removed": lambda path: [os.remove(f"{path}{part}") for part in ("", "-wal", "-shm")],
    "moved": lambda path: os.rename(path, f"{path}.old"),
    "replaced": lambda path: os.replace(path.parent / "other.db", path),
}


@pytest.mark.parametrize("how", REMOVED)
def test_nothing_is_written_once_the_file_was_removed_moved_or_replaced(url, path, tmp_path, how):
    Store.open(f"sqlite:///{tmp_path}/other.db").close()
    run = Store.open(url)
    board = Chain(run)
    board.result(1)
    REMOVED[how](path)
    with pytest.raises(UserError, match=r"was removed, moved or replaced while .* start again\.$"):
        board.take("spin", 2, 3)
    with pytest.raises(UserError, match="was removed, moved or replaced"):
        run.enrol(DEV, "T1", at(0))
    with pytest.raises(UserError, match="was removed, moved or replaced"):
        run.rounds()
    run.close()
    assert path.exists() == (how == "replaced")


def test_a_store_that_was_moved_away_and_back_has_every_round(url, path):
    run = Store.open(url)
    board = Chain(run)
    board.result(1)
    os.rename(path, f"{path}.old")
    with pytest.raises(UserError, match="was removed, moved or replaced"):
        board.take("spin", 2, 3)
    run.write_back()
    run.close()
    os.rename(f"{path}.old", path)
    assert rounds(path) == [1] and integrity(path) == [("ok",)]


def test_behind_a_run_that_ended_the_file_alone_has_all_while_a_view_is_on(url, path, tmp_path):
    view, run = database.Database(url), Store.open(url)
    with view.watching() as ask:
        Chain(run).result(1)
        ask()
        run.write_back()
        run.close()
        shutil.copyfile(path, tmp_path / "copy.db")
    view.close()
    assert rounds(tmp_path / "copy.db") == [1]
