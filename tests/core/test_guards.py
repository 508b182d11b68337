"""Guard files on littlefs: full disks, churn, power cuts and a filesystem made anew leave the guarded blocks alone.

MicroPython only: CPython's littlefs is another binding. A small area stands for the chip's.
"""

from tumbler.hw import guards
from tumbler.hw.flash import Sectors

from tests.core import kit
from tests.core.flash_parts import BLOCK, Flash, PowerOff, blank

BLOCKS, JOURNAL = 48, 6
WANTED = guards.blocks(BLOCKS, JOURNAL)
SMALL = (100, 600, 1500)  # bytes: inside the directory, one block
LARGE = (5000, 9000, 13000)


def made():
    """Bytes of a flash with a littlefs, and in the wanted blocks what no littlefs must touch."""
    if not kit.MICROPYTHON:
        kit.skip("no littlefs of MicroPython's here")
    import vfs

    flash = Flash(blank(BLOCKS))
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    hostile = flash.block(0) + flash.block(1)  # a superblock where it does not belong
    for n in range(len(WANTED)):
        at = WANTED[n] * BLOCK
        text = b"sector %d " % n if n % 3 else hostile
        flash.data[at : at + BLOCK] = (text * (BLOCK // len(text) + 1))[:BLOCK]
    return flash.data


def guarded():
    """The same with its guards."""
    data = made()
    assert guards.adopt(Flash(data), WANTED) == len(WANTED)
    return data


def kept(data):
    """What stands in the wanted blocks."""
    return [bytes(data[block * BLOCK : (block + 1) * BLOCK]) for block in WANTED]


def churn(flash, random, steps, folder=""):
    """Files come, grow, change name and go, in directories too; a full disk is no error here."""
    disk = guards.mount(flash)
    for _ in range(steps):
        name, what = "%sf%d" % (folder, random.below(12)), random.below(10)
        try:
            if what < 6:
                with disk.open(name, "ab" if what == 0 else "wb") as f:
                    f.write(bytes([random.below(256)]) * random.choice(SMALL + LARGE))
            elif what == 6:
                disk.remove(name)
            elif what == 7:
                disk.rename(name, "%sf%d" % (folder, random.below(12)))
            elif what == 8:
                disk.mkdir("%sd%d" % (folder, random.below(4)))
            else:
                disk = guards.mount(flash)
        except OSError:
            pass


def fill(flash):
    """-> how many files of a block each found room."""
    disk, n = guards.mount(flash), 0
    try:
        while True:
            with disk.open("full%d" % n, "wb") as f:
                f.write(b"x" * BLOCK)
            n += 1
    except OSError:
        return n


def empty(flash, folder=""):
    disk = guards.mount(flash)
    for name in [entry[0] for entry in disk.ilistdir(folder or "/") if entry[1] == 0x8000]:
        disk.remove(folder + "/" + name)


def test_guards_own_the_end_of_the_area():
    assert guards.blocks(352, 96) == list(range(254, 352))
    assert guards.path(7) == "guards/0/007" and guards.path(113) == "guards/3/113"


def test_adopting_touches_nothing_of_what_it_guards():
    data = made()
    before, flash = kept(data), Flash(data)
    assert guards.heads(flash, len(WANTED)) == [None] * len(WANTED)
    assert guards.adopt(flash, WANTED) == len(WANTED)
    assert guards.heads(flash, len(WANTED)) == WANTED
    assert kept(data) == before and not flash.touched.intersection(WANTED)
    flash.touched = set()
    assert guards.adopt(flash, WANTED) == 0 and flash.touched == set()


def test_any_blocks_in_any_order_can_be_adopted():
    data = made()
    wanted = [20, 9, 47, 21, 8, 33]
    assert guards.adopt(Flash(data), wanted) == 6
    assert guards.heads(Flash(data), 6) == wanted


def test_wherever_littlefs_begins_to_look_for_free_blocks_no_directory_gets_a_guarded_one():
    first = made()
    for seed in range(40):
        data = bytearray(first)
        churn(guards._Steered(Flash(data), set(WANTED)), kit.Random(seed), 8)
        flash = Flash(data)
        guards.adopt(flash, WANTED)
        churn(flash, kit.Random(seed), 10, "guards/0/")  # its folder's two blocks take turns
        assert guards.heads(flash, len(WANTED)) == WANTED, seed
        assert not flash.touched.intersection(WANTED), seed


def test_a_full_and_churned_and_emptied_filesystem_never_touches_a_guarded_block():
    data = guarded()
    before = kept(data)
    flash = Flash(data)
    for seed in range(6):
        churn(flash, kit.Random(seed), 60)
        assert fill(flash) >= 0
        churn(flash, kit.Random(seed + 100), 30)
        assert not flash.touched.intersection(WANTED), seed
        assert guards.heads(flash, len(WANTED)) == WANTED, seed
        empty(flash)
    assert kept(data) == before
    assert flash.operations > 3000
    assert len(flash.touched) > (BLOCKS - len(WANTED)) * 3 // 4  # all others saw use


def test_without_guards_the_same_churn_does_touch_those_blocks():
    data = made()
    flash = Flash(data)
    churn(flash, kit.Random(0), 60)
    fill(flash)
    assert flash.touched.intersection(WANTED)


def test_raw_writes_stay_inside_while_the_filesystem_churns():
    data, random = guarded(), kit.Random(5)
    flash = Flash(data)
    raw = Sectors(flash, WANTED)
    for turn in range(40):
        churn(flash, kit.Random(turn), 8)
        files = guards.mount(flash)
        listed = sorted([entry[0] for entry in files.ilistdir("/")])
        flash.touched = set()
        sector = random.below(raw.count)
        raw.erase(sector)
        raw.program(sector, 256 * random.below(16), bytes([turn]) * 256)
        assert flash.touched == {WANTED[sector]}
        assert sorted([entry[0] for entry in guards.mount(flash).ilistdir("/")]) == listed
    assert guards.heads(flash, len(WANTED)) == WANTED


def test_the_power_goes_at_every_operation_of_adopting():
    for first in (made(), remade(guarded())):
        cut, finished = 0, False
        while not finished:
            data = bytearray(first)
            flash = Flash(data, cut, torn=bool(cut % 3))
            try:
                guards.adopt(flash, WANTED)
                finished = True
            except (PowerOff, OSError):
                pass
            assert not flash.touched.intersection(WANTED), cut
            guards.mount(Flash(data)).statvfs("/")  # it mounts
            guards.adopt(Flash(data), WANTED)
            assert guards.heads(Flash(data), len(WANTED)) == WANTED, cut
            assert kept(data) == kept(first), cut
            cut += 1
        assert cut > 10


def test_the_power_goes_anywhere_while_the_filesystem_churns():
    first = guarded()
    before = kept(first)
    for cut in range(0, 1200, 37):
        data = bytearray(first)
        flash = Flash(data, cut, torn=bool(cut % 3))
        try:
            churn(flash, kit.Random(cut % 5), 200)
        except (PowerOff, OSError):
            pass
        assert not flash.touched.intersection(WANTED), cut
        assert guards.heads(Flash(data), len(WANTED)) == WANTED and kept(data) == before, cut


def test_the_power_goes_in_raw_writes_and_littlefs_does_not_care():
    first = guarded()
    for cut in range(40):
        data = bytearray(first)
        flash = Flash(data, cut)
        raw = Sectors(flash, WANTED)
        try:
            for turn in range(40):
                raw.erase(turn % raw.count)
                raw.program(turn % raw.count, 0, bytes(256))
        except (PowerOff, OSError):
            pass
        assert guards.heads(Flash(data), len(WANTED)) == WANTED, cut


def remade(data):
    """MicroPython's _boot.py makes a filesystem that it cannot mount anew: a superblock pair, nothing else."""
    import vfs

    vfs.VfsLfs2.mkfs(Flash(data), readsize=256, progsize=256)
    return data


def test_after_a_filesystem_made_anew_the_sectors_are_found_and_adopted_again():
    data = guarded()
    before = kept(data)
    remade(data)
    assert kept(data) == before
    flash = Flash(data)
    assert guards.heads(flash, len(WANTED)) == [None] * len(WANTED)
    assert list(guards.find(flash, b"sector 4")) == [WANTED[4]]
    assert list(guards.find(flash, b"sector")) == [WANTED[n] for n in (1, 2, 4, 5, 7)]
    guards.adopt(flash, WANTED)
    churn(flash, kit.Random(1), 60)
    fill(flash)
    assert guards.heads(flash, len(WANTED)) == WANTED and kept(data) == before


def test_a_block_that_another_file_took_cannot_be_adopted():
    data = made()
    flash = Flash(data)
    fill(flash)
    with kit.raises(OSError) as caught:
        guards.adopt(flash, WANTED)
    assert caught.value.args[0] == 28


def spoil(data, how):
    """Somebody writes where nobody may."""
    disk, name = guards.mount(Flash(data)), guards.path(3)
    if how == "removed":
        disk.remove(name)
    elif how == "byte written":
        with disk.open(name, "r+b") as f:
            f.write(b"x")
    elif how == "copied back":  # as a tool that saves and restores all files
        with disk.open(name, "rb") as f:
            content = f.read()
        with disk.open(name, "wb") as f:
            f.write(content)
    elif how == "longer":
        with disk.open(name, "ab") as f:
            f.write(b"x")
    elif how == "exchanged":
        disk.rename(name, guards.path(9))
        disk.rename(guards.path(4), name)
        disk.rename(guards.path(9), guards.path(4))
    elif how == "directory renamed":
        disk.rename(guards.DIRECTORY, "other")


WAYS = ("removed", "byte written", "copied back", "longer", "exchanged", "directory renamed")


def test_a_guard_that_was_written_moved_or_removed_is_seen_and_breaks_the_seal():
    first = guarded()
    seal = guards.seal(Flash(first), len(WANTED))
    for how in WAYS:
        data = bytearray(first)
        spoil(data, how)
        found = guards.heads(Flash(data), len(WANTED))
        assert found != WANTED, how
        assert guards.seal(Flash(data), len(WANTED)) != seal, how


def test_while_the_seal_is_the_same_every_guard_owns_its_block():
    data = guarded()
    flash = Flash(data)
    guards.mount(flash).mkdir("d")
    seals, same = {guards.seal(flash, len(WANTED))}, 0
    for turn in range(50):
        churn(flash, kit.Random(turn), 3, "d/" if turn % 4 else "")
        if turn % 10 == 9:
            spoil(data, WAYS[turn // 10])
        right = guards.heads(flash, len(WANTED)) == WANTED
        assert right == (turn % 10 != 9), turn
        if guards.seal(flash, len(WANTED)) in seals:
            assert right, turn
            same += 1
        elif right:
            seals.add(guards.seal(flash, len(WANTED)))
        else:
            empty(flash)
            empty(flash, "/d")
            guards.adopt(flash, WANTED)
    assert same > 20, same


def test_looking_writes_nothing():
    data = guarded()
    flash = Flash(data)
    before = bytes(data)
    guards.heads(flash, len(WANTED))
    guards.seal(flash, len(WANTED))
    list(guards.find(flash, b"sector"))
    assert flash.touched == set() and data == before


def test_without_a_filesystem_there_is_no_guard_and_no_seal():
    if not kit.MICROPYTHON:
        kit.skip("no littlefs of MicroPython's here")
    flash = Flash(blank(BLOCKS))
    assert guards.heads(flash, 3) == [None] * 3
    assert guards.seal(flash, len(WANTED)) == guards.NO_SEAL
