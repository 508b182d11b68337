"""Target `sim`: the firmware, unchanged, on MicroPython's unix port, in a model of the world. NOT FOR PLAY."""

from host_tools.sim.board import SimBoard, SimError
from host_tools.sim.dealer import Dealer
from host_tools.sim.rig import CallRig, RemoteRig, Rig, RigServer, Seen, connect

__all__ = ["CallRig", "Dealer", "RemoteRig", "Rig", "RigServer", "Seen", "SimBoard", "SimError", "connect"]
