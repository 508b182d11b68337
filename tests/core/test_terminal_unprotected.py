"""A terminal whose journal the filesystem could take: a fault that says so, and nothing is written, whatever comes."""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import ledger
from tumbler.core import round as R
from tumbler.core.journal import JournalUnprotected

from tests.core.link_parts import HKEY
from tests.core.terminal_parts import COVER, Bench


def unprotected(*_):
    raise JournalUnprotected("the guards are not there")


def forbidden(*_):
    raise AssertionError("written")


def bench():
    """A board with a round behind it, started again with its guards gone."""
    b = Bench().to_uncovered().tap("1", "3", "6", "entry").switch(COVER, False)
    b.store.open, b.store.append = unprotected, forbidden
    b.identity.mark_born = b.identity.new_dev = forbidden
    return b.start("power")


def test_it_is_fault_13_and_takes_no_round():
    b = bench()
    assert (b.state, b.panel.text) == (R.FAULT, "F13") and F.FAULTS[12] == "journal_unprotected"
    b.tap("spin").run(500)
    assert b.state == R.FAULT and not b.relay.is_on()


def test_no_answer_of_the_supervisor_clears_it():
    for number in ("1", "2", "3"):
        b = bench().switch(E.SUPERVISOR, True).tap(number, "entry").switch(E.SUPERVISOR, False)
        assert (b.state, b.panel.text) == (R.FAULT, "F13"), number


def test_a_host_that_knows_more_does_not_make_it_a_lost_journal():
    b = bench()
    b.store.lines, last = [], b.records()[-1]  # as a journal that was not opened: next is 1
    hello = [f for f in (ledger.decode_device(line[:-1]) for _, line in b.lines) if f["kind"] == "hello"][-1]
    for byte in ledger.encode_command("welcome", hello["nonce"], 1, (last["boot"], last["seq"], last["mac"]), HKEY):
        b.terminal.link.receive(byte)
    b.run(40)
    assert b.terminal.link.host_ahead
    b.switch(E.SUPERVISOR, True).tap("3", "entry").switch(E.SUPERVISOR, False)
    assert (b.state, b.panel.text) == (R.FAULT, "F13")
