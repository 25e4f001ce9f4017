"""The tools are those of the contract, word for word, in forms that every client takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bridge.contract import schema
from bridge.dispatcher.mcp_catalog import INSTRUCTIONS, TOOLS, TOOLS_BY_NAME
from tests.python.support.vectors import ROOT

CATALOG = json.loads((ROOT / "tests/vectors/mcp_catalog.json").read_text(encoding="utf-8"))
ERROR = {"error": {"code": 1008, "message": "No", "data": {"code": "STALE_REVISION"}}}
tools = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool["name"]))


def test_tools_and_instructions_are_the_catalogs_in_its_order_of_members() -> None:
    assert json.dumps(TOOLS) == json.dumps(CATALOG["tools"])
    assert CATALOG["instructions"] == INSTRUCTIONS


def test_there_are_nine_tools_and_each_is_found_by_its_name() -> None:
    assert len(TOOLS) == len(TOOLS_BY_NAME) == 9
    assert all(TOOLS_BY_NAME[tool["name"]] is tool for tool in TOOLS)


def schemas_within(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from schemas_within(member)


@tools
def test_a_root_is_a_plain_object_and_every_array_says_of_what(tool: dict[str, Any]) -> None:
    for root in (tool["inputSchema"], tool["outputSchema"]):
        assert root["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf", "not", "if"} & root.keys()
        for part in schemas_within(root):
            assert part.get("type") != "array" or part["items"]


@tools
def test_an_output_schema_admits_the_error_and_a_result(tool: dict[str, Any]) -> None:
    validator = schema.compile(tool["outputSchema"])
    assert validator.errors(ERROR) == []
    assert validator.errors({"revision": 3}) == []
    assert validator.errors([]) != []


@tools
def test_names_and_descriptions_are_within_what_clients_keep(tool: dict[str, Any]) -> None:
    assert len(tool["name"]) <= 20
    assert tool["name"].replace("_", "").isalpha()
    assert len(tool["description"].encode()) < 2_000
    assert len(INSTRUCTIONS.encode()) < 2_000
