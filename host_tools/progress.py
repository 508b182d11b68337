"""Shows on the terminal behind stderr how far long work has come; nothing at all where stderr is none, so that no file
and no pipe ever holds it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

Advance = Callable[[int], object]


@contextmanager
def bytes_read(text: str, total: int) -> Iterator[Advance]:
    """A bar for so many bytes -> what to call with the number of bytes that were read."""
    with _shown(BarColumn(), DownloadColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task(text, total=total)
        yield lambda count: progress.advance(task, count)


@contextmanager
def done(text: str, total: int) -> Iterator[Advance]:
    """A bar for so many pieces of work -> what to call with the number of those that were done."""
    with _shown(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task(text, total=total)
        yield lambda count: progress.advance(task, count)


@contextmanager
def files_written() -> Iterator[Callable[[str, int, int], object]]:
    """A bar for each file -> what to call with its name, the bytes of it that were written, and those in all. Nothing
    is shown before that was called, for there may be no board to write to."""
    progress = _shown(BarColumn(), DownloadColumn())
    with ExitStack() as shown:
        tasks: dict[str, TaskID] = {}

        def told(name: str, done: int, total: int) -> None:
            if not tasks:
                shown.enter_context(progress)
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total)
            progress.update(tasks[name], completed=done)

        yield told


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Something turns while work goes on whose length nobody knows."""
    with _shown(SpinnerColumn()) as progress:
        progress.add_task(text, total=None)
        yield


def _shown(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    # What is printed meanwhile goes above the bar if both are on the terminal; stdout that is piped is left alone.
    return Progress(
        TextColumn("{task.description}"),
        *columns,
        console=console,
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        disable=not console.is_terminal,
    )
