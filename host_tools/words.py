"""Words that more than one room takes in, or puts on the screen."""

import unicodedata


def composed(text: str) -> str:
    """`text` in Unicode's form NFC: é is the same letter whether it was typed as one character or as e and an accent,
    so that a player's name is one name in wagers and books, and a wager's id one wager."""
    return unicodedata.normalize("NFC", text)


def plural(count: int, one: str, many: str) -> str:
    """`1 round`, `2 rounds`."""
    return f"{count} {one if count == 1 else many}"


def printable(text: str) -> str:
    """`text` that a board, a device or a file gave, fit for a terminal: what would steer it stands there as its escape,
    as `\\x1b`. A line end is one of these."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
