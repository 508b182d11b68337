"""Firmware of the Tai-Sai terminal: the sans-IO core and the hardware rooms."""
