"""The second, independent check of a board's records: its meters against what came, counted by own code."""

from host_tools.link.events import Fields

_COUNTS = {"spin": "rounds", "result": "results", "void": "voids", "correction": "corrections", "fault": "faults"}
NAMES = ("rounds", "spins", "results", "voids", "corrections", "faults")


class Totals:
    """Counts the records of one dev; a meter must say the same."""

    def __init__(self, meter: Fields | None = None) -> None:
        """Go on from a meter; from a dev's first record without one."""
        self._counted = {name: 0 if meter is None else meter[name] for name in NAMES}

    def count(self, fields: Fields) -> None:
        """A record came."""
        kind = fields["kind"]
        if kind in _COUNTS:
            self._counted[_COUNTS[kind]] += 1
        if kind == "result":
            self._counted["spins"] += fields["spins"] or 0

    def differences(self, meter: Fields) -> list[str]:
        """What a meter says otherwise, each in words; empty when nothing is missing."""
        return [
            f"{name} {meter[name]}, counted {count}" for name, count in self._counted.items() if meter[name] != count
        ]
