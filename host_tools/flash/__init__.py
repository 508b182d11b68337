"""`tumbler flash`: our firmware onto a board with MicroPython, only what changed, until the board itself says so."""
