"""Words that more than one room puts on the screen."""


def plural(count: int, one: str, many: str) -> str:
    """`1 round`, `2 rounds`."""
    return f"{count} {one if count == 1 else many}"
