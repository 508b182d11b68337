"""What the page says of a round, from the spin to its end and beyond, in words and for a screen reader."""

import re
from dataclasses import replace

from host_tools.store import Settler
from host_tools.store.rows import Owner
from tests.host.store.chain import DEV, HOIANA, at


def test_a_round_in_words_and_nothing_of_the_dice_before_the_cover_opens(shown):
    shown.says("IDLE", 0)
    page = shown.open()
    told = []
    for kind, *values in (("spin", 1, 3), ("bets_open", 1, 3), ("bets_closed", 1, "dealer")):
        shown.take(kind, *values)
        shown.says({"spin": "SPINNING", "bets_open": "BETTING", "bets_closed": "CLOSED"}[kind], 1, (6, 1, 6))
        page.wait_for_function(
            "text => document.getElementById('state').textContent !== text",
            arg=told[-1] if told else "Waiting for the first round",
        )
        told.append(shown.text("#state"))
        assert (shown.text("#call"), shown.lit(), page.locator("#numbers .die").count()) == ("", [], 0)
    assert told == ["Dice are spinning", "Place your bets", "No more bets"]
    shown.take("uncovered", 1)
    shown.says("UNCOVERED", 1, (6, 1))
    page.wait_for_selector("#numbers .die")
    assert (shown.text("#state"), pressed(page), shown.lit()) == ("Cover open", ["die 6", "die 1"], [])
    shown.says("UNCOVERED", 1, (6, 1, 6))
    shown.take("result", 1, (6, 1, 6), 4)
    shown.says("RESULT", 1, (6, 1, 6))
    shown.wait_for_round(1)
    assert pressed(page) == ["die 6", "die 1", "die 6"]
    assert shown.text(".told[role=status]").split() == ["Result", "1,", "double", "6,", "total", "13"]


def pressed(page):
    return [image.get_attribute("aria-label") for image in page.locator("#numbers [role=img]").all()]


def test_an_area_is_a_button_that_says_its_odds_and_that_it_wins(shown):
    shown.result(1, (6, 1, 6))
    page = shown.open()
    shown.wait_for_round(1)
    for name in (
        "Small, 1 to 1", "Big, 1 to 1, wins 1 to 1", "Double 6, 8 to 1, wins 8 to 1", "Total 4, 50 to 1",
        "Pair 1 and 6, 5 to 1, wins 5 to 1", "Any triple, 24 to 1", "Triple 2, 150 to 1",
        "Number 6, 1 die 1 to 1, 2 dice 2 to 1, 3 dice 3 to 1, wins 2 to 1",
    ):  # fmt: skip
        assert page.get_by_role("button", name=re.compile(f"^{name}$")).count() == 1, name
    assert page.locator(".area").count() == 3 + 6 + 6 + 14 + 15 + 6
    assert page.locator("[data-area=odd]").count() == 0
    assert not page.locator("[data-area=small] .tick").is_visible()
    assert page.locator("[data-area=big] .tick").is_visible()


def test_arrow_keys_move_over_the_layout_and_it_is_one_stop_for_tab(shown):
    page = shown.open()
    assert page.locator(".area[tabindex='0']").count() == 1
    page.focus(".area[tabindex='0']")
    reached = [page.evaluate("document.activeElement.dataset.area")]
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
        reached.append(page.evaluate("document.activeElement.dataset.area"))
    assert reached == ["small", "double-1", "total-6", "total-7", "combination-1-5", "face-2", "face-1"]
    page.keyboard.press("Enter")
    assert page.get_attribute("[data-area=face-1]", "aria-pressed") == "true"


def test_a_correction_is_lit_anew_and_marked(shown):
    shown.result(1, (6, 1, 3))
    page = shown.open()
    shown.wait_for_round(1)
    assert "combination-1-3" in shown.lit()
    shown.board.correct(1, (6, 1, 4))
    page.wait_for_selector("[data-area='combination-1-4'].won")
    assert "combination-1-3" not in shown.lit()
    assert (shown.text("#why"), shown.text("#call")) == ("Corrected result.", "1, 4, 6, total 11")
    assert shown.text("#road").split() == ["round", "1:", "big", "11.", "Corrected", "result.", "B", "11*"]


def test_a_void_round_goes_dark_and_says_why(shown):
    shown.result(1, (6, 1, 3))
    shown.open()
    shown.wait_for_round(1)
    shown.board.void(1, "not_flat")
    shown.wait_for_round(1, "void")
    assert (shown.lit(), shown.text("#state")) == ([], "Round void")
    assert shown.text("#why") == "Void: a die did not lie flat. Stakes go back."


