"""What a journal's flash pages hold: a header in the first page of every sector, then one record on one or two pages.

The bytes, little-endian. Header: "TSJ1", ring (0 main, 1 copy), sectors of either ring, runs of the block map,
generation, first seq, acked, keep, dev, the seq before which totals were counted, totals, then the runs (first block,
count), FF, and in the last four bytes the CRC-32 of all before. Record: 0xA000 + length of the line, seq, acked, keep,
CRC-32, the line, FF; without a line it is a note of what acked and keep are now. A record's CRC begins with its
sector's generation: what an erase left behind is never taken for a record. A page of a line is ASCII, which no record
begins with.
"""

import binascii
import struct

from tumbler.core.fields import MAX_LINE

PAGE = 256
SECTOR_PAGES = 16
NOTHING = (0, (0,) * 6)  # counted: totals that nobody counted yet
MAGIC = b"TSJ1"
_HEADER = "<4sBBBBIIII24s7I"
_HEADER_BYTES = 76
_DEV_BYTES = 24
_CRC_AT = PAGE - 4
MAX_RUNS = (_CRC_AT - _HEADER_BYTES) // 4
RECORD_BYTES = 18  # before the line
_MARK = 0xA000
BLANK = b"\xff" * (2 * PAGE)


def pages(length: int) -> int:
    """Pages that the record of a line of so many bytes takes."""
    return 1 if RECORD_BYTES + length <= PAGE else 2


# ------------------------------------------------------------ headers


def layout(main: int, copy: int, blocks) -> bytes:
    """What is the same in every header of a journal: the sizes of its rings and the file system's block of every guard,
    in their order. Raises ValueError if the blocks lie in more than 44 runs."""
    runs = []
    for block in blocks:
        if runs and block == runs[-1][0] + runs[-1][1]:
            runs[-1][1] += 1
        else:
            runs.append([block, 1])
    if len(runs) > MAX_RUNS:
        raise ValueError("the guards lie in %d runs of blocks, %d are allowed" % (len(runs), MAX_RUNS))
    return bytes([main, copy, len(runs)]) + b"".join([struct.pack("<HH", first, n) for first, n in runs])


def dev_bytes(dev: str) -> bytes:
    """A dev as headers hold it."""
    return dev.encode() + bytes(_DEV_BYTES - len(dev))


def dev_text(held: bytes) -> str:
    """A dev out of a header."""
    return "".join([chr(c) for c in held if c])


def put_header(page, ring: int, the_layout: bytes, gen: int, first: int, acked: int, keep: int, dev: bytes, counted):
    """Fill a page (bytearray) with a sector's header. dev: of dev_bytes(); counted: (seq, the six totals before it)."""
    page[:] = BLANK[:PAGE]
    main, copy, runs = the_layout[:3]
    struct.pack_into(
        _HEADER, page, 0, MAGIC, ring, main, copy, runs, gen, first, acked, keep, dev, counted[0], *counted[1]
    )
    page[_HEADER_BYTES : _HEADER_BYTES + len(the_layout) - 3] = the_layout[3:]
    struct.pack_into("<I", page, _CRC_AT, _crc(memoryview(page)[:_CRC_AT], 0))


def header(page):
    """Read a page -> (ring, layout, gen, first, acked, keep, dev, counted), None if it is no header. A start reads some
    hundred of them."""
    if page[:4] != MAGIC or struct.unpack_from("<I", page, _CRC_AT)[0] != _crc(memoryview(page)[:_CRC_AT], 0):
        return None
    found = struct.unpack_from(_HEADER, page, 0)
    runs = found[4]
    if runs > MAX_RUNS:
        return None
    the_layout = bytes(found[2:5]) + bytes(page[_HEADER_BYTES : _HEADER_BYTES + 4 * runs])
    return found[1], the_layout, found[5], found[6], found[7], found[8], found[9], (found[10], found[11:])


# ------------------------------------------------------------ records


def put_record(buf, gen: int, seq: int, acked: int, keep: int, line: bytes):
    """Fill two pages (bytearray) with a record, for a sector of that generation."""
    buf[:] = BLANK
    struct.pack_into("<HIII", buf, 0, _MARK + len(line), seq, acked, keep)
    buf[RECORD_BYTES : RECORD_BYTES + len(line)] = line
    struct.pack_into("<I", buf, 14, _record_crc(buf, gen, len(line)))


def record_length(buf) -> int:
    """Length of the line whose record seems to begin in these bytes, 0 for a note, -1 if none does."""
    length = struct.unpack_from("<H", buf, 0)[0] - _MARK
    return length if 0 <= length <= MAX_LINE else -1


def record(buf, gen: int, length: int):
    """(seq, acked, keep) of the record in two pages, None if its CRC is wrong."""
    seq, acked, keep, crc = struct.unpack_from("<IIII", buf, 2)
    return (seq, acked, keep) if crc == _record_crc(buf, gen, length) else None


def _record_crc(buf, gen, length):
    view = memoryview(buf)
    return _crc(view[RECORD_BYTES : RECORD_BYTES + length], _crc(view[:14], gen))


def _crc(data, seed):
    return binascii.crc32(data, seed) & 0xFFFFFFFF
