"""The pictures of docs/VIEW.md: always the same table."""

import random

BIG = {"viewport": {"width": 1920, "height": 1080}, "color_scheme": "dark", "device_scale_factor": 0.5}
SHOTS = (
    ("view-big-screen", "html", BIG),
    ("view-phone", "html", {"viewport": {"width": 360, "height": 740}}),
    ("view-chinese", "#board", {"locale": "zh-TW"}),
)


def test_pictures_for_docs_are_small_enough_to_be_kept(shown, shoot):
    drawn = random.Random(7)
    for number in range(1, 40):
        shown.result(number, tuple(drawn.choices(range(1, 7), k=3)))
    shown.board.void(39)
    shown.result(40, (6, 1, 6))
    for name, part, screen in SHOTS:
        page = shown.open(**screen)
        shown.wait_for_round(40)
        shoot(page if part == "html" else page.locator(part), name)
