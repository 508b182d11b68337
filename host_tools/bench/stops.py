"""Ctrl-C and SIGTERM while a bench runs: the first one ends it, in one sentence."""

import contextlib
import signal
import sys
from collections.abc import Iterator

from host_tools.signals import handled

STOPS = (signal.SIGINT, signal.SIGTERM)
CUT_SHORT = "Ctrl-C or SIGTERM ended the {} before all was played"
KEPT = CUT_SHORT + "; what was played until then is in {}."
NOTHING_KEPT = "Ctrl-C or SIGTERM ended the bench before anything was played: nothing is kept."


@contextlib.contextmanager
def stopped_once() -> Iterator[None]:
    """The first Ctrl-C or SIGTERM ends what is done inside, as KeyboardInterrupt with the sentence that is then said.
    Those after it do nothing: they must neither leave the motor on nor cost the report of what was played."""

    def stop(*_: object) -> None:
        for number in STOPS:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    with handled(stop, *STOPS):
        try:
            yield
        except KeyboardInterrupt as stopped:
            print(str(stopped) or NOTHING_KEPT, file=sys.stderr)
            raise


def end_if_stopped() -> None:
    """Inside stopped_once(): raises KeyboardInterrupt when the first one came and what it raised was lost, as in a
    callback of Python's own imports or of a library in C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise KeyboardInterrupt
