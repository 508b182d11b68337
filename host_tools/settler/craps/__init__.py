"""Craps: its wagers, and the procedure of its table. Results are typed at the host."""
