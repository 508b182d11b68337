"""A captured log once more in parts, for the tests of what reads them."""

from datetime import datetime, timezone

from host_tools.capture import Capture, Rotation, sent_path, times_path

OPENED = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)


def in_parts(log, folder, size_bytes):
    """Feed a log to a capture that is rotated, each of its reads at its time -> the parts, oldest first.

    Without times beside it, all of it is one read of each line. What was sent goes to the last part.
    """
    data = log.read_bytes()
    reads = [(0, OPENED)]
    if times_path(log).exists():
        rows = [row.split(",") for row in times_path(log).read_text().splitlines()[1:]]
        reads = [(int(offset), datetime.fromisoformat(at)) for offset, at in rows]
    with Capture(folder, OPENED, Rotation(size_bytes=size_bytes)) as capture:
        for (first, at), (end, _) in zip(reads, [*reads[1:], (len(data), None)], strict=True):
            for line in data[first:end].splitlines(keepends=True):
                capture.add(line, at, 0)
        if sent_path(log).exists():
            capture.sent(sent_path(log).read_bytes())
    return sorted(folder.glob("*.log"))
