"""Verify: whether logs and a store hold what the boards wrote, and what was damaged first (docs/OPERATING.md)."""
