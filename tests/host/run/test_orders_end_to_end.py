"""`tumbler order` in one process and `tumbler run` in another, on one store, with the firmware on MicroPython."""

import re

import pytest

from tests.host.run.table_process import DEV, Table, pytestmark  # noqa: F401


@pytest.fixture
def table(tmp_path):
    made = Table(tmp_path)
    yield made
    made.close()


def test_bets_are_closed_the_result_corrected_and_the_round_voided_by_orders(table):
    table.rig.next_dice(1, 3, 6)
    table.dealer.open_bets()
    table.until("select * from wagers")
    code, said = table.order("no-more-bets", *table.in_force())
    assert code == 0, said
    assert "done" in said and table.last_record("bets_closed")["by"] == "host:anna"
    table.dealer.enter_result()
    table.until("select * from rounds where state = 'result' and settled")

    result = table.in_force()
    corrected = (*result, "--dice", "3,3,6", "--reason", "wrong_entry")
    code, said = table.order("correct", *corrected)
    assert code == 0, said
    assert "OVERPAID 20.00: Aroha, wager W1 in round 1" in said and "by host:anna (wrong_entry)" in said
    assert table.last_record("correction")["dice"] == [3, 3, 6]
    code, said = table.order("correct", *corrected)
    assert code == 1 and "refused by the board (not_in_force)" in said

    code, said = table.order("void", *table.in_force(), "--reason", "dispute")
    assert code == 0, said
    assert "OVERPAID 40.00: Ben, wager W2" in said
    sums = "select wager_id, sum(returned_cents) from settlements group by wager_id"
    assert table.rows(sums) == [("W1", 1000), ("W2", 500)]
    code, said = table.order("void", *table.in_force(), "--reason", "dispute")
    assert code == 1 and "a void is final" in said
    assert "OVERPAID" in table.tumbler("overpaid")[1]
    listed = table.tumbler("order", "list")[1].splitlines()
    assert [re.search(r"host:anna[^:]*: (\w+)", line)[1] for line in listed] == [
        "refused",
        "done",
        "refused",
        "done",
        "done",
    ]
    out = table.stop()
    assert "CORRECTED by host:anna, wrong_entry" in out and "VOID by host:anna, dispute" in out


def test_a_fault_is_cleared_by_an_order_once_its_cause_is_gone(table):
    table.dealer.open_bets()
    table.until("select * from wagers")
    table.rig.estop(True)
    table.until("select * from records where kind = 'fault'")
    code, said = table.tumbler("rounds")
    found = re.search(r"FAULT estop in BETTING, in force (\S+), --round (\d+)", said)
    fault = ("--round", found[2], "--in-force", found[1])
    code, said = table.order("clear", *fault)
    assert code == 1 and "cause_stands" in said
    table.rig.estop(False)
    table.board.step(400)
    code, said = table.order("clear", *fault)
    assert code == 0, said
    clear = table.last_record("clear")
    assert (clear["by"], clear["act"]) == ("host:anna", "clear")
    table.until("select * from rounds where state = 'void' and settled")
    assert table.rows("select outcome, returned_cents from settlements") == [("void", 1000), ("void", 500)]
    table.stop()


def test_maintenance_wants_the_supervisor_key_and_resets_the_board(table):
    code, said = table.order("maintenance")
    assert code == 1 and "no_supervisor" in said
    table.rig.supervisor(True)
    table.board.step(400)
    code, said = table.order("maintenance")
    assert code == 0, said
    for _ in range(50):
        if table.board.resets:
            break
        table.board.step(400)
    assert table.board.resets == ["commanded"]


def test_after_the_next_spin_the_round_is_adjusted_by_the_host(table):
    table.rig.next_dice(1, 3, 6)
    table.rig.next_dice(5, 5, 4)
    table.dealer.play_round()
    table.until("select * from rounds where state = 'result' and settled")
    first = table.in_force()
    adjusted = ("adjust", "--dev", DEV, "--by", "anna", "--reason", "dispute", *first)
    code, said = table.tumbler(*adjusted, "--dice", "3,3,6")
    assert code == 2 and "which can still end or correct it" in said
    table.dealer.play_round()
    table.until("select * from rounds where round = 2 and state = 'result' and settled")
    code, said = table.order("void", *first, "--reason", "dispute")
    assert code == 1 and "not_in_force" in said
    code, said = table.tumbler(*adjusted, "--dice", "3,3,6")
    assert code == 0, said
    assert "in force a1" in said and "host's adjustment a1" in said and "by host:anna (dispute)" in said
    assert "OVERPAID 20.00: Aroha, wager W1 in round 1" in said
    code, said = table.tumbler(*adjusted, "--void")
    assert code == 2 and "a1 is in force" in said
    assert table.rows("select dice from rounds where round = 1") == [("136",)]
    sums = "select wager_id, sum(returned_cents) from settlements where round = 1 group by wager_id"
    assert table.rows(sums) == [("W1", 0), ("W2", 4500)]
    table.stop()
