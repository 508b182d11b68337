"""What stands on the screen: what a result lights, what must be in view, what must not, and that all of it fits."""

import asyncio

import pytest
from rich.console import Console, Group

from host_tools.settler import paytable as paytables
from host_tools.store.rows import Owner
from host_tools.view import layout
from host_tools.watch import panels
from host_tools.watch.words import LANGUAGES
from tests.host.store.chain import HOIANA, at

SIM_NOTE = {"en": "NOT FOR PLAY", "zh-Hant": "模擬賭檯，不可用於博彩 NOT FOR PLAY"}
CALLS = {"en": "1, double 6, total 13", "zh-Hant": "一六六，十三點，大"}
REAL_DEV = "e6614c31d3b8a52f-9c1e"


def played(store, board, terminal, rounds=31):
    """So many rounds and the last one's result; every side, mark and a void among them."""
    for number in range(1, rounds):
        board.result(number, [(1, 2, 3), (6, 6, 6), (6, 5, 4)][number % 3], batch=[])
    board.void(rounds - 1)
    board.result(rounds, (6, 1, 6), batch=[])
    terminal.seconds = board.seq
    terminal.says(store, "RESULT", rounds)


@pytest.mark.clause("tai-sai 3.3")
def test_a_result_lights_its_areas_by_colour_and_mark(store, board, terminal):
    played(store, board, terminal, 2)

    async def look():
        async with terminal.showing(size=(80, 60)):
            return terminal.lit(), terminal.text()

    lit, text = asyncio.run(look())
    marked = [">Big (11 to 17): 1 to 1<", ">6-6<", ">13: 8 to 1 <", ">1-6<", ">1<", ">6<"]
    assert lit[: len(marked)] == marked
    assert lit[len(marked) :] == [
        "Big: 1 to 1", "Double 6: 8 to 1", "Total 13: 8 to 1", "Pair 1 and 6: 5 to 1", "Number 1: 1 to 1",
        "Number 6: 2 to 1",
    ]  # fmt: skip
    assert "Last three numbers pressed [6] [1] [6]" in text
    assert "Result  1, double 6, total 13" in text
    assert text.split("Last 30 results")[1].split("\n")[0].split() == ["--", "B13"]


def test_a_round_in_words_and_nothing_of_the_dice_before_the_cover_opens(store, board, terminal):
    states = LANGUAGES["en"].states
    told = []

    async def play():
        async with terminal.showing(size=(80, 60)):
            for kind, values, says, word in (
                ("spin", (1, 3), "SPINNING", "spinning"),
                ("bets_open", (1, 3), "BETTING", "place_bets"),
                ("bets_closed", (1, "dealer"), "CLOSED", "no_more_bets"),
            ):
                board.take(kind, *values)
                terminal.says(store, says, 1, (6, 1, 3))  # as an older line, or a lie, would have it
                await terminal.until(lambda word=word: states[word] in terminal.text())
                told.append("Last three numbers pressed none" in terminal.text() and "[" not in terminal.text())
            board.take("uncovered", 1)
            terminal.says(store, "UNCOVERED", 1, (6, 1))
            await terminal.until(lambda: "Cover open" in terminal.text())
            await terminal.until(lambda: "pressed [6] [1]" in terminal.text())
            assert not terminal.lit()
            board.take("result", 1, (6, 1, 3), 4)
            await terminal.until(lambda: len(terminal.lit()) == 16)

    asyncio.run(play())
    assert told == [True, True, True]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_simulated_board_is_not_for_play_and_a_real_one_bears_no_such_words(store, terminal, language):
    store.enrol(REAL_DEV, "T2", at(0))

    async def top(**where):
        async with terminal.showing(language=language, **where):
            return terminal.lines()[0], terminal.text()

    assert SIM_NOTE[language] in asyncio.run(top())[0]
    assert "NOT FOR PLAY" not in asyncio.run(top(dev=REAL_DEV))[1]


def squeezed(text):
    return "".join(text.split())


@pytest.mark.parametrize(("language", "paytable"), [("en", "korea_daegu"), ("zh-Hant", "hoiana")])
def test_nothing_is_clipped_at_80_columns(store, board, terminal, language, paytable):
    """Whatever is shown on an endless line is shown on 80 columns, and in the same order."""
    played(store, board, terminal)
    store.alarm(board.dev, "totals", "The totals of the board and of the store differ. " * 3, at(1))
    table, words = paytables.load(paytable), LANGUAGES[language]

    async def look():
        async with terminal.showing(size=(80, 150), language=language, paytable=table):
            return terminal.app._hub.state, terminal.text()

    state, text = asyncio.run(look())
    endless = Console(width=10_000, color_system=None)
    with endless.capture() as captured:
        endless.print(
            Group(
                panels.head(state, False, words),
                panels.layout(state, layout.areas(table), layout.about(table), words),
                panels.road(state.last_rounds, words),
                panels.health(state, words),
                panels.figures(state.figures, words),
            )
        )
    assert squeezed(captured.get()) in squeezed(text)
    assert all(part in squeezed(text) for part in map(squeezed, (words.alarm_open, words.health, words.figures_note)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_80_by_24_shows_state_layout_and_keys_at_once_and_the_rest_by_scrolling(
    store, board, terminal, language, tmp_path
):
    played(store, board, terminal)
    words = LANGUAGES[language]

    async def look():
        async with terminal.showing(language=language, rig=tmp_path / "none.sock"):
            await terminal.until(lambda: words.key_failed in terminal.text())
            first = terminal.text()
            await terminal.pilot.press("end")
            await terminal.until(lambda: squeezed(words.figures_note) in squeezed(terminal.text()))
            return first, terminal.text()

    first, last = asyncio.run(look())
    areas = [area for area in layout.areas(HOIANA) if area.kind in ("total", "combination", "double")]
    parts = [SIM_NOTE[language], words.states["result"], CALLS[language], "[6] [1] [6]", words.winning]
    parts += [area.selection for area in areas]
    keys = [words.sim_keys[key] for key in ("cover_open", "spin", "no_more_bets", "entry", "supervisor_on")]
    keys += [" 1   2   3   4   5   6 ", words.shortcuts, words.help]
    assert [part for part in parts + keys if part not in first] == []
    assert [part for part in [SIM_NOTE[language], words.states["result"], *keys] if part not in last] == []


def test_the_store_of_a_run_that_has_ended_says_that_no_run_is_on(store, board, terminal):
    played(store, board, terminal, 2)
    terminal.seconds += 10

    async def look():
        async with terminal.showing(size=(80, 60)) as shown:
            await shown.until(lambda: shown.says_state("No run is on at this table"))
            assert "The terminal does not answer" not in shown.text()
            assert shown.says_state("No run is on at this table  1, double 6, total 13")

    asyncio.run(look())


def test_a_store_that_is_away_is_said_until_it_is_back(store, board, terminal):
    lost = LANGUAGES["en"].lost
    terminal.says(store, "IDLE", 0)
    store.claim(Owner(board.dev, "0" * 16, "host1", 1, at(0), at(0), at(9)), None)

    async def look():
        async with terminal.showing():
            assert lost not in terminal.text()
            terminal.away = True
            await terminal.until(lambda: lost in terminal.text())
            assert "The terminal does not answer" in terminal.text()
            terminal.away = False
            await terminal.until(lambda: lost not in terminal.text())
            assert "Waiting for the first round" in terminal.text()

    asyncio.run(look())
