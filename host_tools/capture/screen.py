"""What `tumbler capture` shows: every line by its kind, and on a terminal a line of figures below them.

It has a thread of its own, and lines that would wait too long are not shown: a terminal that was halted, or a pipe that
nobody reads, never holds up the reading of the port.
"""

import contextlib
import queue
import threading

from rich.console import Console
from rich.live import Live
from rich.text import Text

from host_tools.capture.watch import AGAIN, BROKEN, EPHEMERAL, NOISE, Seen, Watch
from host_tools.words import plural

STYLES = {
    "result": "bold green",
    "correction": "bold yellow",
    "void": "bold yellow",
    "fault": "bold red",
    "boot": "bold cyan",
    AGAIN: "dim cyan",
    EPHEMERAL: "dim",
    BROKEN: "bold red",
    NOISE: "magenta",
}
MOST_WAITING = 2_000  # lines; what comes beyond is counted and not shown
REFRESH_S = 0.25


class Screen:
    """Shows; decides nothing. On a pipe the lines of the board go to `out` alone, what is said about them to `err`."""

    def __init__(self, out: Console, err: Console, quiet: bool) -> None:
        """quiet: only what is said, no lines and no figures."""
        self.unseen = 0
        self._out, self._err, self._quiet = out, err, quiet
        self._live = out.is_terminal and not quiet
        self._figures = Text()
        self._failure: OSError | SystemExit | None = None
        self._waiting: queue.SimpleQueue[tuple[Console, Text] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._show, name="screen", daemon=True)
        self._thread.start()

    def line(self, seen: Seen) -> None:
        """A line of the board, or noise."""
        if self._quiet:
            return
        if self._waiting.qsize() < MOST_WAITING:
            self._waiting.put((self._out, Text(seen.text, style=STYLES.get(seen.kind, ""))))
        else:
            self.unseen += 1

    def say(self, text: str, style: str = "") -> None:
        """Something about the capture itself."""
        self._waiting.put((self._out if self._out.is_terminal else self._err, Text(text, style=style)))

    def figures(self, watch: Watch, now: float, drops: int) -> None:
        """The figures as they are now."""
        if self._live:
            self._figures = _figures(watch, now, drops)

    def check(self) -> None:
        """Raises OSError when the output takes nothing more, SystemExit when its reader is gone."""
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Show what waits. Raises as check()."""
        self._waiting.put(None)
        self._thread.join()
        self.check()

    def _show(self) -> None:
        try:
            if self._live:
                with Live(console=self._out, auto_refresh=False, transient=True) as live:
                    self._print(live)
            else:
                self._print(None)
        except (OSError, SystemExit) as error:  # SystemExit is what rich makes of a pipe whose reader is gone
            self._failure = error

    def _print(self, live: Live | None) -> None:
        while True:
            with contextlib.suppress(queue.Empty):
                item = self._waiting.get(timeout=REFRESH_S)
                if item is None:
                    return
                console, text = item
                console.print(text, soft_wrap=True)
            if live is not None and self._waiting.empty():
                live.update(self._figures, refresh=True)


def trouble(watch: Watch, drops: int) -> list[str]:
    """What was not as it should be, each with its count. drops: how often the port went away."""
    counts = [
        (watch.missing, "missing", "missing"),
        (watch.broken, "broken", "broken"),
        (watch.noise_bytes, "byte of noise", "bytes of noise"),
        (drops, "time away", "times away"),
    ]
    return [plural(count, one, many) for count, one, many in counts if count]


def _figures(watch: Watch, now: float, drops: int) -> Text:
    bytes_s, records_s = watch.rates(now)
    parts = [f"{bytes_s:.0f} B/s", f"{records_s:.1f} records/s", plural(watch.records, "record", "records")]
    if watch.state:
        parts.append(f"round {watch.round} {watch.state}")
    if watch.free_rounds is not None:
        parts.append(f"room for {plural(watch.free_rounds, 'round', 'rounds')}")
    text = Text(" · ".join(parts), style="reverse")
    for said in trouble(watch, drops):
        text.append(f" · {said}", style="bold yellow reverse")
    return text
