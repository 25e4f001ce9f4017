"""References: where they may lead, and what they may make of a schema."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.problem_report import Report
from bridge.tools.reference_rules import check_references
from tests.python.support.tool_packages import defined, found, tool, with_property

A = {"a": {"type": "string"}}
TREE = {"type": "object", "properties": {"inner": {"$ref": "#/definitions/tree"}}}

LEADING = [
    ("ref-remote", "http://notes.example/note.json"),
    ("ref-remote", "file:///etc/passwd"),
    ("ref-remote", "other.json#/definitions/a"),
    ("ref-remote", "//notes.example/a"),
    ("ref-remote", "#a"),
    ("ref-remote", ""),
    ("ref-form", "#/definitions/%61"),
    ("ref-target", "#/definitions/b"),
    ("ref-target", "#/definitions"),
    ("ref-target", "#/description"),
    ("ref-target", "#/x-parts/a"),
    ("ref-target", "#/properties/text/const"),
    ("ref-target", "#/properties/text/enum/0"),
    ("ref-target", "#/"),
    ("ref-target", "#/definitions/list/items/00"),
    ("ref-target", "#/x-bascule/outputSchema"),
]


def referring(reference: str) -> dict[str, Any]:
    return tool(
        properties={"text": {"const": {}, "enum": [{}]}, "extra": {"$ref": reference}},
        definitions={**A, "list": {"items": [{"type": "null"}]}, "no": False, "a/b~c": {}},
        **{"x-parts": A},
    )


@pytest.mark.parametrize(("rule", "reference"), LEADING)
def test_a_reference_leads_to_a_schema_of_the_file_or_is_refused(rule: str, reference: str) -> None:
    assert found(referring(reference)) == {(rule, "/properties/extra/$ref")}


@pytest.mark.parametrize(
    "reference",
    [
        *("#/definitions/a", "#/definitions/list/items/0", "#/definitions/no", "#/properties/text"),
        *("#/definitions/a~1b~0c", "#"),
    ],
)
def test_a_reference_to_a_place_where_schemas_stand_is_taken(reference: str) -> None:
    assert found(referring(reference)) == set()


def test_a_name_of_the_file_changes_nothing() -> None:
    schema = {**referring("#/definitions/a"), "$id": "https://notes.example/add.json"}
    assert found(schema) == set()
    assert defined(schema).input.errors({"extra": 7})
    remote = {**schema, "properties": {"extra": {"$ref": "https://notes.example/add.json"}}}
    assert found(remote) == {("ref-remote", "/properties/extra/$ref")}


@pytest.mark.parametrize(
    "definitions",
    [
        {"a": {"$ref": "#/definitions/a"}},
        {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}},
        {"a": {"allOf": [{"$ref": "#/definitions/a"}]}},
        {"a": {"not": {"anyOf": [{"$ref": "#/definitions/a"}]}}},
        {"a": {"if": {"$ref": "#/definitions/a"}}},
        {"a": {"dependencies": {"x": {"$ref": "#/definitions/a"}}}},
    ],
)
def test_a_ring_that_goes_into_no_member_is_refused(definitions: dict[str, Any]) -> None:
    for used in ({}, {"extra": {"$ref": "#/definitions/a"}}):
        broken = tool(properties=used, definitions=definitions)
        assert {rule for rule, _ in found(broken)} == {"ref-ring"}


def test_a_tree_that_contains_trees_is_taken() -> None:
    schema = with_property({"$ref": "#/definitions/tree"}, definitions={"tree": TREE})
    assert found(schema) == set()
    assert not defined(schema).input.errors({"extra": {"inner": {"inner": {}}}})
    assert defined(schema).input.errors({"extra": {"inner": {"inner": 7}}})


def doubling(times: int, keyword: str = "anyOf") -> dict[str, Any]:
    """A schema that refers twice to one that refers twice to one, and so on."""
    definitions: dict[str, Any] = {"d0": {"type": "string"}}
    for index in range(1, times + 1):
        twice = [{"$ref": f"#/definitions/d{index - 1}"}] * 2
        definitions[f"d{index}"] = (
            {keyword: twice}
            if keyword == "anyOf"
            else {"properties": dict(zip("ab", twice, strict=True))}
        )
    return with_property({"$ref": f"#/definitions/d{times}"}, definitions=definitions)


@pytest.mark.parametrize("keyword", ["anyOf", "properties"])
def test_a_bomb_of_references_is_refused_at_once(keyword: str) -> None:
    assert found(doubling(26, keyword)) == {("ref-bomb", "")}
    assert found(doubling(8, keyword)) == set()


def test_the_limit_of_expansion_is_exact() -> None:
    # The root, the argument and its reference, and five values of the list.
    schema = with_property({"$ref": "#/definitions/a"}, definitions={"a": {"items": [{}] * 5}})
    for most, rules in ((8, 1), (9, 0)):
        report = Report("a")
        check_references(schema, report, limits=LOADING_LIMITS._replace(max_expansion=most))
        assert len(report.problems) == rules, most


def chain(length: int) -> dict[str, Any]:
    definitions: dict[str, Any] = {
        f"d{index}": {"$ref": f"#/definitions/d{index + 1}"} for index in range(length - 2)
    }
    definitions[f"d{length - 2}"] = {"type": "string"}
    return with_property({"$ref": "#/definitions/d0"}, definitions=definitions)


def test_a_chain_is_no_longer_than_a_check_can_follow() -> None:
    longest = LOADING_LIMITS.max_ref_chain
    assert found(chain(longest + 1)) == {("ref-chain", "")}
    assert found(chain(longest)) == set()
    assert not defined(chain(longest)).input.errors({"extra": "a"})
    assert found(chain(2_000)) == {("ref-chain", "")}


def test_what_stands_beside_a_reference_is_ignored_as_draft_07_says() -> None:
    schema = with_property({"$ref": "#/definitions/a", "type": "null"}, definitions=A)
    assert not defined(schema).input.errors({"extra": "a"})


def test_a_ring_beside_a_reference_is_ignored_as_well() -> None:
    beside = {"allOf": [{"$ref": "#/properties/extra"}]}
    ignored = with_property({"$ref": "#/definitions/a", **beside}, definitions=A)
    assert found(ignored) == set()
    assert not defined(ignored).input.errors({"extra": "a"})
    assert {rule for rule, _ in found(with_property(beside))} == {"ref-ring"}
