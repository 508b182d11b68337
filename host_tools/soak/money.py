"""Is the money right? Wagers whose pay is known without the paytable, and the store's rows asked beside the product."""

from typing import Any

from host_tools.settler.settle import Wager
from host_tools.soak.host import Host
from host_tools.soak.safety import Safety, decoded

# 1 to 1 in every paytable: small is a total of 4 to 10, big one of 11 to 17; both lose on any triple.
WAGERS = [Wager("W1", "Aroha", "small", "", 1000), Wager("W2", "Ben", "big", "", 705)]
FINAL = ("result", "correction", "void")


def returned_cents(kind: str, stake_cents: int, dice: list[int]) -> int:
    """What a wager on small or big gives back, its stake included."""
    small = sum(dice) <= 10
    wins = len(set(dice)) > 1 and small == (kind == "small")
    return 2 * stake_cents if wins else 0


class Money:
    """check(): each stake is open, or was settled exactly once under the record in force. Counts what it saw."""

    def __init__(self, host: Host, safety: Safety) -> None:
        self._host, self._safety = host, safety
        self.wagers = self.late = 0
        self._settled: set[int] = set()  # ids of entries seen so far

    def check(self) -> None:
        """At any moment: entries are never taken away, no wager has two that stand, all sums are right."""
        self.late = 0
        ids = {row[0] for row in self._host.rows("select id from settlements")}
        if self._settled - ids:
            self._safety.broken(f"settlements {sorted(self._settled - ids)} are gone")
        self._settled = ids
        rounds: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
        query = "select dev, round, wager_id, kind, stake_cents from wagers order by dev, round, place"
        for dev, number, *wager in self._host.rows(query):
            rounds.setdefault((dev, number), []).append(tuple(wager))
        self.wagers = sum(len(wagers) for wagers in rounds.values())
        for (dev, number), wagers in rounds.items():
            self._check_round(dev, number, wagers)

    def _check_round(self, dev: str, number: int, wagers: list[tuple[Any, ...]]) -> None:
        row = self._host.rows("select state, settled from rounds where dev = ? and round = ?", dev, number)
        state, settled = row[0]
        stored = self._host.rows("select line from records where dev = ? and round = ? order by seq", dev, number)
        records = [decoded(line.encode()) for (line,) in stored]
        in_force = [r for r in records if r["kind"] not in ("fault", "clear")][-1]
        if in_force["kind"] != state and not settled:
            self._safety.broken(f"round {number} is {state} in the store, its last record is {in_force['kind']}")
        staked = back = kept = open_ = 0
        for wager_id, kind, stake_cents in wagers:
            staked += stake_cents
            standing = self._standing(dev, number, wager_id)
            if standing is None:
                open_ += stake_cents
                if settled:
                    self._safety.broken(f"round {number} is settled, and wager {wager_id} is not")
                continue
            outcome, returned = standing
            if state not in FINAL and outcome != "void":
                self._safety.broken(f"wager {wager_id} of round {number} is settled in {state}")
            accepted_ms = self._host.accepted_ms[dev, number, wager_id]
            self._check_wager(dev, number, (kind, stake_cents, accepted_ms), outcome, returned, in_force)
            back += min(returned, stake_cents)
            kept += stake_cents - min(returned, stake_cents)
        if staked != back + kept + open_:
            self._safety.broken(f"round {number}: {staked} staked, {back} back, {kept} kept, {open_} open")

    def _standing(self, dev: str, number: int, wager_id: str) -> tuple[str, int] | None:
        """Outcome and cents returned of the entry that stands; all others were reversed to the cent."""
        query = (
            "select id, entry, outcome, returned_cents, reverses from settlements "
            "where dev = ? and round = ? and wager_id = ? order by id"
        )
        entries = self._host.rows(query, dev, number, wager_id)
        made = {row[0]: row for row in entries if row[1] == "settle"}
        for _, entry, _, cents, reverses in entries:
            if entry == "reverse":
                reversed_ = made.pop(reverses, None)
                if reversed_ is None or reversed_[3] != -cents:
                    self._safety.broken(f"round {number}, wager {wager_id}: a wrong reversal")
        if len(made) > 1:
            self._safety.broken(f"round {number}, wager {wager_id}: settled {len(made)} times")
        for _, _, outcome, cents, _ in made.values():
            return outcome, cents
        return None

    def _check_wager(
        self, dev: str, number: int, wager: tuple[Any, ...], outcome: str, returned: int, in_force: dict[str, Any]
    ) -> None:
        kind, stake_cents, accepted_ms = wager
        closed_ms = self._safety.closed_ms.get((dev, number))
        if outcome == "void":
            self.late += in_force["kind"] != "void"
            expected = stake_cents
        elif in_force["kind"] == "void":
            self._safety.broken(f"round {number} is void, and a wager in it is {outcome}")
        else:
            expected = returned_cents(kind, stake_cents, in_force["dice"])
            if closed_ms is not None and accepted_ms > closed_ms:
                self._safety.broken(f"round {number}: a wager counts that was accepted after the bets were closed")
        if returned != expected:
            self._safety.broken(f"round {number}: {kind} gave {returned} cents back, {expected} are right")
