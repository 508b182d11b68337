"""Waits for the end of an order that was queued, and says in words how it ended."""

from collections.abc import Callable
from datetime import datetime, timedelta

from host_tools.store import Store
from host_tools.store.rows import DONE, LOST, QUEUED, REFUSED, SENT, WITHDRAWN, Command, Owner

LOOK_S = 0.1
# After an order was sent its answer comes within a tick, once the motor is off, or is judged by the records.
ANSWER = timedelta(seconds=60)
# The record of an order that was carried out comes right behind its answer.
RECORD = timedelta(seconds=10)

# A run renews its row every second (host_tools/run/ownership.py).
RENEWED = timedelta(seconds=5)

CARRIED_OUT, NOT_CARRIED_OUT = 0, 1

WHY = {
    "not_in_force": "another record is in force than the one that was named: see `tumbler rounds`",
    "not_now": "the board does not take this order in its state",
    "final": "the round is void, and a void is final",
    "same_dice": "the round has these dice already",
    "full": "its journal has no room: let the records that wait be acked",
    "cause_stands": "the cause of the fault is still there",
    "no_supervisor": "the supervisor key is not on",
    "bad_name": "it does not take the name that the order is by",
}


def ending(command: Command, at: datetime) -> str:
    """How an order ended, or where it is at `at`, in a few words."""
    if command.state == REFUSED:
        return f"refused by the board ({command.answer}): {WHY.get(command.answer or '', 'see docs/PROTOCOL.md')}"
    late = command.state == QUEUED and at > command.expires_at  # whoever gave it is gone
    return {
        QUEUED: "expired, it never reached the board" if late else "waits for `tumbler run`",
        SENT: "sent, the board has not answered yet",
        DONE: "done",
        WITHDRAWN: "withdrawn, it never reached the board",
        LOST: "not carried out: no record of the board shows it, and it cannot reach the board any more",
    }[command.state]


def wait(
    store: Store, number: int, now: Callable[[], datetime], pause: Callable[[float], object], say: Callable[[str], None]
) -> Command:
    """Wait until order `number` has ended, or its answer has stayed out for too long -> the order as it is then.

    One that is not sent while it is valid is withdrawn, also when pause() raises KeyboardInterrupt.
    """
    told, run = QUEUED, _Run(store, now)
    while True:
        command = store.command(number)
        assert command is not None, "an order is never deleted"
        if command.state not in (QUEUED, SENT):
            return command
        if command.state == SENT and told == QUEUED:
            told = SENT
            say(f"Order {number} is sent: waiting for the board's answer")
        if command.state == QUEUED and run.found_missing(command.dev):
            say(f"No `tumbler run` of board {command.dev} is on with this store: start one, or nobody sends the order")
        if command.state == QUEUED and now() > command.expires_at:
            store.withdraw_command(number, now())
            continue
        if command.state == SENT and now() > command.expires_at + ANSWER:
            return command
        try:
            pause(LOOK_S)
        except KeyboardInterrupt:
            store.withdraw_command(number, now())
            raise


class _Run:
    """Whether a run owns the board, by the row that it renews."""

    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self._store, self._now = store, now
        self._seen: Owner | None = None
        self._since = now()
        self._told = False

    def found_missing(self, dev: str) -> bool:
        """Whether no run is on -> True once only. A row that is not renewed is what a run left that died."""
        owner = self._store.owner(dev)
        if owner != self._seen:
            self._seen, self._since = owner, self._now()
        missing = owner is None or self._now() - self._since > RENEWED
        told, self._told = self._told, self._told or missing
        return missing and not told


def wait_for_record(
    store: Store, command: Command, now: Callable[[], datetime], pause: Callable[[float], object]
) -> bool:
    """Wait until the record of a void or correction that was carried out is stored and settled -> whether it is."""
    until = now() + RECORD
    while now() < until:
        round_ = store.round(command.dev, command.round or 0)
        if round_ is not None and (round_.boot, round_.seq) != (command.ref_boot, command.ref_seq) and round_.settled:
            return True
        pause(LOOK_S)
    return False
