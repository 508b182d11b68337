"""What can go wrong in a journal, whatever it is kept in, and how much room a round needs.

A journal has: open(dev, replaces), append(line), next_seq, acked, keep, totals, counted, unacked(), free(), ack(seq),
recall(seq), prepare() and check(); see core/journal_flash.py. Everything that goes wrong in it is a JournalError.
"""

ROUND_RECORDS = 8  # spin, bets_open, bets_closed, uncovered, result, correction, void, meter
RESERVE = 32  # records kept free for boot, void, fault and clear


class JournalError(Exception):
    """The journal cannot keep a record or give one back; the text says why."""


class JournalLost(JournalError):
    """Records that were acked are not there any more: only a new dev can go on."""


class JournalUnprotected(JournalError):
    """The filesystem could take the journal's flash: nothing may be written before that is mended."""


def free_rounds(free: int) -> int:
    """Whole rounds that fit beside the reserve into a journal with `free` records of room; 0 = no new round."""
    return max(0, (free - RESERVE) // ROUND_RECORDS)
