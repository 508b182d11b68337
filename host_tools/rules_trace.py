"""Writes docs/RULES-TRACE.md: each clause of the rules, the code that keeps it and the tests that show it.

The clauses stand in clauses.toml. A test names what it shows by the marker `clause("tai-sai 6.3", ...)`; the markers
are read from the sources, so that no test has to be run for the page.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "RULES-TRACE.md"
CLAUSES = Path(__file__).resolve().parent / "clauses.toml"


class Clause(NamedTuple):
    """One clause: `id` with its game in front, `code` as FILE:NAME, `open` why nothing shows it yet, else empty."""

    id: str
    says: str
    code: tuple[str, ...]
    open: str


class Rules(NamedTuple):
    """The clauses of one game."""

    title: str
    source: str
    clauses: tuple[Clause, ...]


def all_rules() -> list[Rules]:
    """Every game with its clauses, in the order of clauses.toml."""
    games = tomllib.loads(CLAUSES.read_text(encoding="utf-8"))["game"]
    return [
        Rules(game["title"], game["source"], tuple(_clause(game["name"], entry) for entry in game["clauses"]))
        for game in games
    ]


def _clause(game: str, entry: Mapping[str, Any]) -> Clause:
    return Clause(f"{game} {entry['id']}", entry["says"], tuple(entry.get("code", ())), entry.get("open", ""))


def marked_tests(root: Path = ROOT) -> dict[str, list[str]]:
    """The tests below `root`/tests that carry each clause's marker, as FILE::NAME in the order of their files."""
    marked: dict[str, list[str]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for clause in _markers(node):
                    marked.setdefault(clause, []).append(f"{path.relative_to(root).as_posix()}::{node.name}")
    return marked


def _markers(test: ast.FunctionDef) -> Iterator[str]:
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.clause":
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def problems(rules: list[Rules], marked: Mapping[str, list[str]], root: Path = ROOT) -> list[str]:
    """What is wrong between clauses, code and tests, a sentence each; empty when all is well."""
    clauses = [clause for game in rules for clause in game.clauses]
    known = {clause.id for clause in clauses}
    found = [
        f"{tests[0]} names clause {id}, which clauses.toml does not have"
        for id, tests in marked.items()
        if id not in known
    ]
    for clause in clauses:
        if clause.open and (clause.id in marked or clause.code):
            found.append(f"clause {clause.id} is called open but has code or a test")
        if not clause.open and clause.id not in marked:
            found.append(f"clause {clause.id} has no test")
        if not clause.open and not clause.code:
            found.append(f"clause {clause.id} has no code")
        found += [
            f"clause {clause.id} names code that is not there: {place}"
            for place in clause.code
            if not _defined(place, root)
        ]
    return found


def _defined(place: str, root: Path) -> bool:
    """Whether the file of FILE:NAME defines that name at its top level."""
    file, _, name = place.partition(":")
    if not (root / file).is_file():
        return False
    for node in ast.parse((root / file).read_text(encoding="utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if name in (getattr(node, "name", None), *(getattr(target, "id", None) for target in targets)):
            return True
    return False


def page() -> str:
    """The text of docs/RULES-TRACE.md."""
    marked = marked_tests()
    lines = [
        "# From the rules to code and tests",
        "",
        "`python -m host_tools.rules_trace` makes this page from `host_tools/clauses.toml` and the `clause` markers in",
        "the tests; a test compares them, and fails when a clause loses its test. The clauses are in words of our own;",
        "the source decides.",
    ]
    for game in all_rules():
        lines += ["", f"## {game.title}", "", f"Source: {game.source}.", ""]
        lines += ["| clause | says | code | tests |", "| --- | --- | --- | --- |"]
        lines += [_row(clause, marked.get(clause.id, [])) for clause in game.clauses]
    return "\n".join([*lines, ""])


def _row(clause: Clause, tests: list[str]) -> str:
    code = "<br>".join(f"[{place.rpartition('/')[2]}](../{place.partition(':')[0]})" for place in clause.code)
    shown = "<br>".join(f"[{name}](../{file})" for file, _, name in (test.partition("::") for test in tests))
    number = clause.id.partition(" ")[2]
    return f"| {number} | {clause.says} | {code} | {shown or f'open: {clause.open}'} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
