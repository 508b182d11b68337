"""What befalls board, flash, line, host and drum: each seed gets some kinds of it, and when they come."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

from host_tools.soak.board import Board
from host_tools.soak.dealer import SLIPS
from host_tools.soak.host import Host
from host_tools.soak.wire import DAMAGE
from host_tools.soak.world import Steps, World

# How long the board is off, in ms.
RESETS = {"power": (100, 5000), "watchdog": (20, 60), "run_pin": (5, 400)}
SHARES = (0.35, 0.6)  # of all kinds that a seed gets


class Faults:
    """Draws the kinds of a seed; work() lets them come until calm()."""

    def __init__(self, world: World, board: Board, host: Host) -> None:
        self._world, self._board, self._host = world, board, host
        self._chance = world.chance("faults")
        self._share = self._chance.choice(SHARES)
        self.seen: Counter[str] = Counter()
        self.on = True
        self.wiped = False
        self.slips = self._some(SLIPS)
        self.damage = self._some(DAMAGE)
        self.damage_rate = self._chance.choice((0.01, 0.05, 0.2))
        self.orders_ms = self._chance.choice((0, 0, 3000, 8000))
        self._mean_ms = self._chance.choice((700, 2000, 6000, 15000))

    def _some(self, kinds: tuple[str, ...]) -> list[str]:
        return [kind for kind in kinds if self._chance.random() < self._share]

    def work(self) -> Steps:
        """Until calm()."""
        board, wire = self._board, self._board.wire
        wire.damage, wire.damage_rate = self.damage, self.damage_rate
        kinds: dict[str, Callable[[], object]] = {
            "reset": self._reset,
            "flash_cut": self._flash_cut,
            "flash_wipe": self._wipe,
            "flash_rot": board.flash.rot,
            "flash_fail": lambda: board.flash.fail(self._chance.choice(("read", "write"))),
            "late_tick": lambda: board.stall(self._chance.randint(8, 600)),
            "spike": lambda: board.spike(self._chance.randrange(1 << 14)),
            "drum_stuck": self._stuck,
            "drum_wild": self._wild,
            "drum_moves": board.nudge,
            "pull": self._pull,
            "hold": lambda: wire.hold(self._chance.choice(("board", "host")), self._chance.randint(200, 5000)),
            "kill": self._kill,
            "busy": self._busy,
            "clock_set": self._set_clock,
        }
        names = self._some(tuple(kinds))
        if "kill" in names and "clock_set" in names:
            names.remove("clock_set")  # a known limit, docs/RELIABILITY.md
        while self.on and names:
            yield int(self._chance.expovariate(1 / self._mean_ms)) + 1
            if self.on:
                name = self._chance.choice(names)
                self.seen[name] += 1
                self._world.say(f"fault: {name}")
                kinds[name]()

    def calm(self) -> None:
        """Nothing befalls anything any more, and what was broken is mended."""
        self.on = False
        self._board.wire.damage = []
        self._board.wire.plug()
        self._board.flash.cut_at(None)
        self._board.flash.heal()
        self._host.fuse.left = None
        self._board.drum_stuck = self._board.drum_wild = False

    def _reset(self) -> None:
        if self._board.terminal is not None:
            cause = self._chance.choice(sorted(RESETS))
            self._board.restart(cause, self._chance.randint(*RESETS[cause]))

    def _flash_cut(self) -> None:
        self._board.flash.cut_at(self._chance.randint(1, 16))

    def _wipe(self) -> None:
        """Once in a trial: an operator's part in it takes longer than the time between two."""
        if self.seen["flash_wipe"] == 1 and self._board.terminal is not None:
            self.wiped = True
            self._board.restart("power", 1000)
            self._board.flash.wipe()

    def _stuck(self) -> None:
        self._board.drum_stuck = True
        self._world.after(5000, lambda: setattr(self._board, "drum_stuck", False))

    def _wild(self) -> None:
        self._board.drum_wild = True
        self._world.after(3000, lambda: setattr(self._board, "drum_wild", False))

    def _pull(self) -> None:
        self._board.wire.pull()
        self._world.after(self._chance.randint(300, 8000), self._board.wire.plug)

    def _kill(self) -> None:
        self._host.fuse.left = self._chance.randint(1, 60)

    def _set_clock(self) -> None:
        self._host.wall_off = timedelta(seconds=self._chance.choice((-3600, -5, -1.5, 0, 1.5, 5, 3600)))

    def _busy(self) -> None:
        self._host.busy_ms = self._chance.randint(50, 6000)
