"""The supervisor's key: corrections and voids, each naming the record that it replaces; and where they are refused."""

import pytest

pytestmark = pytest.mark.slow


def names(record, other):
    return (record["ref_boot"], record["ref_seq"]) == (other["boot"], other["seq"])


def test_a_correction_and_a_void_name_what_they_replace(table):
    result = table.play((1, 3, 6))
    correction = table.makes("correction", lambda: table.as_supervisor("2", "2", "5"))
    assert names(correction, result)
    assert (correction["dice"], correction["by"], correction["reason"]) == ((2, 2, 5), "supervisor", "wrong_entry")
    void = table.makes("void", lambda: table.as_supervisor("3"))
    assert names(void, correction)
    assert (void["by"], void["reason"]) == ("supervisor", "equipment")


def test_the_dealer_alone_corrects_nothing(table, terminal):
    table.play((1, 3, 6))
    table.tap("2", "2", "5", "entry")
    table.rig.step(300)
    assert terminal.kinds()[-1] == "meter"


def test_no_correction_after_the_next_spin(table, terminal):
    table.play((1, 3, 6))
    table.open_bets()
    table.as_supervisor("2", "2", "5")
    table.rig.step(300)
    assert "correction" not in terminal.kinds()
    assert terminal.keys("shown")[3:] == []


def test_the_window_is_empty_whenever_the_key_turns(table, terminal, rig):
    table.open_bets()
    table.close_bets()
    table.uncover()
    table.tap("1", "2")
    table.supervisor(True)
    assert rig.read()["display"].strip() == "---"
    table.supervisor(False)
    table.tap("3", "entry")
    rig.step(300)
    assert terminal.of("key")[-2]["window"] == (3,)
    assert "result" not in terminal.kinds()
