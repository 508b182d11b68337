"""`tumbler store`: what is done to a store as a whole."""

from datetime import datetime, timezone
from typing import Annotated

import typer

from host_tools import keys
from host_tools.errors import UserError
from host_tools.store_option import DEFAULT_STORE, By, StoreUrl, existing, host_name

store_app = typer.Typer(no_args_is_help=True, help="What is done to a store as a whole.")


@store_app.callback()
def store() -> None:
    """What is done to a store as a whole."""


@store_app.command("accept-restore")
def accept_restore(
    dev: Annotated[str, typer.Option(help="The board whose records are missing", metavar="DEV")],
    by: By,
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """This store was restored from a backup: at the next `tumbler run` the board sends again what it still has.

    The board then takes this store's last record as the true one; what it does not have any more is an alarm again,
    which names the gap.
    """
    keys.check_dev(dev)
    name = host_name(by)
    database = existing(store)
    missing = database.accept_restore(dev, name, datetime.now(timezone.utc))
    database.close()
    if missing is None:
        raise UserError(
            f"No alarm store_behind is open for board {dev}: start `tumbler run`, which raises it when the board had "
            "records acked that this store does not have."
        )
    first, last = missing
    typer.echo(
        f"{name} answers for it: the board is asked for its records {first} to {last} at the next `tumbler run`."
    )
