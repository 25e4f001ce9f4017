"""How much of patterns is read: of one schema, and of all of one author's."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.contract import schema_pattern
from bridge.contract.schema_pattern import Pattern, PatternError
from bridge.tools.imported_tools import import_tools
from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.package_loader import load_package
from bridge.tools.pattern_budget import PatternBudget
from bridge.tools.problems import PackageError
from tests.python.support.tool_packages import block, found, tool, write_package

ONE = "a{9}"
STEPS = Pattern(ONE).size
LIMITS = LOADING_LIMITS._replace(
    max_schema_pattern_steps=2 * STEPS, max_package_pattern_steps=3 * STEPS
)


def texts(*patterns: str) -> dict[str, object]:
    return {f"p{n}": {"type": "string", "pattern": each} for n, each in enumerate(patterns)}


def large(count: int) -> list[str]:
    """Return patterns that are short, differ, and become thousands of instructions each."""
    return [f"(?:.{{0,300}}x){{6}}{n}" for n in range(count)]


def test_a_schema_has_so_much_and_no_more() -> None:
    patterns = PatternBudget(LIMITS).of_schema()
    assert [patterns.read(each) for each in ("a{9}", "b{9}", "c")] == [True, True, False]


def test_the_same_pattern_counts_once_in_a_schema_and_once_in_the_next() -> None:
    budget = PatternBudget(LIMITS)
    first, second = budget.of_schema(), budget.of_schema()
    assert all(first.read(ONE) for _ in range(9))
    assert budget.left == 2 * STEPS
    assert second.read(ONE)
    assert budget.left == STEPS


def test_all_schemas_have_so_much_together() -> None:
    budget = PatternBudget(LIMITS)
    assert [budget.of_schema().read(each) for each in ["a{9}", "b{9}", "c{9}", "d"]] == [
        *(True, True, True),
        False,
    ]
    assert PatternBudget(LIMITS).of_schema().read("d")


def test_a_pattern_that_cannot_be_read_counts_as_well() -> None:
    budget = PatternBudget()
    with pytest.raises(PatternError):
        budget.of_schema().read("(?=a)")
    assert budget.left < LOADING_LIMITS.max_package_pattern_steps


def test_a_tool_s_patterns_are_refused_from_where_they_are_too_large() -> None:
    enough = LOADING_LIMITS.max_schema_pattern_steps // Pattern(large(1)[0]).size
    assert found(tool(properties=texts(*large(enough)))) == set()
    place = f"/properties/p{enough}/pattern"
    assert found(tool(properties=texts(*large(enough + 3)))) == {("patterns-size", place)}


def test_an_output_s_patterns_are_bounded_alike() -> None:
    output = {"type": "object", "properties": texts(*large(40))}
    assert {rule for rule, _ in found(tool(block(outputSchema=output)))} == {"patterns-size"}


def test_no_more_is_read_than_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    program = schema_pattern._program

    def noted(source: str) -> object:
        read.append(source)
        return program(source)

    monkeypatch.setattr(schema_pattern, "_program", noted)
    tools = {f"t{n}.json": tool(properties=texts(*large(1_200))) for n in range(30)}
    with pytest.raises(PackageError) as raised:
        load_package(write_package(tmp_path / "p", tools))
    assert {problem.rule for problem in raised.value.problems} == {"patterns-size"}
    assert len(raised.value.problems) == 30
    # 36,000 would be read without a bound.
    assert 16 <= len(read) < 600


def test_another_server_s_tools_have_so_much_together() -> None:
    def listed(name: str, count: int) -> dict[str, object]:
        return {"name": name, "inputSchema": {"type": "object", "properties": texts(*large(count))}}

    one = import_tools([listed("few", 9), listed("many", 40)], server="s")
    assert [each.definition.name for each in one.tools] == ["few"]
    assert "together are too large" in one.warnings[0]
    flood = import_tools([listed(f"t{n}", 14) for n in range(40)], server="s")
    assert 10 < len(flood.tools) < 25


def test_an_ordinary_package_is_far_from_it(tmp_path: Path) -> None:
    uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    day = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    tools = {f"t{n}.json": tool(properties=texts(uuid, day, "^INV-[0-9]{4,9}$")) for n in range(99)}
    assert len(load_package(write_package(tmp_path / "p", tools)).tools) == 99
