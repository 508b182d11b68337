"""The hardware rooms: the only ones that import machine or rp2, or touch files."""
