"""Target emu: the unchanged firmware on stock MicroPython for RP2040 inside the emulator rp2040py. NOT FOR PLAY."""
