"""Table limits: the least and the most that may be wagered, and in which steps.

They are asked once, when a wager is taken. A wager that was accepted is settled in its entirety, whatever its stake
(as Maryland's COMAR 36.05.03.14 says in so many words; New Zealand's amounts stand on the table's sign and were not
seen).
"""

from collections.abc import Mapping
from typing import NamedTuple

ALL = "all"
"""In place of a kind: every kind that has no limit of its own."""


class Limit(NamedTuple):
    """Cents, None where there is no such limit; a stake must be a multiple of `increment_cents`."""

    min_cents: int | None = None
    max_cents: int | None = None
    increment_cents: int | None = None


def _amount(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def over_limit(limits: Mapping[str, Limit], kind: str, stake_cents: int) -> str | None:
    """Why a stake on `kind` cannot be taken, in words that go on a sentence; None when it can.

    A kind's own limit stands in place of that for ALL, whole.
    """
    least, most, step = limits.get(kind) or limits.get(ALL) or Limit()
    stake = _amount(stake_cents)
    if least is not None and stake_cents < least:
        return f"stake {stake} is under the table's minimum for {kind}, {_amount(least)}"
    if most is not None and stake_cents > most:
        return f"stake {stake} is over the table's maximum for {kind}, {_amount(most)}"
    if step is not None and stake_cents % step:
        return f"stake {stake} is not a multiple of {_amount(step)}, the table's step for {kind}"
    return None
