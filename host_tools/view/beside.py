"""The table view beside a run, in one process: `tumbler run --view`. It reads the store as a view of its own would."""

import contextlib
import shlex
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import typer

from host_tools.settler import paytable as paytables
from host_tools.settler.paytable import Paytable
from host_tools.store.database import Database, shown_url
from host_tools.view import serve
from host_tools.view.command import announce, where
from host_tools.view.tokens import Tokens, token_path


class ViewBeside:
    """Listens at once, so that a bad address is found before a port is opened; serves while a run is on."""

    def __init__(self, view: str, reached_as: Sequence[str]) -> None:
        """Raises UserError."""
        self._host, port, self._hosts = where("--view", view, reached_as)
        self._tokens = Tokens(token_path())
        self._listening = serve.listen(self._host, port)

    def close(self) -> None:
        self._listening.close()

    @contextlib.contextmanager
    def serving(
        self,
        store: str,
        dev: Callable[[], str | None],
        paytable: Paytable,
        clock: Callable[[], datetime],
        rig: Path | None,
    ) -> Iterator[None]:
        """Serve the board that dev() names while the body runs; clock() is the run's, in UTC. Raises UserError."""
        with contextlib.closing(Database(store, make=False)) as database:
            served = serve.Served(database, lambda _: dev(), paytable, clock, self._tokens, self._hosts, rig)
            with serve.beside(self._listening, served):
                announce(self._listening.getsockname(), self._host)
                if rig is not None:
                    typer.echo(f"Or in a second terminal: {shlex.join(_watch(store, paytable, rig))}")
                yield


def _watch(store: str, paytable: Paytable, rig: Path) -> list[str]:
    """What to type to deal in a terminal; without the password that a URL may hold."""
    known = paytable.name if paytable.name in paytables.bundled_names() else "FILE"
    odds = [] if paytable.name == paytables.DEFAULT else ["--paytable", known]
    return ["tumbler", "watch", "--store", shown_url(store), *odds, "--rig", str(rig)]
