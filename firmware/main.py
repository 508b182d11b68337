"""Runs the application. However that ends: the relay off first, then a reset that tells why.

With the maintenance jumper fitted at power-up, or after an order to go into maintenance, the application leaves its
record of that and does not run: the relay stays off and the console is free.
"""

# ruff: noqa: E402
import sys

import micropython

micropython.kbd_intr(-1)  # first of all: a Ctrl-C during the imports would leave a board in production at the console

import tumbler_board  # pyright: ignore[reportMissingImports]  # made from boards/NAME.toml
from tumbler.hw import relay, reset
from tumbler.hw.inputs import Inputs


def run() -> None:
    """Run the application for ever; does not return."""
    try:
        from tumbler import app

        app.main()
    except BaseException as error:  # SystemExit too: nothing may leave a board in production at the console
        relay.force_off(tumbler_board)
        reset.declare(reset.PANIC)  # before the printing, which a host that does not read holds up
        sys.print_exception(error)  # pyright: ignore[reportAttributeAccessIssue]
    finally:
        relay.force_off(tumbler_board)
        reset.restart(reset.PANIC)


def maintain() -> None:
    """Record that the board is in maintenance. A journal or identity that fails must not keep people out."""
    try:
        from tumbler import app

        app.maintenance()
    except Exception as error:
        sys.print_exception(error)  # pyright: ignore[reportAttributeAccessIssue]
    relay.force_off(tumbler_board)


relay.force_off(tumbler_board)
if Inputs(tumbler_board).maintenance() or reset.maintenance_ordered():
    maintain()
else:
    run()
