"""Faults that a firmware could have, each as an edit of its text, and the test of the bench that must see it.

As a program: the bench on a board whose firmware has one of them.

    python -m tests.host.bench.seeded FAULT sim|emu --out DIR
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from host_tools.bench import runner
from host_tools.bench.targets import Target, open_emu, open_sim
from host_tools.boards import load_board
from host_tools.build import FIRMWARE, build_files

QUICK = Path(__file__).with_name("quick.toml")
SEED = 7


class Fault(NamedTuple):
    """edits: (file below firmware/tumbler, text that stands there once, text instead). seen_by: name of a test."""

    edits: tuple[tuple[str, str, str], ...]
    seen_by: str


FAULTS = {
    "no debounce": Fault(
        (
            (
                "core/keys.py",
                "                self._since_ms[n] = now_ms\n            elif ticks",
                "                pass\n            if ticks",
            ),
            ("core/keys.py", "press_ms: int = 12, release_ms: int = 25", "press_ms: int = 0, release_ms: int = 0"),
        ),
        "test_a_key_that_bounces_counts_once",
    ),
    "one spin fewer": Fault(
        (
            (
                "core/spin.py",
                "self._pulses >= self._enough and",
                "self._pulses >= self._enough - self._pulses_per_spin and",
            ),
        ),
        "test_the_motor_turns_the_dice_for_as_many_spins_as_required",
    ),
    "the dead-man does not watch the cover": Fault(
        (("hw/relay.py", "self._cover = Pin(board.PIN_COVER)", "self._cover = Pin(board.PIN_ESTOP)"),),
        "test_the_relay_is_off_within_50_us_of_the_cover",
    ),
    "the window is not emptied": Fault(
        (
            ("core/round.py", "    r.supervisor = True\n    r.window = ()\n", "    r.supervisor = True\n"),
            ("core/round.py", "    r.supervisor = False\n    r.window = ()\n", "    r.supervisor = False\n"),
        ),
        "test_the_window_is_empty_whenever_the_key_turns",
    ),
    "ENTRY takes two numbers": Fault(
        (
            (
                "core/round.py",
                "    if len(r.window) == 3:\n        enter_result(r)",
                "    if len(r.window) >= 2:\n        enter_result(r)",
            ),
            ("core/round.py", "    r.dice = r.window\n", "    r.dice = (r.window * 2)[:3]\n"),
        ),
        "test_entry_of_two_numbers_is_refused",
    ),
    "what is sent again differs": Fault(
        (
            (
                "core/link.py",
                "        line = j.recall(seq)\n        self._sent_ms",
                "        line = j.recall(seq)\n        if seq <= self._sent:\n"
                "            line = line.replace(b'\"round\":', b'\"round\":1')\n        self._sent_ms",
            ),
        ),
        "test_records_that_are_not_acked_come_again_as_the_same_bytes",
    ),
    "a void forgets its reason": Fault(
        (
            (
                "core/round.py",
                '    if not r.supervisor or r.in_force[0] not in IN_FORCE:\n        r.refused("entry")\n'
                '    elif len(r.window) == 1:\n        r.taken("entry")\n'
                '        void(r, "supervisor", F.DEALER_REASONS[r.window[0] - 1])',
                '    if not r.supervisor or r.in_force[0] not in IN_FORCE:\n        r.refused("entry")\n'
                '    elif len(r.window) == 1:\n        r.taken("entry")\n'
                '        void(r, "supervisor", "other")',
            ),
        ),
        "test_a_correction_and_a_void_name_what_they_replace",
    ),
    "a correction after the next spin": Fault(
        (
            (
                "core/round.py",
                "refuse_entry,   refuse_entry,   refuse_entry,   entry_uncovered,",
                "refuse_entry,   entry_after,    refuse_entry,   entry_uncovered,",
            ),
            (
                "core/round.py",
                "ignore,         ignore,         ignore,         ignore,         digit,          digit_if_supervisor,",
                "ignore,         ignore,         digit_if_supervisor, ignore,    digit,          digit_if_supervisor,",
            ),
            ("core/round.py", "r.in_force[0] not in IN_FORCE:", "False:"),
        ),
        "test_no_correction_after_the_next_spin",
    ),
    "a number counts while bets are open": Fault(
        (
            (
                "core/round.py",
                "ignore,         ignore,         ignore,         ignore,         digit,          digit_if_supervisor,",
                "ignore,         ignore,         digit,          ignore,         digit,          digit_if_supervisor,",
            ),
        ),
        "test_a_number_counts_for_nothing_before_the_cover_is_open",
    ),
    "a stall is no fault": Fault(
        (("core/spin.py", "return STALL if on_ms > self._first_pulse_ms else E.NONE", "return E.NONE"),),
        "test_a_motor_that_stalls",
    ),
    "an echo is taken for an order": Fault(
        (
            (
                "core/link.py",
                "# garbled, or the echo of a line of ours\n            self.bad_lines += 1\n",
                '\n            self.answer({"nonce": self._nonce, "n": 1}, True, "done")\n',
            ),
        ),
        "test_an_echo_of_its_own_lines_is_no_order",
    ),
    "two keys at once count": Fault(
        (
            ("core/keys.py", "if self._fresh & (self._fresh - 1) or self.levels & mask & others:", "if False:"),
            ("core/keys.py", "elif not (self.levels ^ mask) & others:", "else:"),
        ),
        "test_two_keys_at_once_are_refused",
    ),
    "a drum that is pushed is no fault": Fault(
        (
            (
                "core/spin.py",
                "            self._fault_told = self._settled = True\n            return MOTION",
                "            return E.NONE",
            ),
        ),
        "test_a_drum_that_somebody_turns_while_bets_stand",
    ),
    "the cover's opening closes the bets": Fault(
        (
            (
                "core/round.py",
                "(opened,              void_early,     void_early,     void_early,     uncover,",
                "(opened,              void_early,     void_early,     uncover,        uncover,",
            ),
        ),
        "test_a_cover_opened_before_the_bets_are_closed_voids_the_round",
    ),
}
ON_EMU = (
    "one spin fewer",
    "the dead-man does not watch the cover",
    "a number counts while bets are open",
)


def seed(fault: Fault, folder: Path) -> Path:
    """A copy of the firmware with that fault -> its folder. Raises ValueError when the firmware has not that text."""
    firmware = folder / "firmware"
    shutil.copytree(FIRMWARE, firmware)
    for name, text, instead in fault.edits:
        path = firmware / "tumbler" / name
        whole = path.read_text(encoding="utf-8")
        if whole.count(text) != 1:
            raise ValueError(f"{name} has not once: {text}")
        path.write_text(whole.replace(text, instead), encoding="utf-8")
    return firmware


def _open(kind: str, firmware: Path) -> Target:
    if kind == "sim":
        return open_sim("pico", SEED, firmware)
    return open_emu(
        str(QUICK), SEED, "", build_files(load_board(QUICK), firmware) | {"dev.txt": b"emu-0000000000a1-9c1e\n"}
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("fault", choices=FAULTS)
    parser.add_argument("target", choices=("sim", "emu"))
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    fault = FAULTS[args.fault]
    with tempfile.TemporaryDirectory() as folder:
        firmware = seed(fault, Path(folder))
        findings = runner.run(lambda: _open(args.target, firmware), args.out, fault.seen_by)
    return findings.exit_code()


if __name__ == "__main__":
    sys.exit(main())
