"""Writes docs/ROUND.md from the firmware's transition table: the diagram and an answer for every (state, event) pair.

The targets are not written down anywhere: each answer is tried under every combination of the conditions that the table
looks at, and where it led is what the page shows.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path

from tumbler.core import events as E
from tumbler.core import fields as F
from tumbler.core import round as R

PAGE = Path(__file__).resolve().parent.parent / "docs" / "ROUND.md"

EVENT_NAMES = {
    E.SPIN: "SPIN",
    E.NO_MORE: "NO MORE BETS",
    E.ENTRY: "ENTRY",
    E.DIGIT: "number key",
    E.SUP_ON: "supervisor on",
    E.SUP_OFF: "supervisor off",
    E.COVER_OPENED: "cover opens",
    E.COVER_CLOSED: "cover closes",
    E.SPINS_DONE: "enough spins",
    E.SETTLED: "at rest",
    E.TRIPPED: "dead-man trips",
    E.FAULT: "fault",
    E.HOST_NO_MORE: "host: no more bets",
    E.HOST_VOID: "host: void",
    E.HOST_CORRECT: "host: correct",
    E.HOST_CLEAR: "host: clear",
    E.HOST_MAINTENANCE: "host: maintenance",
}


# What came up, and what has to be seen before the supervisor can clear it (1) or answer otherwise.
FAULT_WORDS = {
    "stall": "no pulse in time after the relay closed; clears when the drum is at rest",
    "run_too_long": "the motor ran to its longest on-time; at rest",
    "rate": "pulses faster or slower than the board file allows; at rest",
    "motion": "pulses with the relay off; at rest",
    "coast_too_long": "the drum did not come to rest in time; at rest",
    "estop": "E-stop pressed, or its wire open; released",
    "cover_contacts": "the two cover contacts disagreed for over 50 ms; they agree again",
    "uncover_limit": "bets were closed and the cover was not opened in time",
    "feed_lost": "the loop was late and the dead-man switched the relay off; relay off, drum at rest",
    "relay_stuck": "the relay is on without being asked, or its contact says so; off again",
    "journal": "the journal cannot be read or written; off and on again, after the reason is gone",
    "journal_lost": "there is no journal where one had begun; 3 = go on under a new dev",
    "journal_unprotected": "the journal's flash is not guarded: nothing is written; `tumbler provision` mends that",
    "power_lost": "power went while bets stood; 2 = the cover stayed shut, go on; 1 = void the round",
    "opened_in_fault": "the cover was opened before that was answered; 1 = void the round",
}


def contexts(state: int) -> Iterator[R.Round]:
    """Rounds in `state` under every combination of supervisor key, cover, window, record in force and causes."""
    windows: tuple[tuple[int, ...], ...] = ((), (1,), (2,), (3,), (1, 3), (1, 3, 6))
    causes = (1 << R.POWER_LOST, 1 << F.FAULTS.index("estop"), 1 << R.JOURNAL_LOST) if state == R.FAULT else (0,)
    unders = (R.IDLE, R.BETTING, R.CLOSED, R.RESULT) if state == R.FAULT else (R.IDLE,)
    choice = itertools.product((False, True), (False, True), windows, ("result", "void"), ("", "cover"), causes, unders)
    for supervisor, cover_open, window, kind, hold, cause, under in choice:
        r = R.Round(3)
        r.state, r.under, r.round, r.open = state, under, 7, state not in (R.IDLE, R.RESULT)
        r.supervisor, r.cover_open, r.window, r.hold, r.causes = supervisor, cover_open, window, hold, cause
        r.in_force, r.dice = (kind, 1, 20), (2, 2, 5)
        r.order = {"by": "host:x", "round": 7, "ref_boot": 1, "ref_seq": 20, "reason": "other", "dice": (1, 1, 1)}
        r.fault_ref = (1, 20)
        yield r


def targets(state: int, event: int) -> set[int]:
    """States that an event can lead to from `state`."""
    found = set()
    argument = F.FAULTS.index("stall") if event == E.FAULT else 4
    for r in contexts(state):
        r.dispatch(event + E.ARG * argument)
        found.add(r.state)
    return found


def page() -> str:
    """The text of docs/ROUND.md."""
    lines = [
        "# The round: every state, every event",
        "",
        "`python -m host_tools.round_doc` makes this page from `firmware/tumbler/core/round.py`; a test compares them.",
        "",
        "```mermaid",
        "stateDiagram-v2",
        "    [*] --> IDLE",
    ]
    for event, name in EVENT_NAMES.items():
        for state, state_name in enumerate(F.STATES):
            lines += [
                f"    {state_name} --> {F.STATES[to]}: {name.replace(':', '')}"
                for to in sorted(targets(state, event))
                if to != state
            ]
    lines += ["```", "", "Answers (functions in round.py) and where they can lead; `=` means the state stays.", ""]
    lines += ["| event | " + " | ".join(F.STATES) + " |", "| --- |" + " --- |" * len(F.STATES)]
    for event, name in EVENT_NAMES.items():
        cells = []
        for state in range(len(F.STATES)):
            to = [("=" if t == state else F.STATES[t]) for t in sorted(targets(state, event))]
            cells.append(f"{R.TABLE[event][state].__name__} → {', '.join(to)}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "## Faults", "", "The display shows F and the number of the first; `fault` records name them.", ""]
    lines += ["| display | code | what, and what must be seen before it clears |", "| --- | --- | --- |"]
    lines += [f"| F{n + 1} | `{code}` | {FAULT_WORDS[code]} |" for n, code in enumerate(F.FAULTS)]
    lines += [
        "",
        "The supervisor turns the key, presses one number and ENTRY: 1 clears (an open round is voided), 2 goes on,",
        "3 takes a new dev. After a refusal the key is turned off and on again, which empties the window.",
        "",
        "## After a power cut",
        "",
        "The journal decides (`recovery.py`):",
        "",
        "| last seen | at power-on |",
        "| --- | --- |",
        "| SPINNING, COASTING | VOID record, reason `power_lost`; IDLE |",
        "| BETTING, CLOSED | FAULT `power_lost`: the supervisor attests that the cover stayed shut (2) or clears (1) |",
        "| UNCOVERED | goes on, the window of numbers is empty |",
        "| RESULT | goes on |",
        "| IDLE | IDLE; after 48 records without a round a meter is written and the last round can no longer be "
        "corrected at the keys |",
        "| FAULT, not cleared | FAULT, with the same causes |",
        "| journal gone | FAULT `journal_lost`: 3 = a new dev whose first record names the old one |",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
