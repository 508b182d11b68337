"""A server that goes and comes back: the page says so, and then shows the table as it is."""

from host_tools.store import Settler
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
