"""Runs, on MicroPython's unix port, what the stand-in's raw REPL was given: its files lie in a real littlefs on a flash
that is a file. Each piece of code comes as its length, four bytes, and its bytes; EOT ends what it printed, and again
what it raised."""

import io
import json
import os
import struct
import sys

import machine
import rp2
import vfs

given = json.loads(sys.argv[1])
machine.low, machine.chip = given["low"], bytes.fromhex(given["chip"])
os.played = tuple(given["uname"])
rp2.begin(given["flash"])
flash = rp2.Flash()
vfs.umount("/")
try:
    disk = vfs.VfsLfs2(flash, readsize=256, progsize=256)
except OSError:  # as _boot.py of a board does
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    disk = vfs.VfsLfs2(flash, readsize=256, progsize=256)
vfs.mount(disk, "/")
os.chdir("/")
sys.path[:] = ["", "/lib"]
names = {"__name__": "__main__"}
if "boot.py" in os.listdir("/"):
    with open("/boot.py") as f:
        exec(f.read(), {"__name__": "boot"})
stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
while True:
    head = stdin.read(4)
    if not head:
        break
    failed = b""
    try:
        exec(stdin.read(struct.unpack("<I", head)[0]), names)
    except SystemExit:
        raise
    except BaseException as e:
        said = io.StringIO()
        sys.print_exception(e, said)
        failed = said.getvalue().encode()
    stdout.write(b"\x04" + failed + b"\x04")
