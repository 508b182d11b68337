"""The line: records come until they are acked, always the same bytes; an echo is no order; orders compare and set."""

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.measures("sendings")
def test_records_that_are_not_acked_come_again_as_the_same_bytes(table, terminal, rig, measure):
    terminal.acks = False
    void = table.makes("void", lambda: (table.spin(), table.cover(True)))
    rig.step(4500)
    sightings = terminal.sightings(void["seq"])
    measure("sendings", len(sightings), "times", 3, 8)
    assert {line.raw for line in sightings} == {sightings[0].raw}
    assert terminal.bad == []
    terminal.give_acks()
    rig.step(1500)
    sent = len(terminal.sightings(void["seq"]))
    rig.step(2500)
    assert len(terminal.sightings(void["seq"])) == sent
    assert terminal.alarms == []


def test_an_echo_of_its_own_lines_is_no_order(table, terminal, rig):
    rig.step(1200)
    for line in list(terminal.lines):
        terminal.send(line.raw + b"\n")
    rig.step(1200)
    assert terminal.kinds() == []
    assert terminal.answers == []
    assert terminal.alarms == []


def test_hello_is_answered_with_a_new_nonce_and_a_proof(table, terminal, rig):
    before = terminal.hello["nonce"]
    terminal.ask()
    rig.step(300)
    assert terminal.hello["nonce"] != before
    assert len(terminal.of("proof")) == 1
    assert terminal.proven


def test_the_host_closes_the_bets_and_its_second_order_is_refused(table, terminal, rig):
    bets = table.open_bets()
    order = ("no_more_bets", bets["round"], bets["boot"], bets["seq"], "host:bench")
    closed = table.makes("bets_closed", lambda: terminal.order(*order))
    assert closed["by"] == "host:bench"
    terminal.order(*order)
    rig.step(300)
    assert [(answer["ok"], answer["why"]) for answer in terminal.answers] == [(True, "done"), (False, "not_now")]


def test_the_host_cannot_void_by_an_old_record(table, terminal, rig):
    bets = table.open_bets()
    table.close_bets()
    terminal.order("void", bets["round"], bets["boot"], bets["seq"], "host:bench", "dispute")
    rig.step(300)
    assert (terminal.answers[-1]["ok"], terminal.answers[-1]["why"]) == (False, "not_in_force")
    assert "void" not in terminal.kinds()
