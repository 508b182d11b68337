"""The terminal as a whole: causes that stand, what may not begin, journals that are gone, damaged or full."""

import binascii

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import ledger
from tumbler.core import round as R
from tumbler.core.journal import JournalError

from tests.core.link_parts import HKEY
from tests.core.terminal_parts import COVER, Bench, order


def clear(b, number="1"):
    """The supervisor turns the key and answers the fault."""
    return b.switch(E.SUPERVISOR, False).switch(E.SUPERVISOR, True).tap(number, "entry")


def test_a_new_dev_is_not_given_while_the_e_stop_is_pressed():
    b = Bench()
    b.store.lines.clear()
    b.mask |= E.ESTOP
    b.start("power")
    clear(b, "3")
    assert b.state == R.FAULT
    b.switch(E.ESTOP, False)
    clear(b, "3")
    assert b.state == R.IDLE


def test_no_fault_clears_while_its_cause_stands():
    causes = (
        ("estop", E.ESTOP, 60),
        ("cover_contacts", E.COVER2_OPEN, 200),
        ("relay_stuck", E.RELAY_FEEDBACK, 200),
    )
    for code, bit, ms in causes:
        b = Bench()
        b.switch(bit, True).run(ms)
        assert b.records()[-1]["code"] == code
        clear(b)
        assert b.state == R.FAULT, code
        b.switch(bit, False).run(ms)
        clear(b)
        assert b.state == R.IDLE, code


def test_motion_clears_only_after_the_drum_was_quiet():
    b = Bench().run(9000)
    b.count += 1
    b.run(10).switch(E.SUPERVISOR, True)
    assert b.records()[-1]["code"] == "motion"
    b.tap("1")
    b.count += 1
    b.tap("entry")
    assert b.state == R.FAULT
    b.run(600)
    clear(b)
    assert b.state == R.IDLE


def test_no_spin_while_the_drum_moves():
    b = Bench().to_betting()
    b.switch(COVER, True).switch(COVER, False)  # voided; the drum is at rest
    assert b.state == R.IDLE
    b = Bench().tap("spin").run(600)
    b.switch(COVER, True).switch(COVER, False)  # voided while it turns
    b.count += 1
    b.run(100).tap("spin")
    assert b.kinds().count("spin") == 1


def test_no_spin_while_the_relays_contact_says_on():
    b = Bench()
    b.mask |= E.RELAY_FEEDBACK
    b.terminal.round.causes = 1 << F.FAULTS.index("relay_stuck")  # already told once
    b.run(100).tap("spin")
    assert "spin" not in b.kinds()


def test_a_motor_that_runs_too_long_is_named_before_the_dead_man_trips():
    b = Bench()
    b.terminal.watch._first_pulse_ms = 20_000  # so that no stall comes first
    b.turns = False
    b.tap("spin").run(14_700)
    assert b.relay.is_on()
    b.run(300)
    assert b.records()[-1]["code"] == "run_too_long"


def test_a_journal_that_failed_once_takes_nothing_more():
    b = Bench()
    b.store.broken = True
    b.tap("spin").run(100)
    b.store.broken = False  # it works again, but nobody knows what it holds
    lines = len(b.store.lines)
    clear(b)
    b.run(3000).tap("spin")
    assert (b.state, len(b.store.lines)) == (R.FAULT, lines)


def test_a_journal_fault_is_heard():
    b = Bench()
    b.store.broken = True
    b.tap("spin").run(100)
    assert R.FAULT_TONE in b.panel.beeps


def test_memory_is_freed_before_each_spin():
    b = Bench().to_betting()
    assert b.rooms.collected == 1


def test_a_key_stuck_while_the_motor_runs_is_told_afterwards():
    b = Bench()
    b.mask |= E.KEY1
    b.run(27_000).mask |= E.SPIN_KEY
    b.run(100)  # two at once: refused; the spin comes from a clean press below
    b.mask &= ~E.SPIN_KEY
    b.run(4000)
    said = [ledger.decode_device(line[:-1]) for _, line in b.lines]
    assert ("1", "stuck") in [(f["key"], f["said"]) for f in said if f["kind"] == "key"]


def test_a_cover_opened_while_the_spin_is_being_written_is_a_void():
    b = Bench()

    def slow():
        b.now_ms += 400
        b.mask |= COVER

    b.store.after = slow
    b.mask |= E.SPIN_KEY
    b.run(40)
    b.store.after = None
    b.run(100)
    assert "fault" not in b.kinds()
    assert (b.records()[-2]["kind"], b.records()[-2]["reason"]) == ("void", "opened_early")


