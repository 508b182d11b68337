"""The terminal as a whole, its hardware made of lists: rounds, what the relay does when, failing journals, restarts."""

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import ledger
from tumbler.core import round as R

from tests.core import kit
from tests.core.terminal_parts import COVER, Bench, Born, Store, order


def test_a_whole_round_is_journaled_in_order_under_one_chain():
    b = Bench().to_uncovered().tap("6", "1", "3", "entry").switch(COVER, False)
    kinds = ["boot", "spin", "bets_open", "bets_closed", "uncovered", "result", "meter"]
    assert b.kinds() == kinds
    assert b.records()[5]["dice"] == (6, 1, 3)
    assert b.records()[5]["spins"] == 3
    assert b.chain_holds()
    assert b.state == R.IDLE
    assert b.panel.text == "613"


def test_the_relay_is_fed_in_spinning_and_nowhere_else():
    b = Bench()
    assert (b.relay.feeds, b.relay.is_on()) == (0, False)
    b.to_betting()
    assert 300 < b.relay.feeds < 600  # 0.8 s for the fourth pulse, one feed each 2 ms
    fed = b.relay.feeds
    b.run(3000).tap("no_more_bets").switch(COVER, True).run(1000)
    assert b.relay.feeds == fed


def test_the_motor_waits_for_a_slow_journal():
    """The record may take 0.4 s of flash; neither first pulse nor longest on-time begins before the relay closes."""
    b = Bench()

    def slow():
        assert not b.relay.energised
        b.now_ms += 400

    b.store.after = slow
    b.to_betting()
    assert b.kinds() == ["boot", "spin", "bets_open"]


def test_a_pulse_while_the_spin_is_being_written_is_motion():
    b = Bench()

    def turn():
        b.count += 1

    b.store.after = turn
    b.tap("spin").run(200)
    b.store.after = None
    assert [r.get("code") for r in b.records()][-1] == "motion"
    assert not b.relay.is_on()


def test_a_journal_that_fails_at_the_spin_leaves_the_relay_off_and_faults():
    b = Bench()
    b.store.broken = True
    b.tap("spin").run(100)
    assert b.state == R.FAULT
    assert (b.relay.energised, b.relay.feeds) == (False, 0)
    assert b.kinds() == ["boot"]
    assert b.panel.text == "F%d" % (F.FAULTS.index("journal") + 1)


def test_a_journal_that_fails_at_the_result_does_not_show_it_as_entered():
    b = Bench().to_uncovered()
    b.store.broken = True
    b.tap("1", "3", "6", "entry")
    assert b.state == R.FAULT
    assert "result" not in b.kinds()


def test_a_journal_fault_cannot_be_cleared_while_it_fails():
    b = Bench()
    b.store.broken = True
    b.tap("spin").switch(E.SUPERVISOR, True).tap("1", "entry")
    assert b.state == R.FAULT


def test_a_broken_journal_at_power_on_is_a_fault_and_nothing_is_written():
    store = Store()
    b = Bench(store).to_betting()
    store.broken = True
    lines = list(store.lines)
    b.start("power")
    assert b.state == R.FAULT
    b.tap("spin").switch(E.SUPERVISOR, True).tap("1", "entry").tap("3", "entry")
    assert b.state == R.FAULT
    assert store.lines == lines


def test_a_lost_journal_takes_3_and_begins_a_new_dev_that_names_the_old_one():
    identity = Born()
    b = Bench(identity=identity)
    b.store.lines.clear()
    b.start("power")
    assert b.state == R.FAULT
    b.tap("3", "entry")
    assert b.state == R.FAULT  # not without the supervisor
    b.switch(E.SUPERVISOR, True).tap("3", "entry")
    assert b.state == R.IDLE
    boot, clear = b.records()
    assert (boot["dev"], boot["boot"], boot["seq"]) == ("sim-0000000000a1-0002", 1, 1)
    assert boot["replaces"] == "sim-0000000000a1-9c1e"
    assert clear["act"] == "new_dev"
    assert b.chain_holds()
    b.switch(E.SUPERVISOR, False).to_betting()
    assert b.records()[-1]["round"] == 1


def test_power_lost_between_the_new_dev_and_its_first_record_still_names_the_old_one():
    identity = Born()
    b = Bench(identity=identity)
    b.store.lines.clear()
    identity.new_dev()
    b.start("power")
    assert b.records()[0]["replaces"] == "sim-0000000000a1-9c1e"
    b.start("power")
    assert b.records()[1]["replaces"] is None


def test_no_round_begins_without_room_for_a_whole_one():
    b = Bench()
    b.store.room = b.store.unacked() + 39  # 32 in reserve and 7; a round takes 8
    b.tap("spin")
    assert b.kinds() == ["boot"]
    assert b.panel.beeps[-1] == R.REFUSED_TONE
    b.store.room += 1
    b.tap("spin")
    assert b.kinds() == ["boot", "spin"]


def test_a_missed_feed_is_the_fault_feed_lost():
    b = Bench().tap("spin").run(400)
    b.run(150, gap_ms=150)
    assert b.records()[-1]["code"] == "feed_lost"
    assert not b.relay.is_on()


def test_a_cover_lifted_for_a_moment_voids_the_round():
    b = Bench().tap("spin").run(400)
    b.mask |= COVER
    b.run(2)
    b.mask &= ~COVER
    b.run(200)
    assert (b.kinds()[-2:], b.records()[-2]["reason"]) == (["void", "meter"], "opened_early")
    assert not b.relay.is_on()
    assert b.state == R.IDLE


