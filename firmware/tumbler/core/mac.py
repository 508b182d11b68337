"""HMAC-SHA256 (RFC 2104) on hashlib alone, and the two keys derived from a board's key K.

MicroPython's firmware has sha256 but no hmac module; the host uses the same few lines so that both ends are one text.
"""

import hashlib

BLOCK = 64
MAC_BYTES = 16  # cut to 128 bits, docs/PROTOCOL.md
ZERO_MAC = bytes(MAC_BYTES)  # "previous mac" of a dev's first record


def hmac_sha256(key: bytes, *parts) -> bytes:
    """Return the 32-byte HMAC-SHA256 of the parts, concatenated. Keys longer than a block are hashed first."""
    if len(key) > BLOCK:
        key = hashlib.sha256(key).digest()
    key = key + bytes(BLOCK - len(key))
    inner = hashlib.sha256(bytes([b ^ 0x36 for b in key]))
    for part in parts:
        inner.update(part)
    return hashlib.sha256(bytes([b ^ 0x5C for b in key]) + inner.digest()).digest()


def record_key(k: bytes) -> bytes:
    """Key of the record chain, from the board's 32-byte key K."""
    return hmac_sha256(k, b"record")


def host_key(k: bytes) -> bytes:
    """Key of the host's lines, from the board's 32-byte key K."""
    return hmac_sha256(k, b"host")


def nonce(k: bytes, dev: str, boot: int, count: int) -> str:
    """The count-th hello nonce of a boot of a dev, 16 hex; needs no entropy. It never repeats, as boot never does under
    one dev, but for boot 0, a start without a journal: then no order is obeyed and no ack is taken."""
    return hmac_sha256(k, ("nonce %s %d %d" % (dev, boot, count)).encode())[:8].hex()


def proof(k: bytes, dev: str, challenge: str, its_nonce: str) -> str:
    """What a board answers to the host's challenge, 32 hex: it is there now, holds K, and gave this nonce."""
    text = "proof %s %s %s" % (dev, challenge, its_nonce)
    return hmac_sha256(k, text.encode())[:MAC_BYTES].hex()


def same(a, b) -> bool:
    """Compare two macs without leaving early, so that the time taken tells nothing about where they differ."""
    if len(a) != len(b):
        return False
    diff = 0
    for i in range(len(a)):
        diff |= a[i] ^ b[i]
    return diff == 0
