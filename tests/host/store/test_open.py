"""Opening: what is not a store, or not to be had, gives one sentence and stays as it was; settings of SQLite."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, event, inspect
from sqlalchemy.dialects import postgresql

from host_tools.errors import UserError
from host_tools.store import Store, database, settling
from tests.host.store.chain import DEV, Chain, at
from tests.host.unprivileged import folder_for_all, not_as_root


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/table.db"


def refusal(url):
    """What refuses it, the same when it is only checked."""
    with pytest.raises(UserError) as checked:
        database.check(url)
    with pytest.raises(UserError) as error:
        Store.open(url)
    assert str(checked.value) == str(error.value)
    sentence = str(error.value)
    assert sentence.startswith("Store ") and sentence.endswith(".") and "\n" not in sentence
    return sentence


def change(url, statement):
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file, file:
        file.execute(statement)


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("table.db", "'table.db' is not a database URL"),
        ("", "is not a database URL"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("nosuch://host/table", "of no database that is known"),
        ("postgresql://host:port/table", "is not a database URL"),
        ("sqlite:///table.db?timeout=soon", "has options behind a ?"),
        ("sqlite:///file:mem1?mode=memory&uri=true", "has options behind a ?"),
        ("sqlite:///file::memory:?cache=shared&uri=true", "has options behind a ?"),
        ("sqlite:///table.db?isolation_level=DEFERRED", "has options behind a ?"),
        ("sqlite:///table.db?detect_types=3", "has options behind a ?"),
        ("sqlite:///a\x00b.db", "a\\x00b.db is no file name"),
        ("sqlite:////dev/null/\nx.db", "\\nx.db cannot be opened"),
        ("sqlite://anna:hunter2@host/a.db", "anna:***@host/a.db names a host"),
        ("sqlite:////dev/null", "is not a file"),
    ],
)
def test_a_bad_url_is_refused(url, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert what in refusal(url)
    assert list(tmp_path.iterdir()) == []


def test_no_message_shows_a_password():
    assert "hunter2" not in refusal("nosuch://anna:hunter2@host/table")
    assert "hunter2" not in refusal("postgresql://anna:hunter2@host:port/table")


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    assert "cannot be opened" in refusal(f"sqlite:///{tmp_path}/none/table.db")


def test_a_folder_instead_of_a_file_is_refused(tmp_path):
    assert "is not a file" in refusal(f"sqlite:///{tmp_path}")


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "wagers.csv"
    path.write_text("wager_id,player,kind,selection,stake\n" * 50)
    assert "is not a store" in refusal(f"sqlite:///{path}")
    assert path.read_text() == "wager_id,player,kind,selection,stake\n" * 50


OTHER = ["create table songs (title text)", "create view now as select 1 as one", "create table meta (name text)"]


@pytest.mark.parametrize("statement", OTHER)
def test_a_database_of_something_else_is_refused_and_no_byte_of_it_changes(tmp_path, statement):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute(statement)
    before = path.read_bytes()
    assert "holds other tables" in refusal(f"sqlite:///{path}")
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["other.db"]


@pytest.mark.parametrize("version", [4, 99])
def test_another_schema_version_is_refused(url, version):
    Store.open(url).close()
    change(url, f"update meta set schema_version = {version}")
    assert f"has schema version {version}, this program writes 6" in refusal(url)


def test_a_store_from_before_the_index_on_ids_gets_it_from_who_opens_it_to_write(url):
    """Without it each placement over HTTP reads all wagers that were ever taken."""
    Store.open(url).close()
    engine = create_engine(url)

    def indexes():
        return {index["name"] for index in inspect(engine).get_indexes("wagers")}

    with engine.begin() as connection:
        connection.exec_driver_sql("drop index wagers_id")
    database.Database(url, make=False).close()
    assert "wagers_id" not in indexes()
    Store.open(url).close()
    assert "wagers_id" in indexes()
    engine.dispose()


@pytest.mark.parametrize(
    "statement",
    [
        "delete from meta",
        "update meta set schema_version = -1",
        "drop table live",
        "alter table alarms drop column text",
    ],
)
def test_a_store_with_something_missing_is_refused_as_damaged(url, statement):
    Store.open(url).close()
    change(url, statement)
    assert "is damaged" in refusal(url)


@pytest.mark.parametrize("content", [None, b""])
def test_a_store_that_is_only_asked_is_not_made(tmp_path, content):
    path = tmp_path / "none.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match="There is no store"):
        database.Database(f"sqlite:///{path}", make=False)
    assert (path.read_bytes() if path.exists() else None) == content


@pytest.mark.parametrize("content", [None, b""])
def test_where_a_store_can_be_made_a_check_is_content_and_makes_none(tmp_path, content):
    path = tmp_path / "none.db"
    if content is not None:
        path.write_bytes(content)
    database.check(f"sqlite:///{path}")
    assert (path.read_bytes() if path.exists() else None) == content
    assert os.listdir(tmp_path) == ([] if content is None else ["none.db"])


def test_a_folder_that_takes_no_file_is_refused_before_a_store_is_made():
    with folder_for_all() as folder, not_as_root(), pytest.raises(UserError, match="cannot be opened"):
        database.check(f"sqlite:///{folder}/t.db")


def test_a_locked_database_is_refused(tmp_path, impatient):
    path = tmp_path / "table.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin exclusive")
    assert "is busy" in refusal(f"sqlite:///{path}")


def test_a_damaged_store_gives_a_sentence(url):
    opened = Store.open(url)
    Chain(opened).take("spin", 1, 3)
    opened.close()
    path = url.removeprefix("sqlite:///")
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    with pytest.raises(UserError, match="is damaged"):
        Store.open(url).rounds()


def test_a_store_whose_own_words_were_overwritten_is_damaged(url):
    Store.open(url).close()
    path = Path(url.removeprefix("sqlite:///"))
    raw = path.read_bytes()
    assert b"CREATE TABLE commands" in raw
    path.write_bytes(raw.replace(b"CREATE TABLE commands", b"CREATE TABLE \x94\xcdmmands"))
    assert "is damaged" in refusal(url)


def test_a_time_that_is_none_in_the_store_is_damage(url, store):
    change(url, f"insert into alarms (dev, kind, text, raised_at) values ('{DEV}', 'gap', 'Gone.', 'yesterday')")
    with pytest.raises(UserError, match="is damaged"):
        store.open_alarms()


def test_a_read_only_store_can_be_read_and_says_that_it_cannot_be_written(url):
    opened = Store.open(url)
    Chain(opened).take("spin", 1, 3)
    # SQLite's own switch, for root writes into a file whatever its permissions are.
    reader = Store.open(url)
    event.listen(reader._db.engine, "begin", lambda connection: connection.exec_driver_sql("pragma query_only=on"))
    assert len(reader.rounds()) == 1
    with pytest.raises(UserError, match="can be read but not written"):
        reader.enrol(DEV, "T1", at(0))
    reader.close()
    assert opened.enrolments() == []
    opened.close()


def test_a_file_without_permission_to_write_gives_a_sentence():
    with folder_for_all() as folder:
        url = f"sqlite:///{folder}/t.db"
        Store.open(url).close()
        os.chmod(folder / "t.db", 0o444)
        with not_as_root(), pytest.raises(UserError):
            Store.open(url).enrol(DEV, "T1", at(0))


def test_what_was_stored_is_there_after_opening_again(url):
    first = Store.open(url)
    Chain(first).result()
    first.close()
    again = Store.open(url)
    assert again.last_identity(DEV).seq == 5 and len(again.settlements(DEV, 1)) == 4
    again.close()


def test_sqlite_syncs_every_commit_keeps_a_wal_and_checks_foreign_keys(store):
    with store._db.reading() as connection:
        settings = [
            connection.exec_driver_sql(f"pragma {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    assert settings == ["wal", 2, 1, 5000]


def test_postgresql_locks_the_rounds_that_are_due_against_an_adjustment_of_another_process():
    """Else both settle: what was read before the adjustment is reversed and entered by the record after it."""
    assert str(settling._DUE.compile(dialect=postgresql.dialect())).endswith("FOR UPDATE")


def test_a_database_in_postgresql_of_another_encoding_gives_a_sentence(postgresql_url):
    engine = create_engine(postgresql_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("DROP DATABASE IF EXISTS other")
        connection.exec_driver_sql("CREATE DATABASE other ENCODING 'SQL_ASCII' TEMPLATE template0")
    engine.dispose()
    said = refusal(postgresql_url.replace("/postgres?", "/other?"))
    assert "/other is a database in SQL_ASCII" in said and "--encoding=UTF8" in said


def test_a_database_without_its_driver_names_the_package(monkeypatch):
    def missing(*_):
        raise ModuleNotFoundError("No module named 'psycopg'", name="psycopg")

    monkeypatch.setattr("host_tools.store.database.create_engine", missing)
    assert "needs the Python package psycopg" in refusal("postgresql+psycopg://host/table")
