"""A simulated dealer: plays rounds through a rig by nothing but what a dealer sees and hears."""

from __future__ import annotations

from collections.abc import Callable

from host_tools.errors import UserError
from host_tools.rig import Rig, Seen

SETTLE_LIMIT_MS = 60_000  # from the SPIN key to "place your bets"
ANSWER_MS = 1_000  # a key answers within this
PAUSE_MS = 400  # between two movements of the hands


class Dealer:
    """Plays rounds: cover shut, SPIN, wait for the lamp, betting, NO MORE BETS, cover open, key in the dice, ENTRY."""

    def __init__(self, rig: Rig, betting_ms: int = 5_000):
        self.rig = rig
        self.betting_ms = betting_ms

    def play(self, rounds: int) -> list[tuple[int, int, int]]:
        """Play that many rounds -> the dice of each, as they lay and were keyed in. Raises UserError when the terminal
        does not do its part in time."""
        return [self.play_round() for _ in range(rounds)]

    def play_round(self) -> tuple[int, int, int]:
        """One round, from a shut or open cover to a shut cover -> its dice. Raises UserError as play()."""
        self.open_bets()
        self.rig.step(self.betting_ms)
        self.close_bets()
        return self.enter_result()

    def open_bets(self) -> None:
        """Cover shut, SPIN, until the lamp says "place your bets"."""
        self.rig.cover(False)
        self.rig.step(PAUSE_MS)
        self.rig.tap("spin")
        self._wait(lambda seen: seen["lamp"] != "off", SETTLE_LIMIT_MS, "the lamp did not come on after SPIN")
        seen = self.rig.step(PAUSE_MS)  # so long it takes to tell a steady lamp from a blinking one
        if seen["lamp"] != "on":
            raise UserError(f'The dealer stopped: the terminal shows "{seen["display"].strip()}" instead of open bets.')

    def close_bets(self) -> None:
        """NO MORE BETS."""
        self.rig.tap("no_more_bets")
        self._wait(lambda seen: seen["lamp"] == "off", ANSWER_MS, "the lamp did not go out after NO MORE BETS")

    def enter_result(self) -> tuple[int, int, int]:
        """Cover open, the dice keyed in as they lie, ENTRY, cover shut -> the dice."""
        self.rig.cover(True)
        self.rig.step(PAUSE_MS)
        dice = self.rig.dice()
        shown = ""
        for face in dice:
            self.rig.tap(str(face))
            shown += str(face)
            self._wait(lambda seen, want=shown: seen["display"].strip() == want, ANSWER_MS, f"{shown} did not show")
        beeps = self.rig.read()["beeps"]
        self.rig.tap("entry")
        self._wait(lambda seen: seen["beeps"] > beeps, ANSWER_MS, "no beep came after ENTRY")
        if self.rig.step(PAUSE_MS)["beeps"] > beeps + 1:
            raise UserError("The dealer stopped: ENTRY was refused, it beeped more than once.")
        self.rig.cover(False)
        self.rig.step(PAUSE_MS)
        return dice

    def _wait(self, ready: Callable[[Seen], bool], limit_ms: int, missing: str) -> Seen:
        try:
            return self.rig.step_until(ready, limit_ms)
        except UserError as error:
            raise UserError(f"The dealer stopped: {missing}. {error}") from None
