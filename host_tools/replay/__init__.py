"""Replay: captured logs are read into a store once more, record by record, never as a live board."""
