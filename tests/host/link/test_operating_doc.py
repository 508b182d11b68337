"""docs/OPERATING.md against the code: no alarm can be raised without a way to go on on the page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "OPERATING.md").read_text(encoding="utf-8")
CODE = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "host_tools").rglob("*.py")))


def test_every_alarm_has_a_row_and_every_row_an_alarm():
    raised = set(re.findall(r'\bAlarm\(\s*"(\w+)"', CODE)) | set(re.findall(r'raise_alarm\(\w+, \w+, "(\w+)"', CODE))
    assert len(raised) == 13
    section = PAGE.split("## Alarms of the host")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == raised


@pytest.mark.parametrize("link", re.findall(r"\]\(([A-Z]+\.md)\)", PAGE))
def test_its_links_lead_somewhere(link):
    assert (ROOT / "docs" / link).is_file()
