"""docs/RULES-TRACE.md: every clause has code and a test, or says in plain words why not."""

import pytest

from host_tools import rules_trace
from host_tools.rules_trace import Clause, Rules


def test_the_page_is_what_clauses_and_markers_say():
    said = rules_trace.PAGE.read_text(encoding="utf-8")
    assert said == rules_trace.page(), "run `python -m host_tools.rules_trace`"


def test_no_clause_is_without_its_code_and_its_test():
    assert rules_trace.problems(rules_trace.all_rules(), rules_trace.marked_tests()) == []


CODE = "host_tools/rules_trace.py:"


@pytest.mark.parametrize(
    ("clause", "marked", "problem"),
    [
        (Clause("g 1", "it", (f"{CODE}page",), ""), {}, "clause g 1 has no test"),
        (Clause("g 1", "it", (), ""), {"g 1": ["t"]}, "clause g 1 has no code"),
        (
            Clause("g 1", "it", (f"{CODE}pag",), ""),
            {"g 1": ["t"]},
            f"clause g 1 names code that is not there: {CODE}pag",
        ),
        (
            Clause("g 1", "it", ("none.py:page",), ""),
            {"g 1": ["t"]},
            "clause g 1 names code that is not there: none.py:page",
        ),
        (Clause("g 1", "it", (), "later"), {"g 1": ["t"]}, "clause g 1 is called open but has code or a test"),
        (Clause("g 1", "it", (), "later"), {"g 2": ["t"]}, "t names clause g 2, which clauses.toml does not have"),
    ],
)
def test_what_does_not_fit_is_named(clause, marked, problem):
    assert rules_trace.problems([Rules("Game", "source", (clause,))], marked) == [problem]


@pytest.mark.parametrize("name", ["page", "ROOT", "Clause"])
def test_what_fits_is_no_problem(name):
    clause = Clause("g 1", "it", (f"{CODE}{name}",), "")
    assert rules_trace.problems([Rules("Game", "source", (clause,))], {"g 1": ["t"]}) == []


def test_markers_are_read_from_the_sources(tmp_path):
    (tmp_path / "tests" / "deep").mkdir(parents=True)
    mark = "@pytest.mark.clause"
    text = f'import pytest\n\n{mark}("g 1", "g 2")\n@pytest.mark.other("g 3")\ndef test_a(): pass\n\n'
    text += f'{mark}("g 4")\ndef helper(): pass\n\nclass TestIt:\n    {mark}("g 2")\n    def test_b(self): pass\n'
    (tmp_path / "tests" / "deep" / "test_x.py").write_text(text, encoding="utf-8")
    assert rules_trace.marked_tests(tmp_path) == {
        "g 1": ["tests/deep/test_x.py::test_a"],
        "g 2": ["tests/deep/test_x.py::test_a", "tests/deep/test_x.py::test_b"],
    }
