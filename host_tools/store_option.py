"""What the commands that use a store have in common: its option, and a name that answers for what they do.

The database takes most of a second to import, so it is imported only where it is used.
"""

from typing import TYPE_CHECKING, Annotated

import typer
from tumbler.core import fields as F

from host_tools import keys
from host_tools.errors import UserError

if TYPE_CHECKING:
    from host_tools.store import Store

DEFAULT_STORE = "sqlite:///tumbler.db"
LARGEST_ID = 2**63 - 1  # what a database counts to
HOST = "host:"

StoreUrl = Annotated[str, typer.Option(help="Where rounds and wagers are kept", metavar="URL")]
By = Annotated[str, typer.Option(help="Who answers for it", metavar="NAME")]


def existing(url: str, dev: str | None = None) -> "Store":
    """A store that is there: whoever only asks makes none. dev: a board that it must know, enrolled or by its records.

    Raises UserError.
    """
    from host_tools.store import Store
    from host_tools.store.database import Database

    if dev is not None:
        keys.check_dev(dev)
    store = Store(Database(url, make=False))
    if dev is None or store.last_identity(dev) is not None or any(row.dev == dev for row in store.enrolments()):
        return store
    store.close()
    raise UserError(f"This store knows no board {dev}: see `tumbler enrol list`, or name another with --store.")


def host_name(by: str) -> str:
    """`anna` as records and adjustments name her, `host:anna`. Raises UserError."""
    name = by.removeprefix(HOST)
    most = F.NAME_MAX - len(HOST)
    if not 0 < len(name) <= most or any(c not in F.NAME_CHARS for c in name):
        raise UserError(
            f"Say who answers for it in 1 to {most} letters, digits or any of _ . : - without spaces: --by NAME."
        )
    return HOST + name
