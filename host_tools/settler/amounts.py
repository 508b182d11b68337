"""Amounts of money as people write them, to integer cents."""

import re

from host_tools.errors import UserError

# Ten million a wager: above any table limit, and far from what 64 bits in a store hold at the highest odds.
MAX_STAKE_CENTS = 1_000_000_000


def shown(text: str) -> str:
    """Foreign text as a message may show it: short, and with control characters escaped: none reaches a terminal."""
    return repr(text if len(text) <= 40 else text[:40] + "…")


def parse_cents(what: str, text: str) -> int:
    """Cents of an amount like `10`, `10.5` or `10.00`, by its ASCII digits alone, over 0 and up to MAX_STAKE_CENTS.

    Raises UserError for any other; `what` is the amount's name in the message.
    """
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]{1,2}))?", text)
    if not match:
        raise UserError(f"{what} {shown(text)} is not an amount like 10.00")
    whole, fraction = match[1].lstrip("0") or "0", (match[2] or "").ljust(2, "0")
    most = f"{MAX_STAKE_CENTS // 100}.00"
    # The length first: int() of thousands of digits raises an error of its own.
    if len(whole) > len(most):
        raise UserError(f"{what} {shown(text)} is over {most}")
    cents = int(whole) * 100 + int(fraction)
    if cents > MAX_STAKE_CENTS:
        raise UserError(f"{what} {shown(text)} is over {most}")
    if cents == 0:
        raise UserError(f"{what} {shown(text)} is not over 0")
    return cents
