"""Flash to keep a journal in, its records, and what must hold after a power cut, for the tests of the journal."""

import sys

from tumbler.core import ledger, mac
from tumbler.core.journal_flash import FlashJournal, split

from tests.core.kit import MICROPYTHON

if MICROPYTHON:
    # The folder of the simulated board's modules holds its own `time` too, so it is on the path for this import alone.
    SHIMS = __file__.rpartition("/")[0] + "/../../host_tools/sim/shims"
    sys.path.insert(0, SHIMS)
    from nor import CLEAN_AFTER, CLEAN_BEFORE, ERASED, TORN, Nor, PowerOff

    sys.path.pop(0)
else:
    from host_tools.sim.shims.nor import CLEAN_AFTER, CLEAN_BEFORE, ERASED, TORN, Nor, PowerOff

__all__ = ["CLEAN_AFTER", "CLEAN_BEFORE", "ERASED", "TORN", "Nor", "PowerOff"]

DEV = "sim-0000000000a1-9c1e"
RKEY = mac.record_key(bytes(range(32)))
BY = "host:abcdefghijklmnopqrs"  # the longest
LIVED = 123456  # rounds that the longest records come after: ten years of a table
ROUND = ("spin", "bets_open", "bets_closed", "uncovered", "result", "correction", "void", "meter")


def values(kind: str, n: int) -> tuple:
    """As long as they come about on a table after ten years."""
    boot, seq = 4321, 9 * LIVED
    return {
        "spin": (LIVED + n, 12),
        "bets_open": (LIVED + n, 12),
        "bets_closed": (LIVED + n, BY),
        "uncovered": (LIVED + n,),
        "result": (LIVED + n, (1, 3, 6), 12),
        "correction": (LIVED + n, boot, seq, (1, 3, 6), BY, "opened_early"),
        "void": (LIVED + n, boot, seq, BY, "opened_early"),
        "meter": (LIVED + n, 12 * LIVED, LIVED, LIVED, LIVED, LIVED, 99999),
        "boot": ("0123456789abcdef", "1.29.0-preview", "waveshare_rp2040_zero", "commanded", "maintenance", DEV),
    }[kind]


_lines: dict = {}


def record(seq: int, boot: int = 1) -> bytes:
    """The line of record seq, always the same one for a seq and boot: whole rounds of eight records, none shorter than
    it would be in ten years of play."""
    if (seq, boot) not in _lines:
        if len(_lines) > (60 if MICROPYTHON else 100000):
            _lines.clear()  # MicroPython's heap is small
        kind = ROUND[(seq - 1) % 8]
        t, rest = "315000000%d" % (100 + boot % 900), values(kind, seq // 8)
        _lines[seq, boot] = ledger.encode_record(kind, DEV, boot + 4320000, seq, t, rest, RKEY, mac.ZERO_MAC)[0]
    return _lines[seq, boot]


_flash: dict = {}


def flash(count: int) -> Nor:
    """Erased flash of so many sectors; what an earlier call gave is good no more."""
    if count not in _flash:
        _flash[count] = Nor(count).data  # once: under MicroPython so much in one piece is hard to find again
    for n in range(count):
        _flash[count][n * 4096 : (n + 1) * 4096] = ERASED
    return Nor(count, _flash[count])


def fill(journal):
    """Append until there is no room."""
    while journal.free():
        journal.append(record(journal.next_seq))


def needed(last: int) -> int:
    """The record that recovery begins at when `last` is the newest: the last spin or meter, whichever is older."""
    spin, meter = last - (last - 1) % 8, last - last % 8
    return max(1, min(spin, meter))


def opened(nor, dev=DEV, replaces=None) -> FlashJournal:
    journal = FlashJournal(nor, range(300, 300 + nor.count))
    journal.open(dev, replaces)
    journal.keep = needed(journal.next_seq - 1)
    return journal


def write(journal, count: int, boot: int = 1):
    """Append so many records as a terminal does: prepared and checked before each round and checked after it."""
    for _ in range(count):
        seq = journal.next_seq
        step = (seq - 1) % 8
        if step == 0:
            make_ready(journal)
            journal.check()
        journal.totals = (seq, 2, 3, 4, 5, 6)
        journal.append(record(seq, boot))
        journal.keep = needed(seq)
        if step == 7:
            journal.check()


def make_ready(journal):
    for _ in range(8):
        if journal.prepare():
            return
    raise AssertionError("not prepared after 8 erases")


def written(nor, count: int) -> FlashJournal:
    journal = opened(nor)
    write(journal, count)
    return journal


def holds(journal, first: int, last: int, boot: int = 1) -> bool:
    """Does the journal end at record `last` and give back the records from `first` on?"""
    if journal.next_seq != last + 1 or journal.recall(last + 1) is not None or journal.recall(0) is not None:
        return False
    return all([journal.recall(seq) == record(seq, boot) for seq in range(first, last + 1)])


def oldest(journal) -> int:
    """The oldest record that is still there, with all behind it."""
    seq = journal.next_seq
    while seq > 1 and journal.recall(seq - 1) is not None:
        seq -= 1
    return seq


# ------------------------------------------------------------ a small journal, to be damaged

SECTORS = 40
MAIN, COPY = split(SECTORS)
COPY_AT = MAIN * 4096


def places(nor, seq):
    """Where the line of record seq stands in the main ring, and in the copy."""
    first = nor.data.find(record(seq))
    second = nor.data.find(record(seq), COPY_AT)
    assert 0 <= first < COPY_AT <= second, seq
    return first, second


def spoil(nor, at):
    nor.data[at + 20] ^= 4


def powered(nor):
    return Nor(SECTORS, nor.data)
