"""What several tests look at: a round with all that a dealer can do wrong in it, and a spin under a lifted cover."""

from host_tools.bench.table import ANSWER_MS, OFF_MS, Table
from host_tools.bench.trace import Span

DICE = (6, 1, 3)
LOOK_MS = 2


class Played:
    """Plays the round. records: from spin to meter; keys: all that the terminal said of keys, in order; before_cover:
    every line that came before the cover was opened; shown: the display before ENTRY, and after; entry_ms: from the
    ENTRY key to the whole result at this end of the line; during: when the round was played, us on the rig's clock."""

    def __init__(self, table: Table):
        rig, terminal = table.rig, table.terminal
        from_us = rig.t_ms * 1000
        first = len(terminal.records)
        table.open_bets()
        table.tap("4")
        table.close_bets()
        self.before_cover = list(terminal.lines)
        table.uncover()
        self.empty = rig.read()["display"]
        table.tap("5", "2", "entry")
        self.results_of_two = terminal.kinds().count("result")
        table.tap(*map(str, DICE))
        self.shown = rig.read()["display"]
        self.entry_ms = self._enter(table)
        self.shown_after = rig.read()["display"]
        table.finish()
        self.records = terminal.records[first:]
        self.keys = terminal.of("key")
        self.noise, self.bad, self.alarms = list(terminal.noise), list(terminal.bad), list(terminal.alarms)
        self.during = Span(from_us, rig.t_ms * 1000)

    def _enter(self, table: Table) -> int:
        rig, terminal = table.rig, table.terminal
        began_ms = rig.read()["t_ms"]
        rig.press("entry")
        table.wait("The result", lambda: "result" in terminal.kinds(), 600, LOOK_MS)
        ended_ms = rig.t_ms
        rig.release("entry")
        rig.step(60)
        return ended_ms - began_ms


class Lifted:
    """Lifts the cover while the drum spins. off_ms: from then until the relay was seen off; void: the record;
    during: when it was played, us on the rig's clock."""

    def __init__(self, table: Table):
        rig, terminal = table.rig, table.terminal
        from_us = rig.t_ms * 1000
        table.spin()
        rig.step(150)
        began_ms = rig.t_ms
        rig.cover(True)
        table.wait("The relay off", lambda: not rig.read()["relay"], OFF_MS, LOOK_MS)
        self.off_ms = rig.t_ms - began_ms
        table.wait("The void", lambda: "void" in terminal.kinds(), ANSWER_MS)
        self.void = terminal.of("void")[0]
        self.during = Span(from_us, rig.t_ms * 1000)
