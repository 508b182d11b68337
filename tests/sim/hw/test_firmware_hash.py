"""The fingerprint computed by MicroPython against hashlib of CPython over the same files."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.sim.hw.conftest import ROOT

HASH = "from tumbler.hw.firmware_hash import firmware_hash\n"


def expected(files: dict[str, bytes]) -> str:
    whole = b"".join(path.encode() + b"\0" + files[path] for path in sorted(files, key=str.encode))
    return hashlib.sha256(whole).hexdigest()[:16]


def write(top: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(data)


FILES = {
    "main.py": b"one",
    "boot.py": b"",
    "tumbler/core/a.mpy": bytes(range(256)) * 6 + b"x",  # several chunks and a rest
    "tumbler/core.py": b"c" * 512,  # sorts before tumbler/core/: '.' is less than '/'
    "tumbler/hw/z.py": b"c" * 1024,
}


def test_covers_every_module_sorted_by_path(run, tmp_path):
    write(tmp_path / "board", FILES)
    assert run(HASH + "answer = firmware_hash('board')") == expected(FILES)


def test_data_beside_the_modules_does_not_count(run, tmp_path):
    write(tmp_path / "board", {**FILES, "dev.txt": b"sim-1", "journal/0": b"{}", "notes.pyc": b"?"})
    assert run(HASH + "answer = firmware_hash('board')") == expected(FILES)


def test_one_bit_in_any_file_a_new_name_or_one_module_more_changes_it(run, tmp_path):
    write(tmp_path / "board", FILES)
    changed = [{**FILES, path: b"\x01" + data[1:]} for path, data in FILES.items()]
    changed.append({**FILES, "machine.py": b""})
    changed.append({("tumbler/x.py" if path == "boot.py" else path): data for path, data in FILES.items()})
    for n, files in enumerate(changed):
        write(tmp_path / f"board{n}", files)
    script = f"answer = [firmware_hash('board')] + [firmware_hash('board%d' % n) for n in range({len(changed)})]"
    got = run(HASH + script)
    assert len(set(got)) == len(changed) + 1


def test_finds_the_running_firmware_by_itself(run):
    firmware = ROOT / "firmware"
    files = {
        path.relative_to(firmware).as_posix(): path.read_bytes()
        for path in firmware.rglob("*")
        if path.suffix in (".py", ".mpy")
    }
    assert run(HASH + "answer = firmware_hash()") == expected(files)
