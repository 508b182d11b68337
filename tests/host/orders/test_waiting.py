"""`tumbler order` waits for an order's end, in time that the test moves: an order is never left to surprise anybody."""

from datetime import datetime, timedelta, timezone

import pytest

from host_tools.orders import waiting
from host_tools.store import Store
from host_tools.store.rows import Owner

DEV = "sim-0000000000a1-9c1e"
NOON = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
NONCE = "e5b9a8676dd097b3"


class Desk:
    """A store, a clock that waiting moves on, and what happens at which second."""

    def __init__(self, store):
        self.store, self.seconds, self.said, self.plan = store, 0.0, [], {}
        self.order = store.queue_command(DEV, "maintenance", "host:anna", NOON)

    def now(self):
        return NOON + timedelta(seconds=self.seconds)

    def pause(self, seconds):
        self.seconds += seconds
        for at in [at for at in self.plan if at <= self.seconds]:
            self.plan.pop(at)()

    def wait(self):
        return waiting.wait(self.store, self.order, self.now, self.pause, self.said.append)

    def send(self):
        assert self.store.mark_sent(self.order, NONCE, 7)

    def answer(self, ok=True, why="done"):
        self.store.answer_command(NONCE, 7, ok, why, self.now())


@pytest.fixture
def desk(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path}/t.db")
    yield Desk(store)
    store.close()


def test_it_ends_with_the_boards_answer(desk):
    own(desk)
    desk.plan = {3.0: desk.send, 5.0: lambda: desk.answer(False, "no_supervisor")}
    command = desk.wait()
    assert command.state == "refused" and desk.seconds < 5.2
    assert desk.said == [f"Order {desk.order} is sent: waiting for the board's answer"]
    assert waiting.ending(command, desk.now()) == "refused by the board (no_supervisor): the supervisor key is not on"


def test_without_a_run_it_is_withdrawn_after_60_s_and_can_never_be_sent(desk):
    command = desk.wait()
    assert command.state == "withdrawn" and 60 < desk.seconds < 60.5
    assert "never reached the board" in waiting.ending(command, desk.now())
    assert not desk.store.mark_sent(desk.order, NONCE, 7)


def test_one_that_is_sent_in_the_last_moment_is_waited_for(desk):
    desk.plan = {59.95: desk.send, 80.0: desk.answer}
    assert desk.wait().state == "done"


def test_an_answer_that_stays_out_ends_the_waiting_and_not_the_order(desk):
    desk.plan = {1.0: desk.send}
    command = desk.wait()
    assert command.state == "sent" and 120 < desk.seconds < 121
    assert desk.store.command_in_flight(DEV) == command


def test_one_whose_giver_is_gone_is_shown_as_expired(desk):
    command = desk.store.command(desk.order)
    assert waiting.ending(command, NOON + timedelta(seconds=60)) == "waits for `tumbler run`"
    assert waiting.ending(command, NOON + timedelta(seconds=61)) == "expired, it never reached the board"


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.parametrize(("plan", "state"), [([], "withdrawn"), (["send"], "sent")])
def test_ctrl_c_takes_back_what_was_not_sent_and_nothing_else(desk, plan, state):
    desk.plan = {1.0 + number: getattr(desk, name) for number, name in enumerate(plan)} | {9.0: interrupt}
    with pytest.raises(KeyboardInterrupt):
        desk.wait()
    assert desk.store.command(desk.order).state == state


def own(desk, renewed_s=0.0):
    at = NOON + timedelta(seconds=renewed_s)
    mine = Owner(DEV, "ab" * 8, "pit", 77, NOON, at, at + timedelta(seconds=5))
    assert desk.store.claim(mine, None) is None


def test_that_no_run_is_on_is_told_at_once_and_once(desk):
    desk.plan = {4.0: lambda: own(desk), 4.5: desk.send, 5.0: desk.answer}
    assert desk.wait().state == "done"
    missing = f"No `tumbler run` of board {DEV} is on with this store: start one, or nobody sends the order"
    assert desk.said == [missing, f"Order {desk.order} is sent: waiting for the board's answer"]


def test_a_run_that_died_is_told_once_its_row_was_not_renewed_for_5_s(desk):
    own(desk)
    told_at = []
    waiting.wait(desk.store, desk.order, desk.now, desk.pause, lambda text: told_at.append(desk.seconds))
    assert len(told_at) == 1 and 5 < told_at[0] < 5.3


def test_a_run_that_is_on_is_not_called_missing(desk):
    own(desk)
    desk.plan = {float(second): lambda second=second: own(desk, second) for second in range(1, 20)}
    desk.plan |= {19.5: desk.send, 19.8: desk.answer}
    assert desk.wait().state == "done"
    assert desk.said == [f"Order {desk.order} is sent: waiting for the board's answer"]
