"""The sans-IO core: no hardware, clock, file or screen; the same files run on CPython, the unix port and the board."""
