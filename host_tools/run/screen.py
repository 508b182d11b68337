"""What a run puts on the screen: a line for each step of a round, and every settled round in full."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from host_tools.keys import not_for_play
from host_tools.link.events import Fields
from host_tools.settler.call import call
from host_tools.settler.paytable import Paytable
from host_tools.settler.render import money, print_areas, print_paytable_line, print_round, print_settlements
from host_tools.settler.settle import Tally
from host_tools.settler.taisai import Dice
from host_tools.store import Ingested
from host_tools.store.rows import Made, Overpaid
from host_tools.words import plural

NOT_FOR_PLAY = "NOT FOR PLAY: a simulated board whose key everybody knows"

_STEPS = {
    "boot": "The board started ({cause}, {mode})",
    "spin": "Round {round}: the dice are spun",
    "bets_open": "Round {round}: place your bets",
    "bets_closed": "Round {round}: no more bets",
    "uncovered": "Round {round}: the cover is open",
    "result": "Round {round}: result",
    "correction": "Round {round}: CORRECTED by {by}, {reason}",
    "void": "Round {round}: VOID by {by}, {reason}; all stakes go back",
    "fault": "FAULT {code} in {state}, round {round}: the supervisor clears it at the keys",
    "clear": "Fault answered by {by}: {act}",
}
_STYLES = {"correction": "bold yellow", "void": "bold yellow", "fault": "bold red", "result": "bold"}


class Screen:
    """Prints; decides nothing."""

    def __init__(self, console: Console, paytable: Paytable) -> None:
        self.console = console
        self.paytable = paytable

    def say(self, text: str, style: str = "") -> None:
        """One line; what it holds is never read as markup."""
        self.console.print(Text(text, style=style), soft_wrap=True)

    def opened(self, device: str, about: Sequence[str]) -> None:
        """The port is open."""
        for line in (f"Port:     {device}", *about):
            self.say(line)

    def met(self, hello: Fields, table: str) -> None:
        """A board said hello and was taken."""
        if not_for_play(hello["dev"]):
            self.say(NOT_FOR_PLAY, "bold red")
        self.say(
            f"Board {hello['dev']} ({hello['board']}, firmware {hello['fw']}, MicroPython {hello['mpy']}, "
            f"{hello['mode']}) serves table {table}; {plural(hello['unacked'], 'record waits', 'records wait')}"
        )
        print_paytable_line(self.console, self.paytable)

    def record(self, fields: Fields, done: Ingested) -> None:
        """A record that was stored now, and what it settled."""
        kind = fields["kind"]
        if kind in _STEPS:
            self.say(_STEPS[kind].format(**fields), _STYLES.get(kind, ""))
        if done.note:
            self.say(done.note, "bold yellow")
        self._reversed(done.made.reversed)
        if kind in ("result", "correction"):
            if not_for_play(fields["dev"]):
                self.say(NOT_FOR_PLAY, "bold red")
            self._round(tuple(fields["dice"]), done.made)
        elif done.made.settled.count:
            print_settlements(self.console, done.made.first_settled(), done.made.settled)

    def _round(self, dice: Dice, made: Made) -> None:
        if made.settled.count:
            print_round(self.console, dice, made.first_settled(), self.paytable, made.settled)
            return
        self.say(call(dice), "bold")
        print_areas(self.console, self.paytable.winning_areas(dice))
        self.say("This store has no wager of this round")

    def _reversed(self, tally: Tally) -> None:
        if tally.count:
            reversed_ = plural(tally.count, "settlement is", "settlements are")
            self.say(f"{reversed_} reversed, which had returned {money(-tally.totals.returned_cents)}", "yellow")

    def overpaid(self, rows: Sequence[Overpaid]) -> None:
        """Players who got more than the corrected round gives them."""
        for row in rows:
            self.say(
                f"{row.player} was overpaid {money(row.overpaid_cents)} on wager {row.wager_id} before the record "
                f"{row.boot}:{row.seq}",
                "bold yellow",
            )

    def ended(
        self, rounds: int, records: int, bad_lines: int, noise_bytes: int, early_bytes: int, store: str, logs: str
    ) -> None:
        """The summary, and where things are. `early_bytes` came before the first whole line: no damage."""
        damage = f", {plural(bad_lines, 'broken line', 'broken lines')}" if bad_lines else ""
        damage += f", {plural(noise_bytes, 'byte', 'bytes')} outside ledger lines" if noise_bytes else ""
        done = f"{plural(rounds, 'round', 'rounds')} settled, {plural(records, 'record', 'records')} stored"
        self.say(f"{done}{damage}", "bold")
        if early_bytes:
            early = plural(early_bytes, "byte", "bytes")
            self.say(f"(besides {early} of what was under way when the port was opened)")
        self.say(f"Store:    {store}")
        self.say(f"Captured: {logs}")
