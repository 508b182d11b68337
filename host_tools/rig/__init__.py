"""The rig: hands, eyes and ears at a table, behind one interface (rig.py). The simulator and the emulator play it
themselves; server.py lends it to other processes."""

from host_tools.rig.rig import CAPABILITIES, KEYS, MOTOR_FAULTS, SENSOR_FAULTS, CallRig, Rig, Seen, missing

__all__ = [
    "CAPABILITIES",
    "KEYS",
    "MOTOR_FAULTS",
    "SENSOR_FAULTS",
    "CallRig",
    "Rig",
    "Seen",
    "missing",
]
