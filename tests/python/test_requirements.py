"""Requirements bind both ways: each rule names its tests, and each named test exists."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REQUIREMENTS = sorted((ROOT / "tests" / "requirements").glob("*.toml"))
SOURCES = {"reference", "contract", "pitfall"}
JAVASCRIPT_TEST = re.compile(
    r"""\b(?:test|it)\(\s*(["'`])(?P<name>(?:\\.|(?!\1).)*)\1""", re.DOTALL
)

NOT_ALL_BUILT = [path for path in REQUIREMENTS if path.name == "tools.toml"]
"""Files with rules that wait for something else to be built."""
BY_HEADING = [
    path
    for path in REQUIREMENTS
    if path.name in {"core.toml", "mcp.toml", "bus.toml", "tools.toml"}
]
"""Files that hold every rule of a reference, by its headings."""

Rule = dict[str, object]


def rules(path: Path) -> list[Rule]:
    return list(tomllib.loads(path.read_text(encoding="utf-8"))["rule"])


def headings(path: Path) -> list[str]:
    """Return the parts of the reference that a file's rules are taken from."""
    return list(tomllib.loads(path.read_text(encoding="utf-8"))["headings"])


@cache
def names_of_tests(path: Path) -> frozenset[str]:
    """Return what a file defines: functions (with their class), titles of tests, or vectors."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return frozenset(case["name"] for case in json.loads(text)["cases"])
    if path.suffix == ".js":
        return frozenset(match["name"] for match in JAVASCRIPT_TEST.finditer(text))
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{name}" for name in _functions(node)}
            names.add(node.name)
        elif isinstance(node, ast.Module):
            names |= set(_functions(node))
            names |= {
                target.id
                for statement in node.body
                if isinstance(statement, ast.Assign)
                for target in statement.targets
                if isinstance(target, ast.Name) and target.id.startswith("Test")
            }
    return frozenset(names)


def _functions(node: ast.Module | ast.ClassDef) -> list[str]:
    return [
        child.name
        for child in node.body
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        and child.name.startswith("test_")
    ]


def problems(rule: Rule) -> list[str]:
    """Say everything that is wrong with one rule."""
    found: list[str] = []
    tests = rule.get("tests")
    if not isinstance(rule.get("text"), str) or not rule["text"]:
        found.append("has no text")
    if rule.get("source") not in SOURCES:
        found.append(f"has source {rule.get('source')!r}")
    if "later" in rule:
        # What is not built has no test; once one is bound, it is built.
        if not isinstance(rule["later"], str) or not rule["later"]:
            found.append("does not say what it waits for")
        return [*found, "is for later and has tests"] if tests is not None else found
    if not isinstance(tests, list) or not tests:
        return [*found, "has no test"]
    for name in tests:
        file, _, test = str(name).partition("::")
        path = ROOT / file
        if not path.is_file():
            found.append(f"names {file}, which does not exist")
        elif test not in names_of_tests(path):
            found.append(f"names {test!r}, which {file} does not define")
    return found


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_every_rule_names_tests_that_exist(path: Path) -> None:
    wrong = {str(rule.get("id")): problems(rule) for rule in rules(path)}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_ids_of_rules_are_unique(path: Path) -> None:
    ids = [rule["id"] for rule in rules(path)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", BY_HEADING, ids=lambda path: path.name)
def test_every_rule_names_a_heading_and_every_heading_has_rules(path: Path) -> None:
    named = [rule.get("heading") for rule in rules(path)]
    assert {heading for heading in named if heading not in headings(path)} == set()
    assert set(headings(path)) <= set(named)


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_only_the_tools_of_packages_have_rules_that_are_not_built_yet(path: Path) -> None:
    later = [rule["id"] for rule in rules(path) if "later" in rule]
    assert (path in NOT_ALL_BUILT) == (later != [])


def test_a_rule_without_a_test_or_with_an_unknown_one_is_found() -> None:
    here = Path(__file__).relative_to(ROOT)
    rule: Rule = {"id": "x", "text": "t", "source": "contract", "tests": []}
    assert problems(rule) == ["has no test"]
    assert problems(rule | {"tests": [f"{here}::test_ids_of_rules_are_unique"]}) == []
    assert "does not define" in problems(rule | {"tests": [f"{here}::test_nothing"]})[0]
    assert "does not exist" in problems(rule | {"tests": ["tests/none.py::test_nothing"]})[0]
    later: Rule = {"id": "x", "text": "t", "source": "reference", "later": "what is to come"}
    assert problems(later) == []
    assert problems(later | {"later": ""}) == ["does not say what it waits for"]
    assert problems(later | {"tests": []}) == ["is for later and has tests"]
    vectors = "tests/vectors/batches.json"
    assert problems(rule | {"tests": [f"{vectors}::a batch of one call"]}) == []
    assert "does not define" in problems(rule | {"tests": [f"{vectors}::a batch of none"]})[0]
