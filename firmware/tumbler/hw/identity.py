"""Which device this is: its dev and key, and whether its journal has begun; kept in `dev.txt`, current directory.

The file has a line with the dev, then, where they hold, `replaces DEV` (the dev before, after a lost journal) and
`born` (the first record of this dev is in the journal: a journal that is not there any more was lost). Only devices
that are not for play (sim-, emu-) keep their identity this way, under the test key of docs/PROTOCOL.md.
"""

import os

from tumbler.core import fields as F
from tumbler.core.mac import hmac_sha256

FILE = "dev.txt"
TEST_KEY = bytes(range(32))


class NotProvisioned(Exception):
    """The device has no identity that it could use; the text says why and what to do."""


class Identity:
    """dev, k (32 bytes), fw (16 hex), mpy, board, mode, replaces (dev or None) and born, as the lines of the device
    need them. boot is 0 until the journal has told the last one."""

    def __init__(self, dev: str, replaces, born: bool, names):
        self.dev, self.replaces, self.born = dev, replaces, born
        self.board, self.fw, self.mpy, self.mode = names
        self.k = TEST_KEY
        self.boot = 0

    def mark_born(self):
        """The first record of this dev is in the journal. Raises OSError if that cannot be written."""
        self.born = True
        self._save()

    def new_dev(self):
        """After a lost journal: go on under the next dev, not yet born, which replaces this one. Its last four digits
        follow from the key and the dev before; no entropy is needed. Raises OSError if that cannot be written."""
        tail = hmac_sha256(self.k, self.dev.encode()).hex()
        at = 0
        while tail[at : at + 4] == self.dev[-4:]:
            at += 4
        self.dev, self.replaces = self.dev[:-4] + tail[at : at + 4], self.dev
        self.born, self.boot = False, 0
        self._save()

    def _save(self):
        text = self.dev + "\n"
        if self.replaces:
            text += "replaces " + self.replaces + "\n"
        if self.born:
            text += "born\n"
        with open(FILE + ".new", "w") as f:
            f.write(text)
        os.rename(FILE + ".new", FILE)  # in one step: the old file or the new one, whenever the power goes


def load(board_name: str, fw: str, mpy: str, mode: str) -> Identity:
    """Read dev.txt. Raises NotProvisioned if it is not there, is not as it should be, or names a device for play."""
    try:
        with open(FILE) as f:
            lines = f.read().split("\n")
    except OSError:
        raise NotProvisioned("There is no dev.txt on this device: provision it first.")
    dev = lines[0].strip()
    if not _is_dev(dev):
        raise NotProvisioned("The first line of dev.txt is not a dev: provision the device again.")
    if not (dev.startswith("sim-") or dev.startswith("emu-")):
        raise NotProvisioned("%s is not a sim- or emu- device, and there is no key for it here." % dev)
    replaces, born = None, False
    for line in lines[1:]:
        line = line.strip()
        if line.startswith("replaces ") and _is_dev(line[9:]):
            replaces = line[9:]
        elif line == "born":
            born = True
        elif line:
            raise NotProvisioned("dev.txt has a line that means nothing: provision the device again.")
    return Identity(dev, replaces, born, (board_name, fw, mpy, mode))


def _is_dev(text):
    return F.DEV_MIN <= len(text) <= F.DEV_MAX and all([c in F.DEV_CHARS for c in text])
