"""`make soak MINUTES=n`: trials, damaged lines and key presses, turn by turn, going on where the last one ended."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from host_tools.errors import UserError
from host_tools.soak import lines, presses
from host_tools.soak.safety import Broken
from host_tools.soak.trial import Trial
from host_tools.whole_file import write_whole

STATE = Path("out/soak.json")
# So that 10,000 trials, 1,000,000 damaged lines and 300,000 presses come together.
TRIALS, LINES, PRESSES = 20, 2000, 600
ROOT = Path(__file__).parents[2]


def code_hash() -> str:
    """Of the sources of firmware and host: totals of another program are not this one's."""
    digest = hashlib.sha256()
    for folder in ("firmware", "host_tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


class Soak:
    """The totals so far and the turns that add to them."""

    def __init__(self, state: Path) -> None:
        """Goes on from `state` if that is of this very code, else begins anew. Raises UserError."""
        self._state, self._code = state, code_hash()
        self.turns = 0
        self.seconds = 0.0
        self.broken: list[str] = []
        self.totals: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.alarms: Counter[str] = Counter()
        try:
            known = json.loads(state.read_text("utf-8"))
            if known["code"] == self._code:
                self._take(known)
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"The state of the soak in {state} cannot be read ({error}): move that file away."
            ) from None

    def _take(self, known: dict[str, Any]) -> None:
        self.turns, self.seconds, self.broken = known["turns"], known["seconds"], known["broken"]
        self.totals, self.faults, self.alarms = (Counter(known[name]) for name in ("totals", "faults", "alarms"))

    def keep(self) -> None:
        """Write the state: whole, or as it was."""
        names = ("turns", "seconds", "broken", "totals", "faults", "alarms")
        text = json.dumps({"code": self._code, **{name: getattr(self, name) for name in names}}, indent=1)
        self._state.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._state, text.encode())

    def turn(self) -> None:
        """TRIALS trials, LINES damaged lines, PRESSES presses; each with seeds that were not used before."""
        began_s = time.monotonic()
        for seed in range(self.turns * TRIALS, (self.turns + 1) * TRIALS):
            self._trial(seed)
        self._lines(self.turns)
        self._presses(self.turns)
        self.turns += 1
        self.seconds += time.monotonic() - began_s

    def _trial(self, seed: int) -> None:
        outcome = Trial(seed).run()
        self.totals["trials"] += 1
        for name in ("rounds", "records", "wagers", "orders"):
            self.totals[name] += getattr(outcome, name)
        self.faults.update(outcome.faults)
        self.alarms.update(outcome.alarms)
        if outcome.broken:
            self.broken.append(f"{outcome.broken}; again with: make sim SEED={seed}")

    def _lines(self, seed: int) -> None:
        try:
            counted = lines.play(seed, LINES)
        except Broken as error:
            self.broken.append(f"lines of seed {seed}: {error}")
            return
        for name, count in counted._asdict().items():
            self.totals[f"link {name}"] += count

    def _presses(self, seed: int) -> None:
        outliers = presses.play(seed, PRESSES // 10, presses.OUTLIER_US)
        for what, counted in (("keys", presses.play(seed, PRESSES)), ("outliers", outliers)):
            for name, count in counted._asdict().items():
                self.totals[f"{what} {name}"] += count

    def _pressed(self, what: str) -> str:
        t = self.totals
        lost, ghosts = (presses.at_most(t[f"{what} {name}"], t[f"{what} presses"]) for name in ("lost", "ghosts"))
        return (
            f"{t[f'{what} lost']} lost, {t[f'{what} ghosts']} ghosts (95 %: at most {lost:.1e} and {ghosts:.1e} of a "
            f"press), {t[f'{what} spikes']:,} spikes, {t[f'{what} late']:,} late ticks"
        )

    def report(self) -> str:
        """All totals, for a person."""
        t, hours = self.totals, self.seconds / 3600
        rows = [
            f"{t['trials']:>10,} trials, {t['rounds']:,} rounds, {t['records']:,} records, {t['wagers']:,} wagers, "
            f"{t['orders']:,} orders",
            f"{sum(self.faults.values()):>10,} faults in them: {_counts(self.faults)}",
            f"{sum(self.alarms.values()):>10,} alarms: {_counts(self.alarms)}",
            f"{t['link damaged']:>10,} damaged lines of {t['link lines']:,}, {t['link records']:,} records stored",
            f"{t['keys presses']:>10,} presses that bounce up to 6.2 ms: {self._pressed('keys')}",
            f"{t['outliers presses']:>10,} that bounce up to 157 ms: {self._pressed('outliers')}",
            f"{len(self.broken):>10,} promises broken",
        ]
        if hours:
            rows.append(f"{t['trials'] / hours:>10,.0f} trials an hour, in {self.seconds / 60:.1f} minutes altogether")
        return "\n".join([*rows, *self.broken])


def run(minutes: float, say: Callable[[str], None], state: Path = STATE) -> int:
    """Turns for so long, the state kept after each -> exit code. Raises UserError."""
    soak = Soak(state)
    end_s = time.monotonic() + 60 * minutes
    while time.monotonic() < end_s:
        soak.turn()
        soak.keep()
        t, broken = soak.totals, len(soak.broken)
        say(f"{t['trials']:,} trials, {t['link damaged']:,} lines, {t['keys presses']:,} presses, {broken} broken")
    say(soak.report())
    return 1 if soak.broken or soak.totals["keys lost"] or soak.totals["keys ghosts"] else 0


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counter.most_common()) or "none"
