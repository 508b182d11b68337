"""`tumbler wager import` beside `tumbler run`, each a process, on one store, with the firmware on MicroPython."""

import json

import pytest

from tests.host.run.table_process import Table, pytestmark  # noqa: F401

SLIPS = """wager_id,player,kind,selection,stake
S1,Chen,combination,1-6,2.50
S2,Ben,big,,7.00
"""


@pytest.fixture
def table(tmp_path):
    made = Table(tmp_path)
    yield made
    made.close()


def test_wagers_that_are_imported_beside_a_run_are_settled_and_report_and_rounds_agree(table):
    table.rig.next_dice(1, 3, 6)
    (table.folder / "slips.csv").write_text(SLIPS)
    table.dealer.open_bets()
    table.until("select * from wagers")  # those of the run's own file
    assert table.tumbler("wager", "import", "slips.csv") == (
        0,
        f"2 wagers are taken in round 1 of board {table.dev}.\n",
    )
    table.dealer.close_bets()
    table.dealer.enter_result()
    table.until("select * from rounds where state = 'result' and settled")
    code, said = table.tumbler("wager", "import", "slips.csv")
    assert code == 2 and "no bets are open" in said
    out = table.stop()
    assert "S1" in out and "S2" in out
    # hoiana: small 1 to 1, a pair 5 to 1
    listed = [json.loads(line) for line in table.tumbler("wager", "list", "--json")[1].splitlines()]
    assert [(row["wager_id"], row["outcome"], row["returned_cents"]) for row in listed] == [
        ("W1", "win", 2000),
        ("W2", "lose", 0),
        ("S1", "win", 1500),
        ("S2", "lose", 0),
    ]
    line, total = map(json.loads, table.tumbler("report", "--format", "json")[1].splitlines())
    sums = {"wagers": 4, "staked_cents": 2450, "paid_cents": 2250, "returned_cents": 3500, "kept_cents": 1200}
    for row in (line, total):
        assert {name: row[name] for name in sums} == sums
    code, said = table.tumbler("rounds")
    assert code == 0 and "staked 24.50" in said and "returned 35.00" in said
    code, said = table.tumbler("verify", "sqlite:///tumbler.db")
    assert code == 0 and "4 settlements: whole" in said
