"""Wagers and orders through the page: what is typed is what the store takes; a refusal is shown with its reason."""

from tests.host.store.chain import DEV

LOSE_ONE_ANSWER = """() => {
  const ask = window.fetch;
  window.fetch = async (path, how) => {
    const answer = await ask(path, how);
    if (how?.method !== "POST") return answer;
    window.fetch = ask;
    throw new TypeError("the line broke behind the request");
  };
}"""


def betting(shown, token="desk"):
    """Bets are open in round 1 and a token was typed."""
    shown.take("spin", 1, 3)
    shown.take("bets_open", 1, 3)
    shown.says("BETTING", 1)
    page = shown.open()
    shown.wait_for_round(1, "place_bets")
    shown.enter_token(token)
    return page


def place(page, area, stake):
    page.click(f"[data-area='{area}']")
    page.fill("#wager-stake", stake)
    page.evaluate("document.getElementById('wagers-said').replaceChildren()")  # so that no earlier answer is read
    page.click("#wager-place")
    page.wait_for_function("() => document.getElementById('wagers-said').textContent !== ''")


def stored(shown):
    listed = shown.store.list_wagers(DEV, 1, None)
    return [(each.wager.kind, each.wager.selection, each.wager.stake_cents, each.outcome) for each in listed]


def test_a_wager_is_placed_by_a_click_on_its_area_listed_and_withdrawn(shown):
    page = betting(shown)
    place(page, "combination-1-6", "2.50")
    assert shown.text("#wagers-said") == "Placed: 2.50 on Pair 1 and 6."
    assert stored(shown) == [("combination", "1-6", 250, "open")]
    assert shown.text("#wagers-own li span") == "Pair 1 and 6 2.50: open"
    page.get_by_role("button", name="Withdraw 2.50 on Pair 1 and 6").click()
    page.wait_for_function("() => document.getElementById('wagers-said').textContent.startsWith('Withdrawn')")
    assert stored(shown) == [("combination", "1-6", 250, "withdrawn")]
    assert shown.text("#wagers-own") == "Pair 1 and 6 2.50: withdrawn, stake goes back"


def test_a_wager_that_was_placed_elsewhere_with_the_same_token_is_listed(shown):
    page = betting(shown)
    page.wait_for_function("() => document.getElementById('wagers-own').textContent !== ''")
    assert shown.view.place({"kind": "small", "stake_cents": 500}).status_code == 201
    page.wait_for_function("() => document.getElementById('wagers-own').textContent.startsWith('Small 5.00: open')")


def test_what_a_wager_returns_is_listed_when_the_round_has_ended(shown):
    page = betting(shown)
    place(page, "total-10", "5")
    shown.take("bets_closed", 1, "dealer")
    shown.take("uncovered", 1)
    shown.take("result", 1, (6, 1, 3), 4)
    shown.says("RESULT", 1, (6, 1, 3))
    page.wait_for_function("() => document.getElementById('wagers-own').textContent.includes('wins')")
    assert shown.text("#wagers-own") == "Total 10 5.00: wins, 35.00 back"  # 6 to 1 and the stake


def test_a_stake_that_is_no_amount_is_not_sent(shown):
    page = betting(shown)
    for typed in ("1e3", "-5", "0", "2.505", "five"):
        place(page, "small", typed)
        assert shown.text("#wagers-said") == "A stake is a number like 5 or 2.50.", typed
    assert stored(shown) == []


def test_a_refusal_is_shown_with_its_reason(shown):
    page = betting(shown)
    shown.view.seconds += 60  # the lease on betting ended, and the page does not know yet
    page.fill("#wager-stake", "5")
    page.evaluate("document.querySelector('.wager').requestSubmit()")
    page.wait_for_function("() => document.getElementById('wagers-said').textContent !== ''")
    assert shown.text("#wagers-said").startswith("Refused: ")
    assert "round 1" in shown.text("#wagers-said").lower()
    assert stored(shown) == []


def test_a_wager_whose_answer_was_lost_is_sent_again_as_the_same_one(shown):
    page = betting(shown)
    page.evaluate(LOSE_ONE_ANSWER)
    place(page, "small", "5")
    assert shown.text("#wagers-said").startswith("The server does not answer.")
    assert stored(shown) == [("small", "", 500, "open")]
    page.click("#wager-place")
    page.wait_for_function("() => document.getElementById('wagers-said').textContent.startsWith('Placed')")
    assert stored(shown) == [("small", "", 500, "open")]


def answer_once(page, status, after_it_was_taken=False):
    """The next wager is answered so, by a proxy that did or did not pass it on."""

    def answer(route):
        if after_it_was_taken:
            route.fetch()
        route.fulfill(status=status, json={"detail": "Not now."})

    page.route("**/api/wagers", answer, times=1)  # the list of one's own has a query behind it


def place_and_be_refused(page, area, stake):
    place(page, area, stake)
    page.wait_for_function("() => document.getElementById('wagers-said').textContent === 'Refused: Not now.'")


