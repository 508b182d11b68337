"""The machinery that the rig plays: the relay's contact behind the coil circuit, its mirror contact, and the drum."""

from rig.core.drum import Drum

RELAY_MS = 8  # the armature: time to close and to open


class Machine:
    """hands: has pull(line, low) and is_low(line). player: has start(), stop(), has_room() and play(pieces).
    elapsed_ms(now, before): the difference of two times of tick(), which may wrap.

    Without a host it stands still and pulls no line: live is False then.
    """

    def __init__(self, drum: Drum, hands, player, elapsed_ms):
        self.drum = drum
        self.live = False
        self._hands = hands
        self._player = player
        self._elapsed_ms = elapsed_ms
        self._contact = False
        self._coil = False
        self._since_ms = 0
        self._sensor_fault = None  # as last played

    def start(self) -> None:
        """A host is there: the mirror contact of the released relay closes."""
        if not self.live:
            self.live = True
            self._player.start()
            self._mirror()

    def stop(self) -> None:
        """Nobody is there: drum and relay rest, faults are mended."""
        self.live = self._contact = self._coil = False
        self.drum.rest()
        self._sensor_fault = None
        self._player.stop()

    def tick(self, now_ms, relay_on: bool) -> None:
        """Every few ms; relay_on: the terminal's relay pin drives the coil."""
        if not self.live:
            return
        # By wire, in the coil circuit: the cover switch's second pole and the E-stop.
        coil = relay_on and self._hands.is_low("cover") and self._hands.is_low("estop")
        if coil != self._coil:
            self._coil = coil
            self._since_ms = now_ms
        if self._elapsed_ms(now_ms, self._since_ms) >= RELAY_MS:
            welded = self._contact and self.drum.motor_fault == "weld"
            if self._contact != (coil or welded):
                self._contact = not self._contact
                self._mirror()
        if self._player.has_room() and self._moves():
            self._sensor_fault = self.drum.sensor_fault
            self._player.play(self.drum.plan(self._contact))

    def _mirror(self):
        self._hands.pull("relay_feedback", not self._contact)

    def _moves(self):
        drum = self.drum
        return (
            drum.turns()
            or drum.driven(self._contact)
            or drum.sensor_fault == "noise"
            or drum.sensor_fault != self._sensor_fault
        )
