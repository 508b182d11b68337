"""`tumbler store`: what is done to a store as a whole."""

from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated

import typer

from host_tools import keys
from host_tools.errors import UserError
from host_tools.store_option import DEFAULT_STORE, By, StoreUrl, existing, host_name

store_app = typer.Typer(no_args_is_help=True, help="What is done to a store as a whole.")


@store_app.callback()
def store() -> None:
    """What is done to a store as a whole."""


@store_app.command("backup")
def backup(
    file: Annotated[Path, typer.Argument(help="The file that is made", metavar="FILE")],
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """A copy of the store of this moment in one file, also while a run goes on; it is looked through before it ends."""
    from host_tools.store import files

    files.backup(store, file)
    typer.echo(f"{file} is a backup of the store, and is whole.")


@store_app.command("restore")
def restore(
    backup: Annotated[Path, typer.Argument(help="The file that `tumbler store backup` made", metavar="BACKUP")],
    store: StoreUrl = DEFAULT_STORE,
) -> None:
    """Put a backup in the place of the store, once no program has it open; what was there is kept beside it."""
    from host_tools.store import files

    kept = files.restore(store, backup, datetime.now(timezone.utc))
    typer.echo(f"{backup} is in the place of the store now.")
    if kept is not None:
        typer.echo(f"What was there is kept as {kept}.")
    typer.echo("Start `tumbler run`: what its boards had acked since is an alarm, and that says how to go on.")


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