def test_a_board_that_is_silent_while_a_run_is_on_does_not_answer_and_else_no_run_is_on(shown):
    shown.result(1, (6, 1, 3))
    shown.store.claim(Owner(DEV, "0" * 16, "host1", 1, at(0), at(0), at(90)), None)
    page = shown.open()
    shown.wait_for_round(1)
    shown.view.seconds += 10
    page.wait_for_function("() => document.body.dataset.state === 'away'")
    assert shown.text("#state") == "The terminal does not answer"
    shown.store.release(DEV)
    page.wait_for_function("() => document.getElementById('state').textContent === 'No run is on at this table'")
    assert shown.text("#call") == "1, 3, 6, total 10"


def test_a_fault_and_an_alarm_are_said(shown):
    shown.take("spin", 1, 3)
    shown.take("fault", 1, "SPINNING", "stall")
    shown.store.alarm(DEV, "totals", "They differ.", at(2))
    page = shown.open()
    shown.says("FAULT", 1)
    page.wait_for_function("() => document.body.dataset.state === 'fault'")
    assert shown.text("#why") == "An alarm is open: no wager is taken. Fault stall. The supervisor is needed."
    assert shown.text(".alarm").startswith("Alarm 1 (totals) They differ. 2026-03-01 12:00:02 UTC")


def test_another_paytable_than_the_views_is_said_and_lights_nothing(shown):
    shown.settler = Settler(replace(HOIANA, head=HOIANA.head._replace(name="other"), hash="0" * 64))
    shown.result(1, (6, 1, 3))
    shown.open()
    shown.wait_for_round(1)
    assert shown.lit() == []
    assert "another paytable" in shown.text("#why")


def test_not_for_play_stays_in_view_while_the_page_is_scrolled(shown):
    page = shown.open(viewport={"width": 360, "height": 740})
    shown.says("IDLE", 0)
    page.wait_for_selector("#health dl")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    box = page.locator("#not-for-play").bounding_box()
    assert shown.text("#not-for-play").startswith("NOT FOR PLAY")
    assert 0 <= box["y"] < 100


def test_figures_tell_how_many_rounds_are_missing_and_then_the_test(shown):
    for number in range(1, 10):
        shown.result(number, (1, 2, 3))
    page = shown.open()
    shown.wait_for_round(9)
    verdict = "#figures .comparison:first-child .verdict"
    assert shown.text(verdict) == "Not enough rounds yet to say anything: 9 of 10."
    shown.result(10, (1, 2, 3))
    page.wait_for_function("selector => document.querySelector(selector).textContent.startsWith('Chi')", arg=verdict)
    # 30 dice in six faces of which three never came: 6 cells of 25 / 5
    assert shown.text(verdict) == "Chi-square 30.00, 5 degrees of freedom, p < 0.001."


def test_chinese_is_spoken_when_it_is_chosen_and_remembered(shown):
    shown.result(1, (6, 1, 6))
    page = shown.open()
    shown.wait_for_round(1)
    page.select_option("#language", "zh-Hant")
    page.reload()
    shown.wait_for_round(1)
    assert page.get_attribute("html", "lang") == "zh-Hant"
    assert (page.title(), shown.text("#state"), shown.text("#call")) == ("骰寶", "開彩結果", "一六六，十三點，大")
    assert page.get_by_role("button", name="大, 1 賠 1, 中獎 1 賠 1").count() == 1
    assert page.get_by_role("button", name="圍骰 三, 1 賠 150").count() == 1


def test_both_languages_have_the_same_words(shown):
    page = shown.open()
    keys = page.evaluate(
        """async () => {
          const keys = (of, at = "") => Object.entries(of).flatMap(([key, value]) =>
            typeof value === "object" ? keys(value, `${at}${key}.`) : [`${at}${key}:${typeof value}`]);
          const of = async (file) => keys((await import(`/words/${file}.js`)).default).sort();
          return [await of("en"), await of("zh-Hant")];
        }"""
    )
    assert keys[0] == keys[1]
    assert len(keys[0]) > 100


def test_the_colours_that_a_viewer_chooses_win_over_the_devices(shown):
    page = shown.open(color_scheme="light")
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    page.select_option("#colours", "dark")
    dark = page.evaluate(background)
    assert light != dark
    page.reload()
    assert page.evaluate(background) == dark


def test_a_winning_area_glows_only_where_motion_is_wanted(shown):
    shown.result(1, (6, 1, 6))
    for wanted, glow in (("reduce", "none"), ("no-preference", "glow")):
        page = shown.open(reduced_motion=wanted)
        shown.wait_for_round(1)
        ring = page.locator("[data-area=big] .ring")
        assert ring.evaluate("each => getComputedStyle(each).animationName") == glow
