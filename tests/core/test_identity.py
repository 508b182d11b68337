"""The identity file: who the device is, and that a new dev names the old one, whenever the power goes."""

import os

from tumbler.hw import identity

from tests.core import kit
from tests.core.journal_parts import Folder, content, put

DEV = "sim-0000000000a1-9c1e"


class InFolder(Folder):
    """A folder that is the current directory."""

    def __enter__(self):
        self.before = os.getcwd()
        path = Folder.__enter__(self)
        os.chdir(path)
        return path

    def __exit__(self, kind, value, trace):
        os.chdir(self.before)
        Folder.__exit__(self, kind, value, trace)


def loaded(text=None):
    if text is not None:
        put("dev.txt", text)
    return identity.load("pico", "0123456789abcdef", "1.28.0", "production")


def test_a_fresh_device():
    with InFolder():
        i = loaded(DEV.encode() + b"\n")
        assert (i.dev, i.replaces, i.born, i.boot) == (DEV, None, False, 0)
        assert (i.board, i.fw, i.mpy, i.mode) == ("pico", "0123456789abcdef", "1.28.0", "production")
        assert i.k.hex() == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"


def test_line_ends_of_any_kind_do():
    with InFolder():
        for text in (b"", b"\n", b"\r\n", b"\r\nborn\r\n"):
            i = loaded(DEV.encode() + text)
            assert (i.dev, i.born) == (DEV, b"born" in text)


def test_born_is_kept():
    with InFolder():
        loaded(DEV.encode()).mark_born()
        assert loaded().born and loaded().dev == DEV
        assert content("dev.txt") == DEV.encode() + b"\nborn\n"


def test_a_new_dev_replaces_the_old_one_and_is_not_born():
    with InFolder():
        i = loaded(DEV.encode() + b"\nborn\n")
        i.boot = 12
        i.new_dev()
        assert i.dev[:-4] == DEV[:-4] and i.dev != DEV
        assert (i.replaces, i.born, i.boot) == (DEV, False, 0)
        again = loaded()
        assert (again.dev, again.replaces, again.born) == (i.dev, DEV, False)
        again.mark_born()
        assert (loaded().replaces, loaded().born) == (DEV, True)


def test_the_next_dev_follows_from_key_and_dev():
    with InFolder():
        i = loaded(DEV.encode())
        i.new_dev()
        # first 4 hex of HMAC-SHA256(bytes 00 to 1f, "sim-0000000000a1-9c1e"), by openssl
        assert i.dev == "sim-0000000000a1-877e"


def test_the_next_dev_is_another_even_where_the_digits_would_be_the_same():
    with InFolder():
        i = loaded(b"sim-0000000000a1-0ac2")  # HMAC, by openssl: 0ac22d8d…
        i.new_dev()
        assert i.dev == "sim-0000000000a1-2d8d"


def test_many_new_devs_are_each_another():
    with InFolder():
        i, seen = loaded(DEV.encode()), [DEV]
        for _ in range(20):
            i.new_dev()
            assert i.dev not in seen and i.replaces == seen[-1] and len(i.dev) == 21
            seen.append(i.dev)


def test_a_power_cut_while_writing_leaves_the_old_file():
    with InFolder():
        i = loaded(DEV.encode() + b"\nborn\n")
        fake = FakeOs()
        identity.os = fake
        try:
            with kit.raises(OSError):
                i.new_dev()
        finally:
            identity.os = os
        assert fake.asked == ("dev.txt.new", "dev.txt")
        assert (loaded().dev, loaded().born, loaded().replaces) == (DEV, True, None)


class FakeOs:
    """The power goes before the rename."""

    def rename(self, old, new):
        self.asked = (old, new)
        raise OSError(5)


def test_no_identity_that_could_be_used():
    with InFolder():
        with kit.raises(identity.NotProvisioned) as caught:
            loaded()
        assert "dev.txt" in str(caught.value)
        rows = (
            b"",
            b"\n" + DEV.encode(),
            b"sim-1",
            b"SIM-0000000000A1",
            b"x" * 22,
            b"sim-\xc3\xa9aaaaa",
            b"sim-aaaa zz",
        )
        for text in rows + (DEV.encode() + b"\nbored\n", DEV.encode() + b"\nreplaces x\n"):
            with kit.raises(identity.NotProvisioned):
                loaded(text)


def test_a_device_for_play_has_no_key_here():
    with InFolder():
        for dev in (b"e6614c31d3b8a52f-9c1e", b"simulated-9c1e", b"emulated-9c1e"):
            with kit.raises(identity.NotProvisioned) as caught:
                loaded(dev)
            assert dev.decode() in str(caught.value)
        assert loaded(b"emu-0000000000a1-9c1e").dev == "emu-0000000000a1-9c1e"
