"""The bench: plays the suite of tests/hil on a board, whichever kind, and leaves a folder that shows what it found.

docs/BENCH.md says how to run it and what its figures mean.
"""
