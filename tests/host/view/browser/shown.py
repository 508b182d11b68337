"""A served table and what its page shows."""

import time

from axe_playwright_python.sync_playwright import Axe

from tests.host.store.chain import DEV, at

LIT = """() => [...document.querySelectorAll(".area.won")].map((each) => each.dataset.area)"""
LISTED = """() => [...document.querySelectorAll("#winning [data-area]")]
  .map((each) => [each.dataset.area, each.innerText])"""
IN_ROUND = """([number, state]) => document.body.dataset.state === state
  && document.getElementById("round").textContent === number"""


class Shown:
    """`page` is opened with the first look at it. The board's records take the view's clock along."""

    def __init__(self, view, store, board, settler, opened):
        self.view, self.store, self.board, self.settler, self._opened = view, store, board, settler, opened
        self.url = str(view.client.base_url)

    def open(self, **context):
        self.page = self._opened(self.url, **context)
        self.page.wait_for_selector("body[data-state] .area")
        return self.page

    def take(self, kind, *values, **when):
        self.board.take(kind, *values, settler=self.settler, **when)
        self.view.seconds = float(self.board.seq)

    def says(self, state, number, window=None):
        """The board says its state, and maybe the numbers pressed."""
        self.store.update_live(DEV, 1, state, number, window, at(self.board.seq))
        self.view.seconds = float(self.board.seq)

    def covered(self, number):
        """A round up to its closed bets."""
        self.take("spin", number, 3)
        self.take("bets_open", number, 3)
        self.take("bets_closed", number, "dealer")

    def result(self, number, dice):
        self.covered(number)
        self.take("uncovered", number)
        self.take("result", number, dice, 4)
        self.entered_at = time.time()
        self.says("RESULT", number, dice)

    def wait_for_round(self, number, state="result"):
        self.page.wait_for_function(IN_ROUND, arg=[str(number), state])

    def enter_token(self, name):
        self.page.fill("#token", self.view.token[name])
        self.page.click(".token button")
        self.page.wait_for_selector(f".token >> text={name}")

    def text(self, selector):
        return self.page.inner_text(selector)

    def lit(self):
        """The ids of the areas that are lit."""
        return self.page.evaluate(LIT)

    def listed(self):
        """The areas in the list of those that win -> its text."""
        return dict(self.page.evaluate(LISTED))


def violations(page):
    """What axe-core complains of: its rule, and where."""
    found = Axe().run(page).response["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]
