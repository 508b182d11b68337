"""The dealer's keys by keyboard and mouse, at a rig that writes down what was pressed, and at a simulated board."""

import asyncio
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from threading import Event

import pytest

from host_tools.rig import server
from host_tools.rig.server import RigServer, connect
from host_tools.store import Store
from host_tools.watch.app import Watch
from tests.host.store.chain import at
from tests.host.view.test_simkeys import Hands
from tests.host.wait import no_thread_is_left
from tests.host.watch.conftest import Terminal

ROOT = Path(__file__).parents[3]
TAPPED = ["spin", "no_more_bets", "1", "2", "3", "4", "5", "6", "entry"]
DID = [
    ("supervisor", True), *((how, key) for key in TAPPED for how in ("press", "release")), ("cover", True),
    ("cover", False), ("supervisor", False),
]  # fmt: skip
REAL_DEV = "e6614c31d3b8a52f-9c1e"


@pytest.fixture
def rig(tmp_path):
    hands = Hands()
    with RigServer(hands.call, tmp_path / "rig.sock") as server:
        hands.path = server.path
        yield hands


def by_keyboard(pilot):
    letters = {"spin": "s", "no_more_bets": "n", "entry": "e", "cover": "c", "supervisor": "u"}
    return lambda key: pilot.press(letters.get(key, key))


def by_mouse(pilot):
    async def click(key):
        while pilot.app.query_one(f"#key-{key}").has_class("-active"):  # a click on a button that is down is none
            await asyncio.sleep(0.01)
        await pilot.click(f"#key-{key}")

    return click


@pytest.mark.parametrize("way", [by_keyboard, by_mouse])
def test_each_key_does_at_the_rig_what_its_name_says(terminal, rig, way):
    async def work():
        async with terminal.showing(rig=rig.path) as shown:
            await shown.until(lambda: "Dice in the drum hidden" in shown.text())
            press = way(shown.pilot)
            for key in ("supervisor", *TAPPED, "cover"):
                await press(key)
            await shown.until(lambda: "Dice in the drum [6] [1] [3]" in shown.text())
            await shown.until(lambda: "Shut cover" in shown.text() and "Supervisor key off" in shown.text())
            await press("cover")
            await press("supervisor")
            await shown.until(lambda: "Supervisor key on" in shown.text() and "Open cover" in shown.text())

    asyncio.run(work())
    assert rig.did == DID


def test_the_supervisor_key_is_turned_from_where_it_stands_whoever_turned_it(terminal, rig):
    async def turn():
        async with terminal.showing(rig=rig.path) as shown:
            rig.call("supervisor", {"on": True})  # in another window
            await shown.until(lambda: "Supervisor key off" in shown.text())
            await shown.pilot.press("u")
            await shown.until(lambda: "Supervisor key on" in shown.text())

    asyncio.run(turn())
    assert rig.did == [("supervisor", True), ("supervisor", False)]


def test_what_is_seen_at_the_terminal_is_shown(terminal, rig):
    async def look():
        async with terminal.showing(rig=rig.path) as shown:
            await shown.until(lambda: "Display [BETS]  Lamp on  Dice in the drum hidden" in shown.text())
            rig.seen |= {"display": "WAIT", "lamp": "blink"}
            await shown.until(lambda: "Display [WAIT]  Lamp blinks" in shown.text())

    asyncio.run(look())


def test_while_the_board_hangs_q_ends_the_view(terminal, tmp_path, monkeypatch):
    monkeypatch.setattr(server, "ANSWER_S", 60)
    asked, over = Event(), Event()

    def hang(*_):
        asked.set()
        over.wait()

    async def quit():
        async with terminal.showing(rig=tmp_path / "hung.sock") as shown:
            await shown.until(asked.is_set)
            await asyncio.wait_for(shown.pilot.press("s", "q"), 10)
            assert not shown.app.is_running

    with RigServer(hang, tmp_path / "hung.sock"):
        with no_thread_is_left("AnyIO worker"):
            asyncio.run(quit())
        over.set()


