"""Tries to break the whole table: device core, link, host and store in one process on virtual time, one seed for all.

A trial plays rounds while everything around them fails, and asks two things: was it safe at every step, and does it go
on once the faults stop? docs/RELIABILITY.md tells what is tried and what came of it.
"""
