"""What the doctor found: one line each, and where something is wrong, how to mend it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """what: a port, a program; says: what is known of it; wrong: a sentence that ends with how to mend it, or ""."""

    what: str
    says: str
    wrong: str = ""