def test_a_board_that_does_not_answer_is_said_so(terminal, tmp_path, monkeypatch):
    monkeypatch.setattr(server, "ANSWER_S", 0.1)
    over = Event()

    async def look():
        async with terminal.showing(rig=tmp_path / "hung.sock") as shown:
            await shown.until(lambda: "The simulated table does not answer." in shown.text())

    with RigServer(lambda *_: over.wait(), tmp_path / "hung.sock"):
        asyncio.run(look())
        over.set()


def test_without_a_rig_and_at_a_real_board_there_are_no_keys(store, terminal, rig):
    store.enrol(REAL_DEV, "T2", at(0))

    async def press(**where):
        async with terminal.showing(**where) as shown:
            await shown.pilot.press("s", "u", "c", "1")
            assert "Spin" not in shown.text()

    asyncio.run(press())
    asyncio.run(press(rig=rig.path, dev=REAL_DEV))
    assert rig.did == []


def test_q_ends_the_view(terminal):
    async def end():
        async with terminal.showing() as shown:
            await shown.pilot.press("q")
            await shown.pilot.pause()
            return shown.app.is_running

    assert asyncio.run(end()) is False


def test_what_comes_while_the_view_closes_is_no_fault(terminal, store, monkeypatch):
    close_all = Watch._close_all

    async def closing(app):
        await close_all(app)  # the widgets have gone, the view still follows the table
        before = app._hub.now
        terminal.says(store, "BETTING")
        while app._hub.now is before:
            await asyncio.sleep(0.01)

    async def end():
        async with terminal.showing():
            monkeypatch.setattr(Watch, "_close_all", closing)

    asyncio.run(end())
    assert terminal.app.failure is None


@pytest.fixture
def run(tmp_path, micropython):
    """A run whose simulated board nobody deals -> its dev and the rig."""
    command = [sys.executable, "-m", "host_tools", "run", "--target", "sim", "--view", "127.0.0.1:0", "--speed", "5"]
    command += ["--dice", "3,3,4", "--rounds", "1", "--store", f"sqlite:///{tmp_path}/run.db"]
    command += ["--out", str(tmp_path / "out")]
    environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    try:
        told = ""
        for line in process.stdout or ():
            told += line
            if (rig := re.search(r"Rig: +(\S+)", told)) and (dev := re.search(r"sim-[0-9a-f]+-[0-9a-f]+", told)):
                yield dev[0], Path(rig[1])
                break
        else:
            raise AssertionError(told)
    finally:
        process.kill()
        process.wait()


def test_a_round_is_played_at_a_simulated_board(run, tmp_path):
    dev, rig = run
    url = f"sqlite:///{tmp_path}/run.db"
    Store.open(url).close()
    terminal = Terminal(url)

    async def play():
        async with terminal.showing(dev=dev, rig=rig, clock=lambda: datetime.now(timezone.utc)) as shown:
            await shown.until(lambda: "State: IDLE" in shown.text() or "Waiting for the first round" in shown.text())
            for key, said in (("s", "Place your bets"), ("n", "No more bets"), ("c", "Cover open")):
                await shown.pilot.press(key)
                await shown.until(lambda said=said: shown.says_state(said))
            await shown.until(lambda: "Dice in the drum [3] [3] [4]" in shown.text())
            await shown.pilot.press("3", "3", "4")
            await shown.until(lambda: "pressed [3] [3] [4]" in shown.text())
            assert not shown.lit()
            await shown.pilot.press("e")
            await shown.until(lambda: shown.says_state("Result  double 3, 4, total 10"))
            return shown.lit()

    lit = asyncio.run(play())
    assert [text for text in lit if text[0] == ">"] == [
        ">Small (4 to 10): 1 to 1<", ">3-3<", ">10: 6 to 1 <", ">3-4<", ">3<", ">4<",
    ]  # fmt: skip
    with connect(rig) as hands:
        assert hands.read()["cover_open"]
