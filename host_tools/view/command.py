"""`tumbler table`: serves the view of a table whose `tumbler run` writes the store."""

import ipaddress
import re
from collections.abc import Sequence
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

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_LISTEN = "127.0.0.1:8080"

table_app = typer.Typer(invoke_without_command=True)

Dev = Annotated[str | None, typer.Option(help="The board to show", metavar="DEV")]
TableName = Annotated[
    str | None, typer.Option("--table", help="The table to show, whatever board serves it", metavar="NAME")
]
PaytableOfRun = Annotated[str, typer.Option(help="The paytable of its `tumbler run`", metavar="NAME")]
ReachedAs = Annotated[
    list[str] | None,
    typer.Option(
        help="Host name or address under which other computers reach the view; only then it listens for them",
        metavar="NAME",
    ),
]


@table_app.callback()
def table(
    context: typer.Context,
    store: StoreUrl = DEFAULT_STORE,
    dev: Dev = None,
    name: TableName = None,
    paytable: PaytableOfRun = paytables.DEFAULT,
    listen: Annotated[
        str, typer.Option(help="Address and port; port 0 takes a free one", metavar="HOST:PORT")
    ] = DEFAULT_LISTEN,
    reached_as: ReachedAs = None,
) -> None:
    """Show a table in the browser, and take its wagers and orders over HTTP. Ends at Ctrl-C."""
    if context.invoked_subcommand is not None:
        return
    from host_tools.store.database import Database
    from host_tools.view import serve
    from host_tools.view.tokens import Tokens, token_path

    odds = paytables.load(paytable)
    host, port, hosts = where("--listen", listen, reached_as or [])
    tokens = Tokens(token_path())
    database = Database(store, make=False)
    try:
        seat = seat_of(database, dev, name)
        with serve.listen(host, port) as listening:
            announce(listening.getsockname(), host)
            served = serve.Served(database, seat, odds, lambda: datetime.now(timezone.utc), tokens, hosts)
            serve.serve(listening, served)
    finally:
        database.close()


@table_app.command()
def token(
    name: Annotated[str, typer.Argument(help="Who gets it: 1 to 19 letters, digits, _ or -", metavar="NAME")],
    role: Annotated[str, typer.Option(help="wager: places wagers; supervisor: gives orders to the board")] = "wager",
) -> None:
    """Make a token with which NAME may write through the view, and print it: this once, for only its hash is kept."""
    from host_tools.view import tokens

    for known in tokens.ROLES:
        if role == known:
            typer.echo(tokens.make(tokens.token_path(), name, known))
            return
    raise UserError(f"There is no role {role[:40]!r}: give one of {', '.join(tokens.ROLES)}.")


@table_app.command("tokens")
def list_tokens() -> None:
    """Who has a token, and its role."""
    from host_tools.view import tokens

    found = tokens.holders(tokens.token_path())
    for holder in found:
        typer.echo(f"{holder.name}  {holder.role}")
    if not found:
        typer.echo("Nobody has a token: `tumbler table token NAME` makes one.")


@table_app.command()
def revoke(name: Annotated[str, typer.Argument(help="Whose token", metavar="NAME")]) -> None:
    """Take a token back: views that are on refuse it at once."""
    from host_tools.view import tokens

    tokens.revoke(tokens.token_path(), name)
    typer.echo(f"The token of {name} is worth nothing any more.")


def where(option: str, listen: str, reached_as: Sequence[str]) -> tuple[str, int, list[str]]:
    """Host and port to listen on, and the names under which requests may come. Raises UserError for a bad address, and
    for one that other computers reach unless it is said how they do."""
    host, _, text = listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not _is_name(host) or not re.fullmatch("[0-9]{1,5}", text) or int(text) > 65535:
        raise UserError(f"{option} {listen[:60]!r} is no address with a port: give it like {DEFAULT_LISTEN}.")
    if not reached_as and not is_loopback(host):
        raise UserError(
            f"{option} {listen[:60]} is reached by other computers: say so with --reached-as NAME, the host name or "
            f"address that they use, or listen on {DEFAULT_LISTEN}."
        )
    for name in reached_as:
        if not re.fullmatch(r"[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]+\]", name):
            raise UserError(f"--reached-as {name[:60]!r} is no host name or address: give it like table1.example.")
    return host, int(text), [*LOOPBACK, *reached_as]


def _is_name(host: str) -> bool:
    """Whether it can be looked up at all."""
    try:
        return host.encode("idna") != b""
    except UnicodeError:
        return False


def announce(name: tuple, host: str) -> None:
    """Say where the view is, and warn when others reach it."""
    typer.echo(f"Table view: {address(name)}")
    if not is_loopback(host):
        typer.echo(
            "WARNING: other computers reach this view, and what they send is not encrypted: tokens can be read on the "
            "way. Put a proxy with TLS before it, or a private network around it.",
            err=True,
        )


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


def seat_of(database: "Database", dev: str | None, name: str | None) -> "Seat":
    """Which board is shown: the one that was named, the only one, or the only one with a run on. Raises UserError when
    the store knows none such, when there are several, and when both were named."""
    from host_tools.store import Store
    from host_tools.view.reading import serving

    if dev is not None and name is not None:
        raise UserError("Give --dev or --table, not both: a table is shown whatever board serves it.")

    store, now = Store(database), datetime.now(timezone.utc)
    known = store.enrolments()
    enrolled = [row for row in known if row.enrolled_to is None]
    if dev is not None:
        keys.check_dev(dev)
        if all(row.dev != dev for row in known):
            raise UserError(f"This store knows no board {dev}: see `tumbler enrol list`, or name another with --store.")
        return lambda _: dev
    if name is None:
        fit = enrolled
        if len(enrolled) > 1:
            owners = [(row, store.owner(row.dev)) for row in enrolled]
            fit = [row for row, owner in owners if owner is not None and owner.expires_at >= now]
        if len(fit) != 1:
            named = ", ".join(sorted({row.table_name for row in enrolled})[:5]) or "none"
            raise UserError(f"Say which table to show with --table NAME: this store has {len(enrolled)} ({named}).")
        name = fit[0].table_name
    elif all(row.table_name != name for row in enrolled):
        raise UserError(f"No board serves a table {name[:64]!r} in this store: see `tumbler enrol list`.")
    return serving(name)
