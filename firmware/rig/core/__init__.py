"""What the rig decides, without hardware: runs on CPython and MicroPython alike."""