def test_a_relay_that_is_on_without_being_asked_is_a_fault_that_lasts():
    b = Bench()
    b.turns = False
    b.relay.stuck = True
    b.run(10)
    assert b.records()[-1]["code"] == "relay_stuck"
    b.switch(E.SUPERVISOR, True).tap("1", "entry")
    assert b.state == R.FAULT
    b.relay.stuck = False
    b.switch(E.SUPERVISOR, False).switch(E.SUPERVISOR, True)  # the window empties when the key turns
    b.tap("1", "entry")
    assert b.state == R.IDLE


def test_a_welded_contact_is_a_fault():
    b = Bench()
    b.switch(E.RELAY_FEEDBACK, True)
    assert b.records()[-1]["code"] == "relay_stuck"


def test_the_cover_must_be_opened_in_time():
    b = Bench().to_betting().tap("no_more_bets").run(119_000)
    assert b.state == R.CLOSED
    b.run(2000)
    assert b.records()[-1]["code"] == "uncover_limit"


def test_two_keys_at_once_count_for_nothing_and_beep():
    b = Bench().to_uncovered()
    b.mask |= E.KEY1 | E.KEY1 << 1
    b.run(40)
    b.mask &= ~(E.KEY1 | E.KEY1 << 1)
    b.run(60)
    assert b.terminal.round.window == ()
    assert b.panel.beeps[-1] == R.REFUSED_TONE


def test_only_a_prepared_status_is_sent_while_the_motor_runs():
    b = Bench()
    b.turns = False  # no pulse: 1.5 s until the stall
    b.tap("spin").run(1350)
    sent = [line for state, line in b.lines if state == R.SPINNING]
    assert len(sent) >= 1
    for line in sent:
        fields = ledger.decode_device(line[:-1])
        assert (fields["kind"], fields["state"]) == ("status", "SPINNING")


def test_nothing_about_the_dice_is_sent_before_the_cover_opens():
    b = Bench().to_betting().tap("4", "2").tap("no_more_bets").tap("5")
    for _, line in b.lines:
        fields = ledger.decode_device(line[:-1])
        assert not {"dice", "spins"} & set(fields) or fields["kind"] == "meter"
        assert fields.get("window", ()) == ()


def test_orders_of_the_host_are_carried_out_and_answered():
    b = Bench().to_betting()
    assert order(b, "no_more_bets", 1, 1, 2, "host:anna") == (False, "not_in_force")
    assert order(b, "no_more_bets", 1, 1, 3, "host:anna") == (True, "done")
    assert (b.state, b.records()[-1]["by"]) == (R.CLOSED, "host:anna")
    b.switch(COVER, True).tap("1", "1", "1", "entry")
    assert order(b, "correct", 1, 1, 6, (1, 1, 2), "host:anna", "wrong_entry") == (True, "done")
    assert b.records()[-1]["dice"] == (1, 1, 2)
    assert order(b, "void", 1, 1, 7, "host:anna", "dispute") == (True, "done")
    assert order(b, "void", 1, 1, 8, "host:anna", "dispute") == (False, "final")
    assert b.chain_holds()


def test_maintenance_is_ordered_in_idle_with_the_supervisor_key_on():
    b = Bench()
    assert order(b, "maintenance", "host:anna") == (False, "no_supervisor")
    assert b.rooms.maintained == 0
    b.switch(E.SUPERVISOR, True)
    assert order(b, "maintenance", "anna") == (False, "bad_name")
    assert order(b, "maintenance", "host:anna") == (True, "done")
    assert b.rooms.maintained == 0  # the answer has to leave first
    b.run(400)
    assert b.rooms.maintained == 1


def test_a_spin_right_after_the_order_keeps_the_board_out_of_maintenance():
    b = Bench().switch(E.SUPERVISOR, True)
    order(b, "maintenance", "host:anna")
    b.tap("spin").run(1000)
    assert b.rooms.maintained == 0


def test_a_round_over_the_wrap_of_the_ticks():
    for before_ms in (500, 1100, 1500, 2500, 5000, 6500):
        b = Bench(base_ms=(1 << 30) - before_ms).to_uncovered().tap("2", "2", "5", "entry").switch(COVER, False)
        assert b.kinds()[1:] == ["spin", "bets_open", "bets_closed", "uncovered", "result", "meter"], before_ms


def test_restarts_at_any_moment_of_a_round_keep_chain_and_round():
    for seed in range(30):
        chance = kit.Random(seed)
        b = Bench()
        b.run(2 * chance.below(500)).tap("spin").run(2 * chance.below(2500))
        if b.state == R.BETTING:
            b.tap("no_more_bets")
            if chance.below(2):
                b.switch(COVER, True)
        before, kinds = b.state, b.kinds()
        b.start("power")
        new = b.kinds()[len(kinds) :]
        wanted = {
            R.SPINNING: ["boot", "void", "meter"],
            R.COASTING: ["boot", "void", "meter"],
            R.CLOSED: ["boot", "fault"],
            R.BETTING: ["boot", "fault"],
        }.get(before, ["boot"])
        assert new == wanted, (seed, F.STATES[before], new)
        assert b.chain_holds(), seed
        assert not b.relay.is_on()
