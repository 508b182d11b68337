"""Capture: every byte that a port gives, as received, and when it came; `tumbler capture`, which only listens."""

from host_tools.capture.files import Capture, Rotation, Sync
from host_tools.capture.names import sent_path, times_path

__all__ = ["Capture", "Rotation", "Sync", "sent_path", "times_path"]
