"""Which device this is: its dev and key, whether its journal has begun, and what was last found right about the guards.

Two guarded sectors apart from the journal's hold the same page each, so that one of them is whole whenever the power
goes. A board for play gets its identity by provisioning alone. One that is not for play (sim-, emu-) brings its dev in
the file `dev.txt` and makes the rest at its first start, under the test key of docs/PROTOCOL.md.

The page, little-endian: "TSI1", count of writes, seal of the guards, born, dev, dev that it replaces (NUL filled), the
32 bytes of K, FF; in the last four bytes the CRC-32 of all before.
"""

import binascii
import struct

from tumbler.core import fields as F
from tumbler.core.mac import hmac_sha256

FILE = "dev.txt"
TEST_KEY = bytes(range(32))
MAGIC = b"TSI1"
PAGE = 256
EIO = 5
_FORMAT = "<4sIIB24s24s32s"
_CRC_AT = PAGE - 4


class NotProvisioned(Exception):
    """The device has no identity that it could use; the text says why and what to do."""


class Identity:
    """dev, k (32 bytes), fw (16 hex), mpy, board, mode, replaces (dev or None) and born, as the lines of the device
    need them. boot is 0 until the journal has told the last one.

    seal: of the guards, as protect() got it last, None at first. whole: both sectors hold all this.
    sectors: two, with read(), program() and erase() as hw/flash.py.
    """

    def __init__(self, sectors, dev: str, k: bytes, names):
        self._sectors = sectors
        self.dev, self.k = dev, k
        self.fw, self.mpy, self.board, self.mode = names
        self.replaces, self.born, self.seal = None, False, None
        self.boot = 0
        self.whole = False
        self.count, self.at = 0, 0  # writes so far; the sector with the newest

    def mark_born(self):
        """The first record of this dev is in the journal. Raises OSError if that cannot be written."""
        self.born = True
        self._save()

    def protect(self, seal: int):
        """The guards were found right under this seal. Raises OSError if that cannot be written."""
        self.seal = seal
        self._save()

    def new_dev(self):
        """After a lost journal: go on under the next dev, not yet born, which replaces this one. Its last four digits
        follow from the key and the dev before; no entropy is needed. One that never wrote a record is replaced without
        being named, for nobody knows it. Raises OSError if that cannot be written."""
        tail = hmac_sha256(self.k, self.dev.encode()).hex()
        at = 0
        while tail[at : at + 4] == self.dev[-4:]:
            at += 4
        if self.born or not self.replaces:
            self.replaces = self.dev
        self.dev = self.dev[:-4] + tail[at : at + 4]
        self.born, self.boot = False, 0
        self._save()

    def _save(self):
        """The older copy first: the newest one is whole until another is."""
        self.count += 1
        page = _page(self)
        check = bytearray(PAGE)
        self.whole = False
        for sector in (1 - self.at, self.at):
            self._sectors.erase(sector)
            self._sectors.program(sector, 0, page)
            self._sectors.read(sector, 0, check)
            if check != page:
                raise OSError(EIO)
            self.at = sector
        self.whole = True


def _page(i: Identity):
    page = bytearray(b"\xff" * PAGE)
    replaces = (i.replaces or "").encode()
    struct.pack_into(_FORMAT, page, 0, MAGIC, i.count, i.seal or 0, i.born, i.dev.encode(), replaces, i.k)
    struct.pack_into("<I", page, _CRC_AT, binascii.crc32(memoryview(page)[:_CRC_AT]) & 0xFFFFFFFF)
    return page


def is_identity(page) -> bool:
    """Does this page hold an identity, whole?"""
    crc = struct.unpack_from("<I", page, _CRC_AT)[0]
    return bytes(page[:4]) == MAGIC and crc == binascii.crc32(memoryview(page)[:_CRC_AT]) & 0xFFFFFFFF


def load(sectors, names):
    """The identity in the two sectors, of the newest copy -> Identity, or None if neither holds one. Writes nothing.

    names: fw, mpy, board, mode."""
    pages = [bytearray(PAGE), bytearray(PAGE)]
    best = None
    for sector in (0, 1):
        sectors.read(sector, 0, pages[sector])
        if is_identity(pages[sector]):
            _, count, seal, born, dev, replaces, k = struct.unpack_from(_FORMAT, pages[sector], 0)
            if best is None or count > best.count:
                best = Identity(sectors, _text(dev), k, names)
                best.replaces, best.born, best.seal = _text(replaces) or None, bool(born), seal
                best.count, best.at = count, sector
    if best is not None:
        best.whole = pages[0] == pages[1]
    return best


def _text(field):
    return field.rstrip(b"\x00").decode()


def from_file(sectors, names) -> Identity:
    """The identity that dev.txt brings, for a device not for play; not written yet. Raises NotProvisioned."""
    try:
        with open(FILE) as f:
            dev = f.read().strip()
    except OSError:
        raise NotProvisioned("This device has no identity: provision it first.")
    if not is_dev(dev):
        raise NotProvisioned("What stands in dev.txt is not a dev: provision the device.")
    if not (dev.startswith("sim-") or dev.startswith("emu-")):
        raise NotProvisioned("%s is not a sim- or emu- device, and dev.txt brings no key for it." % dev)
    return Identity(sectors, dev, TEST_KEY, names)


def is_dev(text: str) -> bool:
    """Is it a dev as docs/PROTOCOL.md writes it?"""
    return F.DEV_MIN <= len(text) <= F.DEV_MAX and all([c in F.DEV_CHARS for c in text])
