"""What happens to the store beside a `tumbler run` in this process, on a simulated board with the firmware."""

import sqlite3
from contextlib import closing

import pytest

from host_tools.store import Store, database

pytestmark = pytest.mark.usefixtures("micropython")
RUN = ("run", "--target", "sim", "--speed", "20", "--rounds", "1")


def test_a_run_says_that_another_program_holds_the_store_and_what_it_waits_before_it_ends(
    tumbler, tmp_path, monkeypatch
):
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0)
    Store.open(f"sqlite:///{tmp_path}/tumbler.db").close()
    with closing(sqlite3.connect(tmp_path / "tumbler.db", isolation_level=None)) as other:
        other.execute("begin immediate")
        code, out, err = tumbler(*RUN)
    assert code == 2 and "is busy: another program holds it; close that program and try again." in err
    assert out.count("is busy: another program holds it; this run waits") == database.RUN_TRIES - 1


def test_a_run_that_ended_leaves_all_in_the_file_alone_while_a_view_is_on(tumbler, tmp_path):
    url = f"sqlite:///{tmp_path}/tumbler.db"
    Store.open(url).close()
    with closing(database.Database(url)) as view, view.watching() as ask:
        ask()
        assert tumbler(*RUN)[0] == 0
        (tmp_path / "copy.db").write_bytes((tmp_path / "tumbler.db").read_bytes())
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("select state from rounds").fetchall() == [("result",)]