def test_corrections_leave_the_reserve_alone():
    b = Bench().to_uncovered().tap("1", "1", "1", "entry").switch(COVER, False).switch(E.SUPERVISOR, True)
    b.store.room = b.store.unacked() + 40
    b.tap("1", "1", "2", "entry")
    assert b.kinds()[-1] == "correction"
    b.switch(E.SUPERVISOR, False).switch(E.SUPERVISOR, True).tap("1", "1", "3", "entry")
    assert b.kinds().count("correction") == 1
    assert order(b, "correct", 1, 1, 8, (4, 4, 4), "host:anna", "wrong_entry") == (False, "full")
    b.switch(E.SUPERVISOR, False).switch(E.SUPERVISOR, True).tap("5", "entry")
    assert b.kinds()[-2] == "void"  # that is what the reserve is for


def test_a_start_whose_boot_record_failed_takes_no_orders_and_gives_its_number_back():
    b = Bench()
    b.store.broken_append = b.store.append

    def refuse(line):
        raise JournalError("full")

    b.store.append = refuse
    b.lines = []
    b.start("power")
    hello = ledger.decode_device(b.lines[0][1][:-1])
    assert (hello["kind"], hello["boot"]) == ("hello", 0)
    b.store.append = b.store.broken_append
    old = hello["nonce"]
    b.start("power")
    assert b.records()[-1]["boot"] == 2
    said = [ledger.decode_device(line[:-1]) for _, line in b.lines]
    assert [f["nonce"] for f in said if f["kind"] == "hello"][-1] != old


def test_a_journal_of_another_dev_is_not_taken_over():
    b = Bench()
    b.identity.dev = "sim-0000000000b2-0001"
    b.start("power")
    assert b.state == R.FAULT
    assert len(b.store.lines) == 1


def test_a_result_edited_in_the_journal_is_not_shown():
    b = Bench().to_uncovered().tap("1", "3", "6", "entry")
    line = b.store.lines[-1].replace(b"[1,3,6]", b"[5,5,5]")
    body = line[: line.rfind(b',"crc"')]
    b.store.lines[-1] = body + (',"crc":"%08X"}\n' % (binascii.crc32(body) & 0xFFFFFFFF)).encode()
    b.start("power")
    assert b.state == R.FAULT
    assert b.panel.text == "F%d" % (F.FAULTS.index("journal") + 1)


def test_a_line_in_the_journal_that_is_no_record_is_a_fault_and_no_crash():
    b = Bench()
    b.store.lines[-1] = b"x" * 40 + b"\n"
    b.start("power")
    assert b.state == R.FAULT


def test_a_journal_whose_tail_is_gone_is_lost_when_the_host_knows_more():
    b = Bench().to_uncovered().tap("1", "3", "6", "entry")
    last = b.records()[-1]
    del b.store.lines[-2:]  # uncovered and result
    b.lines = []
    b.start("power")
    hello = ledger.decode_device(b.lines[0][1][:-1])
    values = (last["boot"], last["seq"] + 5, last["mac"])
    for byte in ledger.encode_command("welcome", hello["nonce"], 1, values, HKEY):
        b.terminal.link.receive(byte)
    b.run(40)
    assert b.records()[-1]["code"] == "journal_lost"
    clear(b, "1")
    assert b.state == R.FAULT
    clear(b, "3")
    assert b.state == R.IDLE
    assert [r["kind"] for r in b.records()] == ["boot", "clear"]
    assert b.records()[0]["replaces"] == last["dev"]
    assert b.chain_holds()


def test_recovery_begins_at_the_last_spin_or_meter_whichever_is_older():
    b = Bench()
    for _ in range(3):
        b.to_uncovered().tap("1", "3", "6", "entry").switch(COVER, False)
    spins = [r["seq"] for r in b.records() if r["kind"] == "spin"]
    assert b.store.keep == spins[-1]
    b.store.acked = len(b.store.lines)
    asked = []
    recall = b.store.recall
    b.store.recall = lambda seq: asked.append(seq) or recall(seq)
    b.start("power")
    assert min(asked) >= spins[-1] - 1
    assert b.terminal.totals.values() == (3, 9, 3, 0, 0, 0)
    assert b.terminal.round.in_force[2] == spins[-1] + 4


def test_a_latched_fault_outlives_a_thousand_restarts():
    b = Bench().to_betting()
    b.switch(E.ESTOP, True).run(100)
    for _ in range(20):
        b.start("power")
    assert b.state == R.FAULT
    assert b.store.keep == 1  # no meter yet: everything is needed


def test_an_e_stop_pressed_while_the_spin_is_being_written_keeps_the_relay_open():
    b = Bench()

    def press_meanwhile():
        b.mask |= E.ESTOP

    b.store.after = press_meanwhile
    closed = []
    on = b.relay.on
    b.rooms.relay.on = lambda: closed.append(b.now_ms) or on()
    b.mask |= E.SPIN_KEY
    b.run(200)
    assert b.records()[-1]["code"] == "estop"
    assert closed == []
