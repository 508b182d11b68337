"""A person without a board plays at the simulated table, by mouse and by keyboard, through `tumbler run --view`."""

import contextlib
import os
import re
import subprocess
import sys

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.host.view.browser.test_lit import wins

HIDDEN = "() => document.getElementById('sim-dice').textContent === 'hidden'"
THREE = "() => document.querySelectorAll('#numbers .die').length === 3"
ROUNDS = [(1, 3, 6), (3, 3, 4), (5, 5, 5)]
NOT_OFFERED = ("odd", "even", "three_dice", "four_numbers")  # by hoiana


@pytest.fixture
def played(tmp_path, micropython, opened):
    """The page of a run whose board nobody deals but the page."""
    command = [sys.executable, "-m", "host_tools", "run", "--target", "sim", "--view", "127.0.0.1:0", "--speed", "2"]
    command += [part for dice in ROUNDS for part in ("--dice", ",".join(map(str, dice)))]
    command += ["--store", f"sqlite:///{tmp_path}/t.db", "--out", str(tmp_path / "out"), "--rounds", "3"]
    environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    try:
        told = []
        for line in run.stdout:
            told.append(line)
            if where := re.search(r"Table view: (\S+)", line):
                break
        assert where, told
        page = opened(where[1])
        page.wait_for_selector("#sim button")
        yield page
    finally:
        run.kill()
        run.wait()


def wait_for(page, state):
    page.wait_for_function("state => document.body.dataset.state === state", arg=state)


def by_mouse(page):
    return lambda key: page.click(f"#key-{key}")


def by_keyboard(page):
    keys = {"spin": "s", "no_more_bets": "n", "cover": "c", "entry": "e"}
    return lambda key: page.keyboard.press(keys.get(key, key))


def test_three_rounds_are_played_and_light_their_areas(played, shoot):
    page = played
    for number, dice in enumerate(ROUNDS, 1):
        press = by_keyboard(page) if number == 2 else by_mouse(page)
        page.wait_for_function(HIDDEN)
        page.wait_for_function("() => document.getElementById('health').textContent.includes('IDLE')")
        press("spin")
        wait_for(page, "place_bets")
        press("no_more_bets")
        wait_for(page, "no_more_bets")
        press("cover")
        page.wait_for_selector("#sim-dice .die")
        wait_for(page, "uncovered")
        for _ in range(3):  # the window slides: when a busy computer lost a number, all are pressed again
            for name in page.locator("#sim-dice [role=img]").all():
                press(name.get_attribute("aria-label").removeprefix("die "))
            with contextlib.suppress(PlaywrightTimeout):
                page.wait_for_function(THREE, timeout=4000)
                break
        page.wait_for_function(THREE)
        if number == 1:
            shoot(page.locator("#sim"), "view-keys")
        press("entry")
        wait_for(page, "result")
        expected = {area for area in wins(dice) if not area.startswith(NOT_OFFERED)}
        lit = page.evaluate("() => [...document.querySelectorAll('.area.won')].map((each) => each.dataset.area)")
        assert set(lit) == expected, dice
        press("cover")
    beads = [bead.inner_text().split() for bead in page.locator("#road li").all()]
    assert [(bead[-2], bead[-1]) for bead in beads] == [("S", "10"), ("S", "10"), ("T", "15")]
