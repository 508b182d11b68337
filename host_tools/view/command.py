"""`tumbler table`: serves the view of a table whose `tumbler run` writes the store."""

import ipaddress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated

import typer

from host_tools import keys
from host_tools.errors import UserError
from host_tools.settler import paytable as paytables
from host_tools.store_option import DEFAULT_STORE, StoreUrl

if TYPE_CHECKING:
    from host_tools.store.database import Database
    from host_tools.view.reading import Seat

DEFAULT_LISTEN = "127.0.0.1:8080"


def table(
    store: StoreUrl = DEFAULT_STORE,
    dev: Annotated[str | None, typer.Option(help="The board to show", metavar="DEV")] = None,
    name: Annotated[
        str | None, typer.Option("--table", help="The table to show, whatever board serves it", metavar="NAME")
    ] = None,
    paytable: Annotated[
        str, typer.Option(help="The paytable of its `tumbler run`", metavar="NAME")
    ] = paytables.DEFAULT,
    listen: Annotated[
        str, typer.Option(help="Address and port; port 0 takes a free one", metavar="HOST:PORT")
    ] = DEFAULT_LISTEN,
) -> None:
    """Show a table in the browser: the lit layout, its state, and the last results. Ends at Ctrl-C."""
    from host_tools.store.database import Database
    from host_tools.view import serve

    if dev is not None and name is not None:
        raise UserError("Give --dev or --table, not both: a table is shown whatever board serves it.")
    odds = paytables.load(paytable)
    host, port = parse_listen(listen)
    database = Database(store, make=False)
    try:
        seat = _seat(database, dev, name)
        with serve.listen(host, port) as listening:
            typer.echo(f"Table view: {address(listening.getsockname())} (Ctrl-C ends it)")
            serve.serve(listening, database, seat, odds, lambda: datetime.now(timezone.utc))
    finally:
        database.close()


def parse_listen(listen: str) -> tuple[str, int]:
    """`127.0.0.1:8080`, `[::1]:8080` or `localhost:8080` -> host and port. Raises UserError."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise UserError(f"--listen {listen[:60]!r} is no address with a port: give it like {DEFAULT_LISTEN}.")
    return host.removeprefix("[").removesuffix("]"), int(port)


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address(name: tuple) -> str:
    """The URL of a socket's name."""
    host, port = name[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _seat(database: "Database", dev: str | None, name: str | None) -> "Seat":
    """Which board is shown. Raises UserError when the store knows none such, or several and none was named."""
    from host_tools.store import Store
    from host_tools.view.reading import serving

    enrolled = [row for row in Store(database).enrolments() if row.enrolled_to is None]
    if dev is not None:
        keys.check_dev(dev)
        if all(row.dev != dev for row in Store(database).enrolments()):
            raise UserError(f"This store knows no board {dev}: see `tumbler enrol list`, or name another with --store.")
        return lambda _: dev
    if name is None:
        if len(enrolled) != 1:
            named = ", ".join(sorted({row.table_name for row in enrolled})[:5]) or "none"
            raise UserError(f"Say which table to show with --table NAME: this store has {len(enrolled)} ({named}).")
        name = enrolled[0].table_name
    elif all(row.table_name != name for row in enrolled):
        raise UserError(f"No board serves a table {name[:64]!r} in this store: see `tumbler enrol list`.")
    return serving(name)
