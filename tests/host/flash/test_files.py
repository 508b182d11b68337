"""The order in which a board's files are changed: cut at any step, it starts the old program, the new or nothing."""

import pytest

from host_tools.errors import UserError
from host_tools.flash import files
from host_tools.flash.files import There, carry_out, list_files, make_plan, refuse_foreign, refuse_full, sha256
from host_tools.repl import Lost, Refused

OLD = {
    "boot.py": b"# old boot",
    "main.py": b"# old main",
    "tumbler/__init__.mpy": b"same",
    "tumbler/app.mpy": b"old" * 400,
    "tumbler/core/gone.mpy": b"of the old one alone",
}
NEW = {
    "boot.py": b"# new boot",
    "main.py": b"# new main",
    "tumbler/__init__.mpy": b"same",
    "tumbler/app.mpy": b"new" * 400,
    "tumbler/hw/added.mpy": b"of the new one alone",
}


class Cut:
    """What runs code on the stand-in's MicroPython, until the power goes before piece `at`."""

    def __init__(self, board, at=10_000):
        self.board, self.left = board, at

    def run(self, code):
        if not self.left:
            raise Lost("cut")
        self.left -= 1
        said, failed = self.board.execute(code)
        if failed:
            raise Refused(failed.decode().splitlines()[-1])
        return said.decode().strip()


def put(console, wanted):
    plan = make_plan(wanted, list_files(console))
    carry_out(console, wanted, plan, lambda *_: None)
    return plan


def test_cut_at_every_step_it_never_starts_a_mixture_and_a_second_run_makes_it_whole(plug_in, on_disk):
    steps = 0
    while True:
        board = plug_in()
        for path in on_disk() if steps else ():
            board.execute(f"import os\nos.remove({'/' + path!r})")
        put(Cut(board), OLD)
        try:
            put(Cut(board, steps), NEW)
        except Lost:
            pass
        else:
            break
        steps += 1
        there = {path: data for path, data in on_disk().items() if not path.endswith(".new")}
        if "main.py" in there:
            assert there in (OLD, NEW)
        assert there.get("boot.py") in (OLD["boot.py"], NEW["boot.py"])  # the relay is off at each start
        put(Cut(plug_in()), NEW)
        assert on_disk() == NEW
    assert steps > 8


def test_a_file_that_did_not_arrive_as_it_was_sent_keeps_its_old_name(plug_in, on_disk, monkeypatch):
    board = plug_in()
    put(Cut(board), OLD)
    monkeypatch.setattr(files.base64, "b64encode", lambda data: b"AAAA")
    with pytest.raises(UserError, match=r"boot\.py did not reach the board's flash as it was sent"):
        put(Cut(board), NEW)
    assert on_disk()["boot.py"] == OLD["boot.py"]


def there(board):
    return {path: There(len(data), sha256(data)) for path, data in board.items()}


def test_what_is_there_is_left_and_what_is_left_over_goes():
    plan = make_plan(NEW, there(OLD | {"boot.py.new": b"half", "dev.txt": b"emu-1"}))
    assert plan.remove == ["main.py", "boot.py.new", "tumbler/core/gone.mpy"]
    assert plan.write == ["boot.py", "tumbler/app.mpy", "tumbler/hw/added.mpy", "main.py"]
    assert make_plan(NEW, there(NEW)) == files.Plan([], [])


def test_somebody_elses_file_that_only_looks_half_written_stays():
    assert make_plan(NEW, there(NEW | {"notes.new": b"a note"})) == files.Plan([], [])


def test_main_alone_is_replaced_in_one_step():
    assert make_plan(NEW, there(NEW | {"main.py": b"older"})) == files.Plan([], ["main.py"])


@pytest.mark.parametrize("other", ["servo.py", "lib/thing.mpy", "main.mpy"])
def test_code_that_is_not_ours_is_named(other):
    with pytest.raises(UserError, match=other):
        refuse_foreign([*OLD, other], NEW)
    refuse_foreign([*OLD, "notes.txt"], NEW)
    refuse_foreign(["boot.py"], NEW)  # cut off after the first file


def test_a_main_without_the_rest_is_somebody_elses():
    with pytest.raises(UserError, match=r"another program \(main\.py\)"):
        refuse_foreign(["main.py"], NEW)


def test_room_is_needed_for_one_file_more_than_there_is():
    large = {"tumbler/a.mpy": bytes(8192), "tumbler/b.mpy": bytes(8192)}
    old = {path: There(8192, "other") for path in large}
    plan = make_plan(large, old)
    refuse_full(large, old, plan, 2 + files.KEPT_BLOCKS)
    with pytest.raises(UserError, match="flash is full, 4 blocks are to be written and 5 are free"):
        refuse_full(large, old, plan, 1 + files.KEPT_BLOCKS)
    with pytest.raises(UserError, match="and 0 are free"):
        refuse_full(large, old, plan, -1)