def test_a_wager_that_was_taken_before_a_503_is_not_taken_again_whatever_comes_between(shown):
    page = betting(shown)
    answer_once(page, 503, after_it_was_taken=True)
    place_and_be_refused(page, "small", "5")
    for status in (503, 429):
        answer_once(page, status)
        place_and_be_refused(page, "small", "5")
    answer_once(page, 503)
    place_and_be_refused(page, "big", "5")
    for area in ("Small", "Big"):
        place(page, area.lower(), "5")
        page.wait_for_function(
            "text => document.getElementById('wagers-said').textContent === text", arg=f"Placed: 5.00 on {area}."
        )
    assert stored(shown) == [("small", "", 500, "open"), ("big", "", 500, "open")]


def test_a_wager_that_was_answered_may_be_placed_once_more(shown):
    page = betting(shown)
    for number in (1, 2):
        place(page, "small", "5")
        page.wait_for_function(f"() => document.querySelectorAll('#wagers-own li span').length === {number}")
    assert stored(shown) == [("small", "", 500, "open")] * 2


def test_a_wrong_token_is_refused_and_forgotten_and_a_good_one_is_in_no_url(shown):
    page = shown.open()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.fill("#token", "no-such-token")
    page.click(".token button")
    page.wait_for_selector("#wagers-said:has-text('Refused: A token is needed')")
    assert page.evaluate("sessionStorage.length") == 0
    shown.enter_token("desk")
    assert asked and not any(shown.view.token["desk"] in url for url in [*asked, page.url])
    assert shown.view.token["desk"] not in page.evaluate("JSON.stringify(localStorage)")


def test_wagers_wait_while_bets_are_closed(shown):
    page = betting(shown)
    assert page.is_enabled("#wager-place")
    shown.take("bets_closed", 1, "dealer")
    shown.says("CLOSED", 1)
    shown.wait_for_round(1, "no_more_bets")
    assert page.is_disabled("#wager-place")
    assert "Bets are not open now." in shown.text("#stake-help")


def clearing(shown):
    """The page at a fault, with the order to clear it chosen."""
    page = shown.open()
    page.wait_for_function("() => document.body.dataset.state === 'fault'")
    shown.enter_token("pit")
    page.select_option("#order-verb", "clear")
    return page


def give(page):
    """The order is given, and was answered."""
    page.click("#order-give")
    page.wait_for_function("() => document.getElementById('orders-said').textContent !== ''")


def test_a_supervisor_gives_an_order_that_names_the_record_in_force(shown):
    shown.result(1, (6, 1, 3))
    record = shown.store.round(DEV, 1).in_force
    page = shown.open()
    shown.wait_for_round(1)
    assert page.is_hidden("#orders")
    shown.enter_token("pit")
    page.select_option("#order-verb", "correct")
    for of, face in enumerate((6, 1, 4), 1):
        page.select_option(f"#order-die-{of}", str(face))
    page.select_option("#order-reason", "wrong_entry")
    assert shown.text("#order-names") == f"Round 1, record {record}."
    give(page)
    order = shown.store.command(1)
    assert (order.verb, order.round, f"{order.ref_boot}:{order.ref_seq}") == ("correct", 1, str(record))
    assert (tuple(order.dice), order.reason, order.by) == ((6, 1, 4), "wrong_entry", "host:pit")
    assert page.locator("#wager-place").count() == 0


def test_an_order_to_clear_names_the_fault(shown):
    shown.take("spin", 1, 3)
    shown.take("fault", 1, "SPINNING", "stall")
    shown.says("FAULT", 1)
    page = clearing(shown)
    give(page)
    order = shown.store.command(1)
    assert (order.verb, order.ref_boot, order.ref_seq, order.reason) == ("clear", 1, 2, None)


def test_a_fault_before_the_first_round_can_be_cleared(shown):
    shown.take("fault", 0, "IDLE", "estop")
    shown.says("FAULT", 0)
    page = clearing(shown)
    assert shown.text("#order-names") == "Round 0, record 1:1."
    give(page)
    assert shown.text("#orders-said") == "waits for `tumbler run`"
    order = shown.store.command(1)
    assert (order.verb, order.round, order.ref_boot, order.ref_seq) == ("clear", 0, 1, 1)


def test_the_name_of_a_token_goes_when_it_is_forgotten(shown):
    page = betting(shown)
    page.click(".token button")
    page.wait_for_selector("#token")
    assert page.locator("#wager-place").count() == 0
    assert page.evaluate("sessionStorage.length") == 0


def test_a_withdrawal_that_came_behind_the_close_is_shown_as_a_wager_that_stands(shown):
    page = betting(shown)
    place(page, "total-10", "5")
    shown.view.seconds = 2.3
    page.get_by_role("button", name="Withdraw 5.00 on Total 10").click()
    page.wait_for_function("() => document.getElementById('wagers-said').textContent.startsWith('Withdrawn')")
    shown.take("bets_closed", 1, "dealer", occurred_s=2.2)
    page.wait_for_function("() => !document.getElementById('wagers-own').textContent.includes('goes back')")
    assert shown.text("#wagers-own") == "Total 10 5.00: withdrawn too late, it stands"
