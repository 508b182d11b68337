"""A server that goes and comes back: the page says so, and then shows the table as it is."""

from datetime import datetime, timedelta, timezone

from host_tools.store import Settler
from host_tools.view import hub
from tests.host.store.chain import at
from tests.host.view.browser.shown import Shown, violations


def test_a_page_whose_server_was_started_again_shows_the_state_of_now(still, store, board, opened, paytable):
    with still.listening(paytable=paytable):
        shown = Shown(still, store, board, Settler(paytable), opened)
        shown.result(1, (6, 1, 6))
        page = shown.open()
        shown.wait_for_round(1)
        port = still.client.base_url.port
    page.wait_for_selector(".out-of-date")
    assert shown.text("#lost").startswith("The connection is lost.")
    assert violations(page) == []
    shown.result(2, (1, 1, 1))
    with still.listening(port, paytable=paytable):
        shown.wait_for_round(2)
        page.wait_for_function("() => !document.body.classList.contains('out-of-date')")
        assert shown.text("#lost") == ""
        assert set(shown.lit()) == {"triple-1", "any_triple", "double-1", "face-1"}


def test_a_line_that_died_without_a_word_is_found_out(shown):
    """No event comes and no request is answered, but the stream stays open: the page asks, and tries anew."""
    shown.result(1, (6, 1, 6))
    page = shown.open()
    shown.wait_for_round(1)
    page.clock.install()
    page.reload()
    shown.wait_for_round(1)
    page.route("**/api/**", lambda route: route.abort())
    page.clock.run_for(11_000)
    page.wait_for_selector(".out-of-date")
    page.unroute("**/api/**")
    page.clock.run_for(2000)
    page.wait_for_selector("body:not(.out-of-date)")


def test_clocks_that_are_set_back_while_the_page_is_open_keep_nothing_from_it(shown, monkeypatch):
    """An hour, at the server, at the run and at the page: the next result is shown, and events still rise."""
    shown.result(1, (6, 1, 6))
    page = shown.open()
    shown.wait_for_round(1)
    ids = page.evaluate_handle(
        """() => {
          const ids = [];
          new EventSource("api/events").addEventListener("state", (event) => ids.push(Number(event.lastEventId)));
          return ids;
        }"""
    )
    page.wait_for_function("ids => ids.length > 0", arg=ids)
    an_hour_ago = datetime.now(timezone.utc) - timedelta(hours=1)
    monkeypatch.setattr(hub, "datetime", type("SetBack", (datetime,), {"now": lambda _: an_hour_ago}))
    page.clock.set_fixed_time(an_hour_ago)
    shown.view.seconds -= 3600
    page.wait_for_function("() => document.body.dataset.state === 'away'")  # its last status is of the future
    for kind, *values in (("spin", 3), ("bets_open", 3), ("bets_closed", "dealer"), ("uncovered",)):
        shown.board.take(kind, 2, *values)
    shown.board.take("result", 2, (1, 1, 1), 4)
    shown.store.update_live(shown.board.dev, 1, "RESULT", 2, (1, 1, 1), at(shown.view.seconds))
    shown.wait_for_round(2)
    assert set(shown.lit()) == {"triple-1", "any_triple", "double-1", "face-1"}
    assert page.locator(".out-of-date").count() == 0
    told = ids.json_value()
    assert len(told) >= 3 and told == sorted(set(told))
