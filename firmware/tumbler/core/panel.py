"""What display and lamp show for each state: pure functions of the round, no hardware."""

from tumbler.core import fields as F
from tumbler.core import round as R

LAMP_OFF, LAMP_ON, LAMP_BLINK = 0, 1, 2
WAIT = "WAIT"  # while motor or dice move


def text(r: R.Round, full: bool) -> str:
    """Up to four characters, right-aligned by the display. full: the journal has no room for another round."""
    if r.state == R.SPINNING or r.state == R.COASTING:
        return WAIT
    if r.window:
        return "".join([str(n) for n in r.window])
    if r.state == R.FAULT:
        return "F%d" % (_lowest(r.causes) + 1)
    if r.state == R.BETTING:
        return "BETS"
    if r.state == R.CLOSED:
        return "SHUT"
    if r.state == R.IDLE and full:
        return "FULL"
    if r.state == R.UNCOVERED:
        return "---"
    return "".join([str(n) for n in r.dice])  # RESULT and IDLE: what was entered last


def lamp(r: R.Round) -> int:
    """On: place your bets. Blinking: a fault."""
    if r.state == R.BETTING:
        return LAMP_ON
    return LAMP_BLINK if r.state == R.FAULT else LAMP_OFF


def _lowest(causes):
    for n in range(len(F.FAULTS)):
        if causes & (1 << n):
            return n
    return len(F.FAULTS)
