"""Reads what is in force for a round as people write it: a record `12:3481`, or a host's adjustment above one, `a7`."""

import re
from typing import TYPE_CHECKING

from host_tools.errors import UserError

if TYPE_CHECKING:
    from host_tools.store.rows import InForce


def parse_record(text: str) -> tuple[int, int]:
    """(boot, seq) of `BOOT:SEQ`. Raises UserError."""
    found = re.fullmatch(r"([0-9]{1,10}):([0-9]{1,10})", text)
    if found is None:
        raise UserError(f"{text[:40]!r} names no record: write BOOT:SEQ as `tumbler rounds` shows it, like 12:3481.")
    return int(found[1]), int(found[2])


def parse_in_force(text: str) -> "InForce":
    """A record, or the number of an adjustment behind an `a`. Raises UserError."""
    from host_tools.store.rows import InForce

    if re.fullmatch(r"a[0-9]{1,18}", text):
        return InForce(None, int(text[1:]))
    if ":" not in text:
        raise UserError(
            f"{text[:40]!r} names no record and no adjustment: write what `tumbler rounds` shows as in force, like "
            "12:3481 or a7."
        )
    return InForce(parse_record(text), None)
