"""A board's ledger lines before and after its files are changed: who plays there, into maintenance, and its hello."""

import contextlib
import time
from collections.abc import Callable

from host_tools.errors import UserError
from host_tools.link.events import NOTHING, Answer, Bad, Event, Fields, Hello, Noise, Status
from host_tools.link.port import LinkLost, Port
from host_tools.link.session import Session
from host_tools.orders.waiting import WHY

LISTEN_S = 2.5  # a board that plays says its status each second; one that has just been plugged in needs 1.5 s before
ANSWER_S = 5.0  # of a board that was asked; while its motor runs it does not hear
GONE_S = 2.0  # 0.3 s after its answer a board resets, and its USB leaves the bus; a UART bridge stays
PAUSE_S = 0.1
TAIL_BYTES = 2000


class Ear:
    """What is said at an open port. It sends nothing before a ledger line came, and acks nothing.

    dev: of the board that plays there, None while none was heard. hello: fields of its hello. words: the last
    bytes that are no ledger lines.
    """

    def __init__(self, port: Port) -> None:
        self.session = Session()
        self.dev: str | None = None
        self.hello: Fields | None = None
        self.words = b""
        self._port = port

    def hear(self) -> list[Event]:
        """Take what has come. Raises LinkLost."""
        now_s = time.monotonic()
        events = self.session.feed(self._port.read(), now_s)
        for event in events:
            if isinstance(event, Hello):
                self.hello = event.fields
            if isinstance(event, Hello | Status):
                self.dev = event.fields["dev"]
            elif isinstance(event, Noise | Bad):
                self.words = (self.words + event.raw)[-TAIL_BYTES:]
        self.session.tick(now_s)
        out = self.session.output()
        if out:
            self._port.write(out)
        return events

    def last_word(self) -> str:
        """The last line that is no ledger line, as of a traceback; "" if there was none."""
        lines = self.words.decode("utf-8", "replace").split("\n")
        said = ["".join(c for c in line if c.isprintable()).strip() for line in lines]
        return next((line for line in reversed(said) if line), "")


def listen(port: Port) -> Ear:
    """Hear whether a board plays at the port, and get its hello if one does. Raises LinkLost."""
    ear = Ear(port)
    _until(lambda: ear.hear() and ear.dev is not None, LISTEN_S)
    if ear.dev is not None:
        _until(lambda: ear.hear() is not None and ear.hello is not None, ANSWER_S)
    return ear


def order_maintenance(port: Port, by: str, key_of: Callable[[str], bytes]) -> None:
    """Give the board at the port the order to go into maintenance; by: `host:NAME`; key_of: dev -> its 32-byte key.

    Raises UserError when it refuses or does not answer, LinkLost.
    """
    ear = Ear(port)
    session, line = ear.session, None
    until_s = time.monotonic() + LISTEN_S + ANSWER_S
    while time.monotonic() < until_s:
        for event in ear.hear():
            if isinstance(event, Hello) and session.dev is None:
                session.accept(event, key_of(event.fields["dev"]), NOTHING)
            elif isinstance(event, Answer) and (event.fields["nonce"], event.fields["n"]) == line:
                if event.fields["ok"]:
                    return
                why = event.fields["why"]
                raise UserError(
                    f"The board does not go into maintenance ({why}): {WHY.get(why, 'see docs/PROTOCOL.md')}."
                )
        if line is None and session.next_line() is not None:
            line = session.next_line()
            session.order("maintenance", (by,))
    what = "answer the order" if line else "prove who it is: is its key file the right one"
    raise UserError(f"The board did not {what}; fit the maintenance jumper and plug it in anew instead.")


def until_gone(port: Port) -> None:
    """Wait until the board at the port, which was ordered to reset, has left it."""
    until_s = time.monotonic() + GONE_S
    with contextlib.suppress(LinkLost):
        while time.monotonic() < until_s:
            port.read()


def wait_for_hello(open_port: Callable[[], Port | None], limit_s: float) -> tuple[Fields | None, str]:
    """Wait for the hello of a board that starts -> its fields, or None and the last thing that was said instead.

    open_port() gives the port as soon as it is back, else None.
    """
    until_s = time.monotonic() + limit_s
    word = ""
    while time.monotonic() < until_s:
        port = open_port()
        if port is None:
            time.sleep(PAUSE_S)
            continue
        ear = Ear(port)
        try:
            while ear.hello is None and time.monotonic() < until_s:
                ear.hear()
        except LinkLost:
            pass  # a board that starts leaves the bus once more
        finally:
            port.close()
        if ear.hello is not None:
            return ear.hello, ""
        word = ear.last_word() or word
    return None, word


def _until(done: Callable[[], object], limit_s: float) -> None:
    until_s = time.monotonic() + limit_s
    while not done() and time.monotonic() < until_s:
        pass
