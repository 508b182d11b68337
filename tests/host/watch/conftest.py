"""The terminal view of a real store, on a still clock, driven by Textual's Pilot."""

import asyncio
import time
from contextlib import asynccontextmanager

import pytest
from rich.style import Style

from host_tools.errors import UserError
from host_tools.store.database import Database
from host_tools.view.hub import Hub
from host_tools.view.reading import Reader
from host_tools.watch.app import Watch
from host_tools.watch.cloth import LIT
from host_tools.watch.words import LANGUAGES
from tests.host.store.chain import DEV, HOIANA, at

LIMIT_S = 20


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/table.db"


class Terminal:
    """A terminal with the view in it; open one with `async with terminal.showing(...)`."""

    def __init__(self, url):
        self.url = url
        self.away = False  # whether the store answers
        self.seconds = 0.0  # where the view's clock stands

    def says(self, store, state, number=1, window=None):
        """A status of the board, now."""
        store.update_live(DEV, 1, state, number, window, at(self.seconds))

    @asynccontextmanager
    async def showing(self, size=(80, 24), language="en", rig=None, dev=DEV, paytable=HOIANA, clock=None):
        database = Database(self.url, make=False)
        reader = Reader(database, lambda _: dev, paytable)
        read = reader.read

        def read_or_fail(now):
            if self.away:
                raise UserError("The store does not answer: start it.")
            return read(now)

        reader.read = read_or_fail
        try:
            hub = Hub(database, reader, clock or (lambda: at(self.seconds)))
            self.app = Watch(hub, paytable, LANGUAGES[language], rig)
            async with self.app.run_test(size=size) as self.pilot:
                await self.until(lambda: LANGUAGES[language].title in self.text())
                yield self
        finally:
            database.close()

    def lines(self):
        """What stands on the screen, line by line."""
        return ["".join(part.text for part in strip) for strip in self.app.screen._compositor.render_strips()]

    def text(self):
        return "\n".join(self.lines())

    def lit(self):
        """The texts on the colour of a winning area."""
        return [
            part.text
            for strip in self.app.screen._compositor.render_strips()
            for part in strip
            if part.style and part.style.bgcolor == Style.parse(LIT).bgcolor
        ]

    def says_state(self, words):
        """Whether a line begins with these words for the state of the round."""
        return any(line.strip().startswith(words) for line in self.lines())

    async def until(self, ready):
        """Let the view work until ready() holds; a test fails when it does not."""
        end_s = time.monotonic() + LIMIT_S
        while not ready():
            assert time.monotonic() < end_s, f"it did not come within {LIMIT_S} s:\n{self.text()}"
            await asyncio.sleep(0.05)  # to look is costly: the whole screen is rendered
        await self.pilot.pause()


@pytest.fixture
def terminal(url, store):
    return Terminal(url)
