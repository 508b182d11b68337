"""Orders of another process on their way through a run: sent once, one at a time, in time, and each comes to an end."""

from datetime import timedelta

import pytest

from tests.host.run.table_bench import NOON, started


@pytest.fixture
def betting(bench):
    """A run whose board has open bets: 1:1 boot, 1:2 spin, 1:3 bets_open."""
    made = bench(board=started()).meet()
    made.say(b"".join(made.board.unacked()) + made.board.write("spin", 1, 3) + made.board.write("bets_open", 1, 3))
    return made


def queue(made, verb="no_more_bets", at=NOON, **fields):
    fields = {"round": 1, "ref_boot": 1, "ref_seq": 3} | fields
    return made.store.queue_command(made.board.dev, verb, "host:anna", at, **fields)


def heard(made, verb="no_more_bets"):
    """How often the board heard the order so far."""
    said = made.board.hear(made.wire.heard())
    if said:
        made.say(said)
    return [line["cmd"] for line in made.board.heard].count(verb)


def ending(made, order):
    command = made.store.command(order)
    return command.state, command.answer


def test_a_queued_order_is_sent_and_its_answer_kept(betting):
    order = queue(betting)
    betting.wait(1)
    assert heard(betting) == 1 and betting.board.heard[-1]["ref_seq"] == 3
    betting.say(betting.board.answer(betting.board.heard[-1], ok=False, why="not_in_force"))
    assert ending(betting, order) == ("refused", "not_in_force")
    assert f"Order {order} (no_more_bets, by host:anna): not_in_force" in betting.shown()


def test_orders_go_out_one_at_a_time_for_each_may_change_what_is_in_force(betting):
    queue(betting)
    queue(betting)
    for _ in range(3):
        betting.wait(1)
    assert heard(betting) == 1
    betting.say(betting.board.answer(betting.board.heard[-1]))
    betting.wait(1)
    assert heard(betting) == 2


def test_an_order_that_waited_over_60_s_is_not_sent(betting):
    order = queue(betting, at=NOON - timedelta(seconds=60.5))
    betting.wait(1)
    assert heard(betting) == 0
    assert ending(betting, order) == ("queued", None)
    queue(betting, at=NOON - timedelta(seconds=57))
    betting.wait(1)
    assert heard(betting) == 1


def test_an_order_that_is_withdrawn_in_the_last_moment_is_not_sent(betting):
    order = queue(betting)
    next_command = betting.store.next_command

    def withdrawn_meanwhile(dev, at):
        command = next_command(dev, at)
        betting.store.withdraw_command(order, NOON)
        return command

    betting.store.next_command = withdrawn_meanwhile
    betting.wait(1)
    assert heard(betting) == 0
    assert ending(betting, order) == ("withdrawn", None)


def lose_the_answer(made):
    """The board heard the order; then nobody says anything until a new nonce was asked for and its hello came."""
    made.wait(1)
    assert heard(made, "void") == 1
    made.wait(4)
    assert made.store.command_in_flight(made.board.dev) is not None
    made.wait(2)
    made.say(made.board.hear(made.wire.heard()))
    made.wait(1)


def test_an_order_whose_answer_was_lost_is_done_when_its_record_comes(betting):
    order = queue(betting, "void", reason="dispute")
    lost = betting.board.write("void", 1, 1, 3, "host:anna", "dispute")
    lose_the_answer(betting)
    assert ending(betting, order) == ("sent", None)  # the hello said that a record is still to come
    betting.say(lost)
    betting.wait(1)
    assert ending(betting, order) == ("done", "by_record")


@pytest.mark.parametrize(
    "other",
    [
        ("void", 1, 1, 3, "host:ben", "dispute"),
        ("void", 1, 1, 3, "host:anna", "other"),
        ("bets_closed", 1, "host:anna"),
    ],
)
def test_an_order_whose_answer_was_lost_and_that_left_no_record_is_lost(betting, other):
    order = queue(betting, "void", reason="dispute")
    betting.say(betting.board.write(*other))
    lose_the_answer(betting)
    assert ending(betting, order) == ("lost", None)
    assert f"Order {order} (void, by host:anna): lost" in betting.shown()


def test_an_order_sent_by_a_run_that_died_is_ended_by_the_next_run_and_then_the_next_goes_out(bench, betting):
    order = queue(betting)
    betting.wait(1)
    betting.board.write("bets_closed", 1, "host:anna")
    again = bench(board=betting.board).meet()
    after = queue(again, "void", ref_seq=4, reason="dispute")
    again.wait(1)
    assert heard(again, "void") == 0
    again.say(b"".join(again.board.unacked()))
    again.wait(1)
    assert ending(again, order) == ("done", "by_record")
    again.wait(1)
    assert heard(again, "void") == 1
    assert ending(again, after) == ("sent", None)


def test_of_two_alike_orders_the_record_is_that_of_the_first(betting):
    first = queue(betting, "void", reason="dispute")
    betting.wait(1)
    heard(betting, "void")
    betting.say(
        betting.board.answer(betting.board.heard[-1]) + betting.board.write("void", 1, 1, 3, "host:anna", "dispute")
    )
    assert ending(betting, first) == ("done", "done")
    second = queue(betting, "void", reason="dispute")
    betting.board.heard.clear()
    lose_the_answer(betting)
    assert ending(betting, second) == ("lost", None)


def test_a_maintenance_whose_answer_was_lost_is_done_by_the_start_that_it_led_to(betting):
    order = betting.store.queue_command(betting.board.dev, "maintenance", "host:anna", NOON)
    betting.wait(1)
    assert heard(betting, "maintenance") == 1
    betting.board.boot += 1
    betting.board.nonces = 0
    betting.board.write("boot", "0123456789abcdef", "1.28.0", "pico", "commanded", "maintenance", None)
    betting.board.start(boot=3)
    betting.say(betting.board.status())
    betting.say(b"".join(betting.board.unacked()))
    betting.wait(1)
    assert ending(betting, order) == ("done", "by_record")
