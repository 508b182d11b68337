"""Debian's Chromium, and a page of the table view in it: what a person sees of a real store, on a virtual clock."""

import os
from pathlib import Path

import pytest

from host_tools.settler import paytable as paytables
from host_tools.store import Settler
from tests.host.view.browser.shown import Shown

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
MOST_PICTURE_BYTES = 150_000
EVERY_KIND = paytables.load(str(Path(__file__).parent / "every_kind.toml"))


# Not for longer: while Playwright is on, this thread has a running event loop, which other tests start. A package's
# fixture would stay for the whole session, as the folders of the tests are no packages.
@pytest.fixture(scope="module")
def chromium():
    """Without Chromium a test skips, or fails where TUMBLER_BROWSER_REQUIRED is set."""
    if not CHROMIUM.exists():
        message = f"There is no {CHROMIUM}: install Debian's package chromium to run the tests of the page."
        if os.environ.get("TUMBLER_BROWSER_REQUIRED"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """opened(url, **context) -> a page; whatever it reports as an error or logs as one fails the test."""
    contexts, faults = [], []

    def open_page(url, **context):
        context = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", "reduced_motion": "reduce"} | context
        contexts.append(chromium.new_context(**context))
        page = contexts[-1].new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None)
        page.goto(str(url))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def shoot(tmp_path):
    """shoot(page or part of it, name): a picture for docs/, kept where TUMBLER_SCREENSHOTS names a folder."""
    folder = Path(os.environ.get("TUMBLER_SCREENSHOTS", tmp_path))

    def take(what, name):
        picture = folder / f"{name}.png"
        what.screenshot(path=picture)
        assert picture.stat().st_size < MOST_PICTURE_BYTES

    return take


@pytest.fixture(params=["hoiana"])
def paytable(request):
    """The paytable of the view and of the board's settler; tests name others."""
    return EVERY_KIND if request.param == "every_kind" else paytables.load(request.param)


@pytest.fixture
def rig():
    """The socket of a rig whose keys the page has: none, unless a module names one to have the keys in view."""


@pytest.fixture
def shown(still, store, board, opened, paytable, rig):
    """A table that is served and looked at."""
    with still.listening(paytable=paytable, rig=rig):
        yield Shown(still, store, board, Settler(paytable), opened)
