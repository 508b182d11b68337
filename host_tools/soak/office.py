"""Others who work on the same store: a counter that takes wagers, and a pit boss who gives orders to the board."""

import contextlib
from collections.abc import Iterable
from typing import Any

from tumbler.core import fields as F

from host_tools.settler.settle import Wager
from host_tools.soak.host import PAYTABLE, Host
from host_tools.soak.safety import Safety, decoded
from host_tools.soak.world import Steps, World
from host_tools.store.rows import Refused

# The record that shows that the board obeyed.
OBEYED = {"no_more_bets": "bets_closed", "void": "void", "correct": "correction", "clear": "clear"}


class Office:
    """counter() and boss() work; check() asks whether every order came to the end that the records show."""

    def __init__(self, world: World, host: Host, safety: Safety) -> None:
        self._world, self._host, self._safety = world, host, safety
        self._chance = world.chance("office")
        self.open = True
        self.orders = 0

    def _busy(self) -> bool:
        """Nobody takes wagers without a run. The points at which it dies are counted for all of this process, so nobody
        else touches the store then."""
        return not self.open or not self._host.alive or self._host.fuse.left is not None

    def counter(self) -> Steps:
        """Places one wager after the other, whenever the store takes any."""
        count = 0
        while self.open:
            yield self._chance.randint(200, 2000)
            betting = self._host.rows("select dev, round from live where state = 'BETTING'")
            if self._busy() or not betting:
                continue
            (dev, number), count = betting[0], count + 1
            wager = Wager(f"C{count}", "Cara", self._chance.choice(("small", "big")), "", self._chance.randint(1, 9999))
            with contextlib.suppress(Refused):
                self._host.operator.place_wagers(dev, number, [wager], PAYTABLE, self._host.clock.utc_now)
                self._host.accepted(dev, number, [wager])

    def boss(self, mean_ms: int) -> Steps:
        """Gives orders, some of them too late or for a record that is not in force any more."""
        last: dict[str, Any] = {}
        while self.open:
            yield int(self._chance.expovariate(1 / mean_ms)) + 1
            now = self._in_force()
            order = last if last and self._chance.random() < 0.2 else now
            last = now
            if self._busy() or not order:
                continue
            self.orders += 1
            by = f"host:boss{self.orders}"  # one name for each, so that its record can be told
            self._world.say(f"order {order['verb']} by {by}")
            self._host.operator.queue_command(by=by, at=self._host.clock.utc_now(), **order)

    def _in_force(self) -> dict[str, Any]:
        """An order that fits what the store knows, {} if none does."""
        query = "select dev, boot, seq, kind, round from records where kind not in ('boot', 'meter') order by dev, seq"
        records = self._host.rows(query)
        if not records:
            return {}
        dev, boot, seq, kind, number = records[-1]
        if kind == "fault":
            return {"dev": dev, "verb": "clear", "round": number, "ref_boot": boot, "ref_seq": seq}
        boot, seq, kind = next(
            ((b, s, k) for _, b, s, k, n in reversed(records) if k not in ("fault", "clear")), (0, 0, "")
        )
        order: dict[str, Any] = {"dev": dev, "round": number, "ref_boot": boot, "ref_seq": seq}
        if kind == "bets_open" and self._chance.random() < 0.7:
            return {**order, "verb": "no_more_bets"}
        reason = self._chance.choice(F.DEALER_REASONS)
        if kind in ("result", "correction") and self._chance.random() < 0.7:
            dice = tuple(self._chance.randint(1, 6) for _ in range(3))
            return {**order, "verb": "correct", "dice": dice, "reason": reason}
        return {**order, "verb": "void", "reason": reason} if number and self._chance.random() < 0.3 else {}

    def waits(self) -> bool:
        """An order was sent and its end is not known; of one to a dev that was replaced nobody will know it."""
        return bool(self._host.rows("select 1 from commands where state = 'sent' and dev = ?", self._safety.dev))

    def check(self) -> None:
        """An order that is done left one record at the board, though the answer may be here before it; any other left
        none in the store, but for a clear that the power cut behind the void of its open round."""
        kept, stored = self._kinds(self._safety.lines.values()), self._kinds(self._stored())
        for verb, by, state in self._host.rows(
            "select verb, by, state from commands where state not in ('sent', 'queued')"
        ):
            done = state == "done"
            kinds = (kept if done else stored).get(by, [])
            if verb == "clear" and kinds[:1] == ["void"]:
                kinds = kinds[1:]
            if kinds != ([OBEYED[verb]] if done else []):
                self._safety.broken(f"order {verb} by {by} is {state}, its records are {kinds}")

    def _stored(self) -> list[bytes]:
        query = "select line from records where kind in ('bets_closed', 'void', 'correction', 'clear')"
        return [line.encode() for (line,) in self._host.rows(query)]

    @staticmethod
    def _kinds(lines: Iterable[bytes]) -> dict[str, list[str]]:
        """The kinds of the records in the name of each person, in order."""
        made: dict[str, list[str]] = {}
        for record in (decoded(line.rstrip(b"\n")) for line in lines):
            if "by" in record:
                made.setdefault(record["by"], []).append(record["kind"])
        return made
