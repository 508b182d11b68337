"""Builds stock MicroPython for RPI_PICO from the packages of Debian 13, on Debian 12 or newer.

For machines that reach a Debian mirror only: the mirror is the one that apt is set up with. Nothing is installed but
the compiler, and the machine's own package sources stay as they are.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from host_tools.errors import UserError
from host_tools.uf2 import FLASH_START, PAGE_BYTES, write_uf2

SUITE = "trixie"  # has MicroPython 1.25
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
NEEDED = {  # a file that shows that the package is there
    "gcc-arm-none-eabi": "/usr/bin/arm-none-eabi-gcc",
    "libnewlib-arm-none-eabi": "/usr/lib/arm-none-eabi/newlib/libc.a",
    "libstdc++-arm-none-eabi-newlib": "/usr/lib/arm-none-eabi/newlib/libstdc++.a",
    "cmake": "/usr/bin/cmake",
    "build-essential": "/usr/bin/g++",
}
# micropython-lib is no package: only what MicroPython's own tree has is frozen, as rp2.py and asyncio.
MANIFEST = 'freeze("$(PORT_DIR)/modules")\ninclude("$(MPY_DIR)/extmod/asyncio")\n'


def build(uf2: Path, step: Callable[[str], object]) -> None:
    """Build into the file `uf2`; takes a minute, and step() is told of each step that begins. Raises UserError with
    what to install or what went wrong."""
    if shutil.which("apt-get") is None:
        raise UserError(
            "MicroPython can be built here on Debian only: download its UF2 for the Raspberry Pi Pico from "
            "micropython.org and name it in TUMBLER_UF2."
        )
    _install(step)
    with tempfile.TemporaryDirectory(prefix="tumbler-micropython-") as folder:
        work = Path(folder)
        step("Downloading the sources")
        _download(work)
        step("Unpacking them")
        tree = _unpack(work)
        image = _compile(work, tree, step).read_bytes()
        pages = {FLASH_START + at: image[at : at + PAGE_BYTES] for at in range(0, len(image), PAGE_BYTES)}
        uf2.write_bytes(write_uf2({address: page.ljust(PAGE_BYTES, b"\0") for address, page in pages.items()}))


def _install(step: Callable[[str], object]) -> None:
    missing = [package for package, shows in NEEDED.items() if not Path(shows).exists()]
    if not missing:
        return
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        raise UserError(f"Building MicroPython needs packages that are not installed: sudo {' '.join(command)}")
    step(f"Installing {', '.join(missing)}")
    _run(["apt-get", "--quiet", "update"])
    _run(command, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})


def _download(work: Path) -> None:
    """Sources and source packages of SUITE, by an apt whose lists and cache are below `work`."""
    targets = _run(["apt-get", "indextargets", "--format", "$(REPO_URI)"])
    mirrors = [uri for uri in targets.split() if uri.rstrip("/").endswith("/debian")]
    if not mirrors:
        raise UserError("apt knows no Debian mirror: run apt-get update first.")
    sources = work / "apt.list"
    sources.write_text(
        "".join(f"{kind} [signed-by={KEYRING}] {mirrors[0]} {SUITE} main\n" for kind in ("deb", "deb-src"))
    )
    for folder in ("lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True)
    apt = ["apt-get", "--quiet", f"-oDir::Etc::sourcelist={sources}", "-oDir::Etc::sourceparts=-"]
    apt += [f"-oDir::State::lists={work}/lists", f"-oDir::Cache={work}/cache", "-oAPT::Sandbox::User=root"]
    _run([*apt, "update"], cwd=work)
    _run([*apt, "source", "--download-only", "micropython", "mbedtls"], cwd=work)
    _run([*apt, "download", "pico-sdk-source", "tinyusb-source"], cwd=work)


def _unpack(work: Path) -> Path:
    """MicroPython's tree with its libraries in place."""
    tree, packages = work / "micropython", work / "packages"
    tree.mkdir()
    _run(["tar", "xf", _only(work, "micropython_*.orig.tar.*"), "-C", str(tree), "--strip-components=1"])
    for name in ("pico-sdk-source_*.deb", "tinyusb-source_*.deb"):
        _run(["dpkg-deb", "-x", _only(work, name), str(packages)])
    for library in ("pico-sdk", "tinyusb", "mbedtls", "micropython-lib"):
        shutil.rmtree(tree / "lib" / library, ignore_errors=True)
    shutil.copytree(packages / "usr/src/pico-sdk", tree / "lib/pico-sdk", symlinks=True)
    shutil.copytree(packages / "usr/src/tinyusb", tree / "lib/tinyusb", symlinks=True)
    shutil.rmtree(tree / "lib/pico-sdk/lib/tinyusb", ignore_errors=True)
    (tree / "lib/mbedtls").mkdir()
    _run(["tar", "xf", _only(work, "mbedtls_*.orig.tar.*"), "-C", str(tree / "lib/mbedtls"), "--strip-components=1"])
    (tree / "lib/micropython-lib").mkdir()
    (tree / "lib/micropython-lib/README.md").write_text("not packaged\n")  # the makefiles look for it
    return tree


def _compile(work: Path, tree: Path, step: Callable[[str], object]) -> Path:
    """The firmware as firmware.bin."""
    version = Path(_only(work, "micropython_*.orig.tar.*")).name.split("_")[1].split("+")[0]
    # Without a git checkout the version has to be told.
    env = os.environ | {"MICROPY_GIT_TAG": f"v{version}", "MICROPY_GIT_HASH": "debian"}
    (work / "manifest.py").write_text(MANIFEST)
    jobs = str(os.cpu_count() or 1)
    step("Compiling mpy-cross (1 of 2)")
    _run(["make", "-C", str(tree / "mpy-cross"), "-j", jobs], env=env)
    out = work / "build"
    configure = ["cmake", "-S", str(tree / "ports/rp2"), "-B", str(out), "-DMICROPY_BOARD=RPI_PICO"]
    configure += [f"-DMICROPY_BOARD_DIR={tree}/ports/rp2/boards/RPI_PICO", "-DPICO_BUILD_DOCS=0"]
    # picotool would make the UF2 too, but Debian 12 has none.
    configure += [f"-DMICROPY_FROZEN_MANIFEST={work}/manifest.py", "-DPICO_NO_PICOTOOL=1"]
    _run(configure, env=env)
    step("Compiling the firmware (2 of 2)")
    _run(["cmake", "--build", str(out), "-j", jobs], env=env)
    return out / "firmware.bin"


def _only(folder: Path, pattern: str) -> str:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise UserError(f"Debian's packages are not as expected: {len(found)} files are called {pattern}, not one.")
    return str(found[0])


def _run(command: list[str], cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What the command printed. Raises UserError with its last words."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        words = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise UserError(f"Building MicroPython stopped at `{' '.join(command)}`:\n{words}")
    return done.stdout
