"""axe-core finds nothing to complain of, with every part of the page in use, in light and dark, in both languages."""

import pytest

from tests.host.store.chain import DEV, at
from tests.host.view.browser.shown import violations


@pytest.fixture
def rig(tmp_path):
    """Nobody is there, but the keys are in view."""
    return tmp_path / "rig.sock"


@pytest.mark.parametrize(
    ("scheme", "language"), [(scheme, language) for scheme in ("light", "dark") for language in ("en-GB", "zh-TW")]
)
@pytest.mark.parametrize("paytable", ["every_kind"], indirect=True)
def test_axe_finds_no_violation(shown, scheme, language):
    shown.result(1, (6, 1, 6))
    shown.store.alarm(DEV, "totals", "They differ.", at(1))
    page = shown.open(color_scheme=scheme, locale=language)
    shown.wait_for_round(1)
    page.click("summary")
    for role in ("desk", "pit"):
        shown.enter_token(role)
        assert violations(page) == []
        page.click(".token button")
