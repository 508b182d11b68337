"""The wire before the feature: moves each line between rig and terminal and names the one that does not arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from host_tools.bench.table import REST_MS, DeviceFailed, Table
from host_tools.boards import Board
from host_tools.errors import UserError

HELLO_MS = 5000  # power-on, boot, and the first hello
HEARD_MS = 600  # until the terminal has told of a key
NUMBERS = ("1", "2", "3", "4", "5", "6")


def wire_check(table: Table, board: Board, told: Callable[[str], object]) -> None:
    """Play each wire of the board's table once; told(names) after each that is whole. The table is in IDLE then.

    Raises UserError, a problem of the bench and not of the terminal, with the name of the wire that fails.
    """
    table.rig.ready()
    for names, play in (
        ("the terminal's serial line", _hello),
        ("cover, cover2, estop, relay_feedback at rest", lambda table: table.home()),
        ("spin, cover", _spin_refused),
        ("supervisor, key1 to key6", _numbers),
        ("display_clk, display_dio", _display),
        ("entry", lambda table: _refused(table, "entry")),
        ("no_more_bets", lambda table: _refused(table, "no_more_bets")),
        ("buzzer", _buzzer),
        ("relay, relay_feedback, sensor, lamp", _round),
        ("estop", _estop),
    ):
        if names == "no_more_bets" and board.pins.no_more_bets is None:
            continue
        with _blamed_on(names, table):
            play(table)
        told(names)


@contextmanager
def _blamed_on(names: str, table: Table) -> Iterator[None]:
    try:
        yield
    except DeviceFailed as failed:
        faults = [record["code"] for record in table.terminal.records if record["kind"] == "fault"]
        fault = f" It reports the fault {faults[-1]}." if faults else ""
        raise UserError(
            f"A wire fails among {names}: {failed}{fault} Check it at both ends, with the table of "
            "`tumbler boards wiring --rig`; docs/RIG.md says what each does."
        ) from None


def _hello(table: Table) -> None:
    table.wait("A hello with a right proof", lambda: table.terminal.proven, HELLO_MS)


def _told(table: Table, key: str, said: str) -> None:
    table.tap(key)
    table.wait(
        f"The word of the terminal that key {key} was {said}", lambda: key in table.terminal.keys(said), HEARD_MS
    )


def _refused(table: Table, key: str) -> None:
    _told(table, key, "refused")


def _spin_refused(table: Table) -> None:
    table.cover(True)
    _refused(table, "spin")
    if table.rig.read()["relay"]:
        raise DeviceFailed("SPIN was taken with the cover open.")
    table.cover(False)


def _numbers(table: Table) -> None:
    table.supervisor(True)
    for key in NUMBERS:
        _told(table, key, "shown")


def _display(table: Table) -> None:
    """Called with the numbers still on it."""
    if not any(char in NUMBERS for char in table.rig.read()["display"]):
        raise DeviceFailed("The numbers that were pressed are not on the display as the rig reads it.")
    table.supervisor(False)


def _buzzer(table: Table) -> None:
    if not table.rig.read()["beeps"]:
        raise DeviceFailed("The refused keys made no beep that the rig has heard.")


def _round(table: Table) -> None:
    """The motor turns until the bets are open, which the lamp says."""
    terminal, before = table.terminal, table.terminal.kinds().count("bets_open")
    table.spin()
    table.wait(
        "The end of the spin",
        lambda: terminal.kinds().count("bets_open") > before or "fault" in terminal.kinds(),
        REST_MS,
    )
    if terminal.kinds().count("bets_open") == before:
        raise DeviceFailed("The spin did not lead to open bets.")
    if table.rig.step(100)["lamp"] != "on":
        raise DeviceFailed("The bets are open and the lamp is not on, as the rig sees it.")
    table.home()


def _estop(table: Table) -> None:
    fault = table.makes("fault", lambda: table.rig.estop(True))
    if fault["code"] != "estop":
        raise DeviceFailed("The pressed E-stop is reported as something else.")
    table.home()
