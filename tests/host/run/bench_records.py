"""How many records a run makes durable and acks in a second: `python -m tests.host.run.bench_records`, in `make bench`.

A board plays rounds over a pseudo terminal into a real run with a store on the disk. The same records are taken once in
groups, as a run does it, and once with a commit for each record; the ratio says more than the figures, which are the
machine's, as is the time of an fsync beside them.
"""

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from host_tools.run import table
from tests.host.run.table_bench import Bench, started

LIMIT = 500
ROUNDS = 200
ROUND_RECORDS = 6  # five and the meter
AT_ONCE = 3500  # bytes that a board has sent while a step lasts: a pseudo terminal holds 4095
FSYNCS = 200


class Rate(NamedTuple):
    """Records a second by the clock, and by what the processor was used: the second says it without other programs."""

    by_clock: float
    by_cpu: float


def main() -> None:
    """Prints the figures. Raises SystemExit when the store does not hold what was sent."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        each_ms = sorted(_fsync_ms(Path(folder) / "fsync"))
        one = _rate(Path(folder) / "one", 1)
        grouped = _rate(Path(folder) / "grouped", table.GROUP)
    print(f"records durable and acked, a commit for each: {one.by_clock:6.0f}/s (one core alone: {one.by_cpu:.0f}/s)")
    verdict = "held" if grouped.by_clock >= LIMIT else "MISSED"
    print(
        f"records durable and acked, as a run commits:  {grouped.by_clock:6.0f}/s (one core alone: "
        f"{grouped.by_cpu:.0f}/s), limit {LIMIT}/s: {verdict}; {grouped.by_clock / one.by_clock:.1f} times a commit "
        "for each"
    )
    p99 = each_ms[len(each_ms) * 99 // 100]
    print(f"fsync of 4 KiB on this disk: median {statistics.median(each_ms):.2f} ms, p99 {p99:.2f} ms")


def _rate(folder: Path, group: int) -> Rate:
    """From the first byte to the last ack."""
    folder.mkdir()
    before, table.GROUP = table.GROUP, group
    board = started()
    made = Bench(folder, board=board)
    try:
        made.meet()
        for number in range(1, ROUNDS + 1):
            board.play(number)
            board.write("meter", number, 4 * number, number, 0, 0, 0, 3)
        lines = b"".join(board.unacked())
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        for at in range(0, len(lines), AT_ONCE):
            made.write(lines[at : at + AT_ONCE])
            board.hear(made.wire.heard())
        took_s, cpu_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
        if board.acked != len(board.lines) or made.stored() != board.lines:
            raise SystemExit(f"{len(board.lines)} records were sent, {board.acked} acked, {len(made.stored())} stored.")
    finally:
        table.GROUP = before
        made.port.close()
        made.capture.close()
        made.store.close()
    return Rate(len(board.lines) / took_s, len(board.lines) / cpu_s)


def _fsync_ms(path: Path) -> list[float]:
    took_ms = []
    with path.open("wb", buffering=0) as file:
        for _ in range(FSYNCS):
            file.write(bytes(4096))
            began_s = time.perf_counter()
            os.fsync(file.fileno())
            took_ms.append((time.perf_counter() - began_s) * 1e3)
    return took_ms


if __name__ == "__main__":
    main()
