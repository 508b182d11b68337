"""The alarms of a session in words: what is wrong, and what an operator does to go on (docs/OPERATING.md)."""

from host_tools.link.events import Alarm, Identity

NEW_DEV_ONLY = "nothing but a new dev of the board helps today (docs/OPERATING.md)."
AGAIN = "confirm this and start again"


def new_dev(old: str, new: str) -> Alarm:
    """The board's own first record says so."""
    return Alarm(
        "new_dev",
        f"Board {old} lost its journal and goes on as board {new}, whose first record names the old one. Enrol {new} "
        f"for the same table with the key of {old} (a simulated board needs no key), {AGAIN}: stakes of rounds "
        "that were left open then go back.",
    )


def other_dev(ours: str, other: str) -> Alarm:
    """Another board, without a record that would tie it to ours."""
    return Alarm(
        "other_dev",
        f"Board {other} speaks on the port of board {ours}, and no first record of it names the old one: the board was "
        f"exchanged. Put board {ours} back, or enrol {other} for the table; then {AGAIN}. Stakes of rounds that {ours} "
        "left open wait until it is back.",
    )


def ack_refused(dev: str, durable: Identity) -> Alarm:
    """The board has no such record as this host has."""
    return Alarm(
        "ack_refused",
        f"Board {dev} refused an ack of this host, whose last record of it is seq {durable.seq}: its journal has "
        f"another record there, or none. If another store has this board's records, {AGAIN} with that one; if this "
        f"is the one, {NEW_DEV_ONLY}",
    )


def not_believed(dev: str | None) -> Alarm:
    """No welcome was believed."""
    return Alarm(
        "not_believed",
        f"Board {dev} believes no line of this host: the key that is kept here is not this board's. Move that key file "
        f"away, enrol the board with the file that its provisioning wrote, {AGAIN}.",
    )


def no_proof(dev: str | None) -> Alarm:
    """A question was asked again and again, and no answer proves that the board is there now."""
    return Alarm(
        "no_proof",
        f"Board {dev} does not prove that it is there now: a recording of it is played back, the key that is kept here "
        "is not this board's, or its cable carries one direction only. Look what is plugged in; if the key is wrong, "
        f"move that file away and enrol the board with the right one; then {AGAIN}.",
    )


def journal_behind(dev: str | None, next_seq: int, known_seq: int) -> Alarm:
    """The board has fewer records than this host."""
    return Alarm(
        "journal_behind",
        f"The journal of board {dev} goes on at seq {next_seq}, but this store has its records up to {known_seq}: the "
        "journal was set back, or a second board has this dev. The board shows F12 once it was told: the supervisor "
        f"takes a new dev with 3 (docs/OPERATING.md); confirm this then. Keep the captured logs for the auditor.",
    )


def store_behind(dev: str | None, oldest_seq: int, known_seq: int) -> Alarm:
    """The board had records acked that this store does not have, and sends from `oldest_seq` on."""
    first, last = known_seq + 1, oldest_seq - 1
    return Alarm(
        "store_behind",
        f"Board {dev} had its records up to seq {last} acked, but this store ends at {known_seq}: it is from a "
        "backup, is another one, or lost its file. If another store has them, start with that one and leave this alarm "
        f"open. If not, `tumbler store accept-restore --dev {dev} --by NAME` has the board send again what it still "
        f"has. For what it has no more {AGAIN}: records {first} to {last} are then a named gap, and the chain begins "
        "anew behind it with a record whose mac cannot be checked; `tumbler adjust` settles rounds that end in it.",
        (first, last),
    )


def chain(dev: str | None, seq: int) -> Alarm:
    """A record that cannot follow the last one."""
    return Alarm(
        "chain",
        f"Record seq {seq} of board {dev} does not fit the record before it: the key is not this board's, or something "
        f"else made the line. If the key that is kept here is wrong, mend that; then {AGAIN}, for the board "
        f"sends its own record again. If this comes back, {NEW_DEV_ONLY}",
    )


def gap(dev: str | None, missing_seq: int, seq: int) -> Alarm:
    """A record that no resend brought."""
    return Alarm(
        "gap",
        f"Board {dev} does not send its record seq {missing_seq}, only those from {seq} on. Check the cable, {AGAIN}: "
        f"the board sends again what was not acked. If this comes back, its journal cannot be read whole and "
        f"{NEW_DEV_ONLY}",
    )
