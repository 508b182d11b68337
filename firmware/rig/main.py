"""Starts the rig; on its board this is main.py, beside the package `rig` and the table of its wires."""

from rig import app

app.main()
