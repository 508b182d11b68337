"""docs/ROUND.md is the table of the firmware."""

from host_tools import round_doc


def test_the_page_is_what_the_table_says():
    assert round_doc.PAGE.read_text(encoding="utf-8") == round_doc.page(), "run `python -m host_tools.round_doc`"
