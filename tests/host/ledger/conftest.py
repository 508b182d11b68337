"""docs/PROTOCOL.md as data, read out of the document, and a second writer of its lines.

The writer shares no code with the first: json, zlib and hmac of CPython, along the tables of the document.
"""

import hashlib
import hmac
import json
import re
import zlib
from pathlib import Path

import pytest

K = bytes(range(32))


class Protocol:
    """The tables and vectors of the document, and reference writing along them."""

    def __init__(self, text: str):
        self.text = text
        types = text.split("## Types")[1].split("\n## ")[0]
        self.types = dict(re.findall(r"^\| `?([\w?, ]+)`? \| (.+) \|$", types, re.M))
        self.durable = self._table("## From the board: durable records")
        self.ephemeral = self._table("## From the board: ephemeral lines")
        self.commands = self._table("## From the host")
        self.vectors = [block.splitlines() for block in re.findall(r"```vectors\n(.*?)```", text, re.S)]

    def _table(self, heading: str) -> dict[str, tuple[tuple[tuple[str, str], ...], int]]:
        """kind -> ((field, type), …), longest line; in the order of the document."""
        section = self.text.split(heading)[1].split("\n## ")[0]
        rows = re.findall(r"^\| `([\w?]+)` \| (.*?) \| (\d+) \|$", section, re.M)
        return {kind: (tuple(re.findall(r"`(\w+)` ([\w?]+)", fields)), int(longest)) for kind, fields, longest in rows}

    def words(self, name: str) -> list[str]:
        """The values of an enumerated type."""
        return re.findall(r"`(\w+)`", self.types[name])


def key(what: str) -> bytes:
    return hmac.new(K, what.encode(), hashlib.sha256).digest()


def reference_line(head: dict, fields: dict, mac_key: bytes | None, prev_mac: bytes = b"") -> bytes:
    """One line, LF included, as the document describes it."""
    body = json.dumps({"sb": 1, **head, **fields}, separators=(",", ":"))[:-1]
    if mac_key is not None:
        tag = hmac.new(mac_key, prev_mac + body.encode(), hashlib.sha256).hexdigest()[:32]
        body += f',"mac":"{tag}"'
    return f'{body},"crc":"{zlib.crc32(body.encode()):08X}"}}\n'.encode()


@pytest.fixture(scope="session")
def protocol() -> Protocol:
    return Protocol((Path(__file__).parents[3] / "docs" / "PROTOCOL.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def reference():
    return reference_line


@pytest.fixture(scope="session")
def keys() -> dict[str, bytes]:
    return {"record": key("record"), "host": key("host")}
