"""docs/STORE.md against the schema: the same tables and the same columns, in words and as code."""

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import StatementError

from host_tools.store.schema import SCHEMA_VERSION, metadata
from tests.host.store.chain import DEV

PAGE = (Path(__file__).parents[3] / "docs" / "STORE.md").read_text(encoding="utf-8")


def described():
    """{table: columns in order} as the page has them: every backticked name in the first cell of a row."""
    tables = {}
    for section in PAGE.split("### ")[1:]:
        rows = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
        tables[section.split("`")[1]] = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    return tables


def test_the_page_describes_every_table_and_column():
    code = {table.name: sorted(column.name for column in table.columns) for table in metadata.tables.values()}
    assert {name: sorted(columns) for name, columns in described().items()} == code


def test_the_page_names_the_schema_version():
    assert re.findall(r"\| `schema_version` \| (\d+) \|", PAGE) == [str(SCHEMA_VERSION)]


def test_the_query_for_overpaid_players_on_the_page_finds_them(store, board):
    board.result()
    board.correct(1, (3, 3, 6))
    query = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)[0]
    with store._db.reading() as connection:
        found = connection.execute(text(query), {"dev": DEV, "round": 1}).all()
    assert sorted(found) == [("W1", 1, 6, 2000), ("W3", 1, 6, 3000)]


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_time_of_another_zone_is_kept_as_utc_and_one_without_a_zone_is_not_kept(store, board):
    auckland = datetime(2026, 3, 2, 1, 0, tzinfo=timezone(timedelta(hours=13)))
    store.enrol(DEV, "T1", auckland)
    kept = store.enrolments()[0].enrolled_from
    assert (kept.hour, kept.day, kept.utcoffset()) == (12, 1, timedelta(0))
    with store._db.reading() as connection:
        raw = connection.exec_driver_sql("select enrolled_from from boards").scalar()
    assert raw == "2026-03-01 12:00:00.000000"
    with pytest.raises(StatementError, match="without a zone"):
        store.enrol(DEV, "T2", datetime(2026, 3, 1))
    assert len(store.enrolments()) == 1
