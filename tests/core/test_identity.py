"""The identity in its two sectors: who the device is, and that a new dev names the old one, whenever the power goes."""

import os

from tumbler.hw import identity

from tests.core import kit

DEV = "sim-0000000000a1-9c1e"
NAMES = ("0123456789abcdef", "1.28.0", "pico", "production")
KEY = bytes(range(100, 132))


class Sectors:
    """Two sectors in memory. After `left` operations the power goes in the middle of the next one; `fails`: a sector
    that does not take what is programmed."""

    def __init__(self, left=1 << 29):
        self.data = [bytearray(b"\xff" * 4096), bytearray(b"\xff" * 4096)]
        self.left, self.fails = left, -1

    def read(self, sector, offset, buf):
        buf[:] = self.data[sector][offset : offset + len(buf)]

    def program(self, sector, offset, page):
        part = len(page) if self._powered() else len(page) // 2
        if sector != self.fails:
            for n in range(part):
                self.data[sector][offset + n] &= page[n]
        self._end()

    def erase(self, sector):
        part = 4096 if self._powered() else 100
        self.data[sector][:part] = b"\xff" * part
        self._end()

    def _powered(self):
        self.left -= 1
        return self.left >= 0

    def _end(self):
        if self.left < 0:
            raise KeyboardInterrupt


def loaded(sectors):
    return identity.load(sectors, NAMES)


def made(sectors, dev=DEV):
    """As provisioning makes it."""
    identity.Identity(sectors, dev, KEY, NAMES).protect(0)
    return loaded(sectors)


class DevFile:
    """`with DevFile(bytes or None):` a folder that is the current one, with that dev.txt."""

    def __init__(self, content):
        self.content = content

    def __enter__(self):
        self.before = os.getcwd()
        self.path = "%s/tumbler-%s" % (os.getenv("TMPDIR") or "/tmp", os.urandom(8).hex())
        os.mkdir(self.path)
        os.chdir(self.path)
        if self.content is not None:
            with open("dev.txt", "wb") as f:
                f.write(self.content)

    def __exit__(self, kind, value, trace):
        if self.content is not None:
            os.remove("dev.txt")
        os.chdir(self.before)
        os.rmdir(self.path)


def test_blank_sectors_hold_no_identity():
    assert loaded(Sectors()) is None


def test_what_was_made_is_read_back():
    s = Sectors()
    made(s)
    i = loaded(s)
    assert (i.dev, i.k, i.replaces, i.born, i.seal, i.boot, i.whole) == (DEV, KEY, None, False, 0, 0, True)
    assert (i.fw, i.mpy, i.board, i.mode) == NAMES
    assert s.data[0] == s.data[1]


def test_the_page_is_what_the_file_says():
    s = Sectors()
    made(s, "e6614c31d3b8a52f-9c1e")
    page = bytes(s.data[0][:256])
    assert page[:13] == b"TSI1\x01\0\0\0\0\0\0\0\0"
    assert page[13:37] == b"e6614c31d3b8a52f-9c1e\0\0\0" and page[37:61] == bytes(24)
    assert page[61:93] == KEY and page[93:252] == b"\xff" * 159
    assert identity.is_identity(page)
    for n in range(256):
        assert not identity.is_identity(page[:n] + bytes([page[n] ^ 1]) + page[n + 1 :]), n


def test_born_and_the_seal_are_kept():
    s = Sectors()
    made(s).mark_born()
    assert (loaded(s).born, loaded(s).seal) == (True, 0)
    loaded(s).protect(0xFFFFFFFF)
    assert (loaded(s).born, loaded(s).seal, loaded(s).dev) == (True, 0xFFFFFFFF, DEV)


def test_a_new_dev_replaces_the_old_one_and_is_not_born():
    s = Sectors()
    i = made(s)
    i.mark_born()
    i.boot = 12
    i.new_dev()
    assert i.dev[:-4] == DEV[:-4] and i.dev != DEV
    assert (i.replaces, i.born, i.boot) == (DEV, False, 0)
    again = loaded(s)
    assert (again.dev, again.replaces, again.born, again.k) == (i.dev, DEV, False, KEY)
    again.mark_born()
    assert (loaded(s).replaces, loaded(s).born) == (DEV, True)


