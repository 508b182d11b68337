"""The line between board and host, with everything that a cable, an adapter and an operating system do to it."""

from collections.abc import Callable
from random import Random

from host_tools.link.port import LinkLost
from host_tools.soak.world import World

BYTES_PER_MS = 8  # the firmware's pump: 16 bytes a tick of 2 ms
READ_MS = 500  # a read waits so long for the first byte
DAMAGE = ("drop", "double", "cut", "garble", "stuff", "echo", "delay")


def damaged(chance: Random, kind: str, data: bytes) -> bytes:
    """What comes out of the wire for `data` that went in; "delay" and "echo" change nothing of it."""
    place = chance.randrange(len(data))
    if kind == "drop":
        return b""
    if kind == "double":
        return data + data
    if kind == "cut":
        return data[:place]
    if kind == "garble":
        return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
    if kind == "stuff":
        return data[:place] + chance.choice([b"\xff\x00", b">>> ", b"\r\n", b'{"sb":1,', b"\x03"]) + data[place:]
    return data


class Wire:
    """Two directions of one cable. The board's end is asked free() and told send(); the host's end is a WirePort."""

    def __init__(self, world: World, hears: Callable[[bytes], None]) -> None:
        """hears(data): the board receives bytes."""
        self._world, self._hears = world, hears
        self._chance = world.chance("wire")
        self.damage: list[str] = []  # kinds that come up now
        self.damage_rate = 0.0  # of all that passes
        self.connected = True
        self.port: WirePort | None = None
        self.plugged = 0  # how often the cable was put in: the name changes with it
        self.latency_ms = self._chance.randint(0, 9)
        self._free_ms = 0  # when the board may send its next line
        self._quiet_ms = {"board": 0, "host": 0}  # until then nothing of whom arrives
        self.faults = 0
        self._flight = bytearray()  # the board's line that is under way

    # ------------------------------------------------------------ the board's end

    def free(self) -> bool:
        """Somebody listens, and the last line is out."""
        return self.port is not None and self.connected and self._world.now_ms >= self._free_ms

    def wait_ms(self) -> int:
        """Until the line that is being sent is out."""
        return max(0, self._free_ms - self._world.now_ms)

    def send(self, line: bytes) -> None:
        """The board sends a line."""
        took_ms = 1 + len(line) // BYTES_PER_MS
        self._free_ms = self._world.now_ms + took_ms
        self._pass("board", line, took_ms)

    def board_died(self) -> None:
        """The line that is being sent ends in the middle: what is under way comes to nothing but noise."""
        if self.wait_ms() and self._flight:
            del self._flight[self._chance.randrange(len(self._flight)) :]
        self._free_ms = 0

    # ------------------------------------------------------------ faults

    def hold(self, whose: str, ms: int) -> None:
        """For so long nothing of `whose` ("board", "host") arrives; then all of it."""
        self._quiet_ms[whose] = max(self._quiet_ms[whose], self._world.now_ms + ms)

    def pull(self) -> None:
        self.connected = False
        if self.port is not None:
            self.port.lost = True

    def plug(self) -> None:
        if not self.connected:
            self.connected = True
            self.plugged += 1

    # ------------------------------------------------------------ under way

    def _pass(self, whose: str, data: bytes, took_ms: int = 0) -> None:
        kind = ""
        if self.damage and self._chance.random() < self.damage_rate:
            kind = self._chance.choice(self.damage)
            self.faults += 1
        out = bytearray(damaged(self._chance, kind, data))
        if whose == "board":
            self._flight = out
        due_ms = self._world.now_ms + took_ms + self.latency_ms
        if kind == "delay":
            due_ms += self._chance.randint(50, 3000)
        if kind == "echo":
            self._arrive("host" if whose == "board" else "board", bytearray(data), due_ms)
        self._arrive(whose, out, due_ms)

    def _arrive(self, whose: str, data: bytearray, due_ms: int) -> None:
        """In order: nothing overtakes what was sent before."""
        due_ms = max(due_ms, self._quiet_ms[whose])
        self._quiet_ms[whose] = due_ms
        port = self.port
        if not data or port is None:
            return

        def arrive() -> None:
            if port.lost or self.port is not port:
                return
            if whose == "board":
                port.arrived += data
            else:
                self._hears(bytes(data))

        self._world.after(due_ms - self._world.now_ms, arrive)

    def host_sends(self, data: bytes) -> None:
        for line in data.splitlines(keepends=True):
            self._pass("host", line)


class WirePort:
    """The host's end: as host_tools.link.port.Port. Virtual time passes in read()."""

    def __init__(self, world: World, wire: Wire, dies: Callable[[str], None]) -> None:
        """dies(where) may kill the host."""
        self._world, self._wire, self._dies = world, wire, dies
        self.device = f"port{wire.plugged}"
        self.arrived = bytearray()
        self.lost = False
        wire.port = self

    def read(self) -> bytes:
        self._world.advance(READ_MS, lambda: self.lost or bool(self.arrived))
        if self.lost:
            raise LinkLost(f"{self.device}: unplugged")
        data = bytes(self.arrived)
        self.arrived.clear()
        return data

    def waiting(self) -> bool:
        return bool(self.arrived)

    def write(self, data: bytes) -> None:
        if self.lost:
            raise LinkLost(f"{self.device}: unplugged")
        self._dies("before a line is sent")
        self._wire.host_sends(data)
        self._dies("after a line was sent")

    def close(self) -> None:
        if self._wire.port is self:
            self._wire.port = None
