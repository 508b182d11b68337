"""Everything fits on a phone, a desk and a big screen, in both languages, and can be read."""

from pathlib import Path

import pytest

from tests.host.store.chain import at

HERE = Path(__file__).parent
MEASURE = (HERE / "measure.js").read_text(encoding="utf-8").split("\n", 1)[1]
CONTRAST = (HERE / "contrast.js").read_text(encoding="utf-8").split("\n", 2)[2]
SCREENS = {"phone": (360, 740), "tablet": (820, 1180), "desktop": (1280, 800), "big screen": (1920, 1080)}
LEAST_PX = {"phone": 9, "tablet": 9, "desktop": 9, "big screen": 10}
LANGUAGES = ("en", "zh-Hant")


@pytest.fixture
def rig(tmp_path):
    """Nobody is there, but the keys are in view."""
    return tmp_path / "rig.sock"


def long_table(shown, token):
    """Every part of the page has something to show, and much of it."""
    for number, dice in enumerate([(1, 2, 3), (6, 6, 6), (6, 6, 1)], 1):
        shown.result(number, dice)
    shown.board.correct(3, (6, 1, 6))
    text = "The totals of the board and of the store differ. " * 3
    shown.store.alarm(shown.board.dev, "totals", text, at(1))
    shown.open()
    shown.wait_for_round(3)
    shown.page.click("summary")
    shown.enter_token(token)


@pytest.mark.parametrize(("paytable", "token"), [("hoiana", "desk"), ("korea_daegu", "pit")], indirect=["paytable"])
def test_nothing_is_cut_off_on_any_screen_in_any_language(shown, token):
    long_table(shown, token)
    for screen, (width, height) in SCREENS.items():
        shown.page.set_viewport_size({"width": width, "height": height})
        for language in LANGUAGES:
            shown.page.select_option("#language", language)
            assert shown.page.evaluate(MEASURE, LEAST_PX[screen]) == [], (screen, language)


def test_state_layout_and_road_are_in_view_on_a_big_screen_without_scrolling(shown):
    shown.result(1, (6, 1, 6))
    page = shown.open(viewport={"width": 1920, "height": 1080})
    shown.wait_for_round(1)
    for part in ("#now", "#layout", "#road", "#not-for-play"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 1080, part


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_the_layout_have_enough_contrast_lit_and_not_lit(shown, scheme):
    shown.result(1, (6, 1, 6))
    page = shown.open(color_scheme=scheme)
    shown.wait_for_round(1)
    contrast, area, won = page.evaluate(CONTRAST)
    assert contrast >= 4.5, (area, won)
