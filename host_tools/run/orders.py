"""The orders of other processes on their way through a run: sent one at a time, and each brought to its end."""

from datetime import datetime

from host_tools.link.events import NOTHING, Fields
from host_tools.link.session import Session
from host_tools.run.screen import Screen
from host_tools.store import Store
from host_tools.store.rows import Command

ORDERS_EVERY_S = 0.25
# The board answers within a tick, or once its motor is off; after this the answer is asked for.
NO_ANSWER_S = 5.0


class Orders:
    """Takes orders out of the store, gives them to the session and writes back how each ended."""

    def __init__(self, store: Store, session: Session, screen: Screen) -> None:
        self._store, self._session, self._screen = store, session, screen
        self._looked_s = 0.0
        self._sent_s = float("-inf")  # the last one in this run, or when it was asked for its answer

    def step(self, now: float, at: datetime) -> None:
        """Send the next order that is due; `now` in steady seconds, `at` the same moment in UTC."""
        dev = self._session.dev
        if dev is None or now - self._looked_s < ORDERS_EVERY_S:
            return
        self._looked_s = now
        command = self._store.command_in_flight(dev)
        if command is not None:
            self._ask_for(command, now, at)
            return
        command, line = self._store.next_command(dev, at), self._session.next_line()
        if command is None or line is None:  # None: the hello is under way
            return
        if self._store.mark_sent(command.id, *line):
            self._session.order(command.verb, command.values)
            self._sent_s = now

    def answered(self, fields: Fields, at: datetime) -> None:
        """The board's answer to a line of this host."""
        command = self._store.answer_command(fields["nonce"], fields["n"], fields["ok"], fields["why"], at)
        if command is not None:
            self._ended(command)

    def _ask_for(self, command: Command, now: float, at: datetime) -> None:
        """An order whose answer does not come: a new nonce makes its line worthless, so that what it did is done.

        Every record from before the hello with that nonce then tells whether the board obeyed.
        """
        renewed = self._session.renewed(command.nonce)
        if renewed is None:
            if now - self._sent_s >= NO_ANSWER_S:
                self._sent_s = now
                self._session.renew(now)
        elif (self._store.last_identity(command.dev) or NOTHING).seq >= renewed - 1:
            self._ended(self._store.judge_command(command, at))

    def _ended(self, command: Command) -> None:
        what = f"Order {command.id} ({command.verb}, by {command.by})"
        self._screen.say(f"{what}: {command.answer or 'lost, the board did not carry it out'}")