def test_the_next_dev_follows_from_key_and_dev():
    rows = (
        # first 4 hex of HMAC-SHA256(bytes 00 to 1f, the dev before), by openssl
        (DEV, "sim-0000000000a1-877e"),
        ("sim-0000000000a1-0ac2", "sim-0000000000a1-2d8d"),  # 0ac22d8d…: never the same digits again
    )
    for before, after in rows:
        i = identity.Identity(Sectors(), before, bytes(range(32)), NAMES)
        i.new_dev()
        assert i.dev == after


def test_many_new_devs_are_each_another():
    i, seen = made(Sectors()), [DEV]
    for _ in range(20):
        i.mark_born()
        i.new_dev()
        assert i.dev not in seen and i.replaces == seen[-1] and len(i.dev) == 21
        seen.append(i.dev)


def test_a_dev_that_never_wrote_a_record_is_not_named_by_the_next():
    """The host waits for one that names the dev it knows: else the stakes of its open round stay where they are."""
    s = Sectors()
    i = made(s)
    i.mark_born()
    i.new_dev()
    i.new_dev()  # the first record of that one could not be kept
    assert (i.replaces, loaded(s).replaces, i.born) == (DEV, DEV, False)


def test_the_power_goes_at_every_operation_of_a_new_dev():
    for before in ("both whole", "first torn", "second torn"):
        for cut in range(5):
            s = Sectors()
            made(s).mark_born()
            if before != "both whole":
                torn = s.data[before == "second torn"]
                torn[:] = b"\xff" * 4096
            i = loaded(s)
            s.left = cut
            try:
                i.new_dev()
                assert cut == 4
            except KeyboardInterrupt:
                pass
            s.left = 1 << 29
            found = loaded(s)
            old, new = (DEV, True, None), (i.dev, False, DEV)
            assert (found.dev, found.born, found.replaces) in ((old, new) if cut < 4 else (new,)), (before, cut)
            found.protect(7)
            assert loaded(s).whole and loaded(s).dev == found.dev


def test_the_newest_copy_counts_and_a_lone_one_is_told():
    s = Sectors()
    old = bytes(made(s) and s.data[0])
    loaded(s).mark_born()
    for sector in (0, 1):
        new = bytes(s.data[sector])
        s.data[sector][:] = old
        assert loaded(s).born and not loaded(s).whole, sector
        s.data[sector][:] = b"\0" * 4096
        assert loaded(s).born and not loaded(s).whole, sector
        s.data[sector][:] = new
    assert loaded(s).whole


def test_a_sector_that_does_not_take_it_is_an_error_and_the_other_copy_stays():
    for sector in (0, 1):
        s = Sectors()
        i = made(s)
        s.fails = sector
        with kit.raises(OSError):
            i.mark_born()
        assert loaded(s).dev == DEV


def test_a_device_not_for_play_brings_its_dev_in_a_file():
    s = Sectors()
    for text in (b"", b"\n", b"\r\n"):
        with DevFile(DEV.encode() + text):
            i = identity.from_file(s, NAMES)
        assert (i.dev, i.replaces, i.born, i.seal, i.whole) == (DEV, None, False, None, False)
        assert i.k.hex() == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    assert loaded(s) is None  # nothing is written yet


def test_no_identity_that_could_be_used():
    rows = (
        None,
        b"",
        b"sim-1",
        b"SIM-0000000000A1",
        b"x" * 22,
        b"sim-\xc3\xa9aaaaa",
        b"sim-aaaa zz",
        DEV.encode() + b"\nborn\n",
        b"e6614c31d3b8a52f-9c1e",  # for play: provisioning alone
        b"simulated-9c1e",
    )
    for content in rows:
        with DevFile(content):
            with kit.raises(identity.NotProvisioned):
                identity.from_file(Sectors(), NAMES)
