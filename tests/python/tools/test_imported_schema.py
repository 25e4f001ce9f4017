"""A stranger's schema: what is taken, and what would make a check unbounded."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.tools.imported_schema import ImportedSchemaError, read_imported_schema


def takes(**members: Any) -> dict[str, Any]:
    return {"type": "object", **members}


def doubling(levels: int, keyword: str, defined: str = "$defs") -> dict[str, Any]:
    """Return a small schema that is large where its references are written out."""

    def leads_to(level: int) -> dict[str, Any]:
        both = [{"$ref": f"#/{defined}/d{level}"}, {"$ref": f"#/{defined}/d{level}"}]
        return {keyword: {"a": both[0], "b": both[1]} if keyword == "properties" else both}

    parts = {f"d{level}": leads_to(level + 1) for level in range(levels)}
    parts[f"d{levels}"] = {"type": "integer"}
    return takes(properties={"a": {"$ref": f"#/{defined}/d0"}}, **{defined: parts})


def chain(length: int) -> dict[str, Any]:
    parts: dict[str, Any] = {
        f"d{n}": {"properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(length)
    }
    parts[f"d{length}"] = {"type": "integer"}
    return takes(properties={"a": {"$ref": "#/$defs/d0"}}, **{"$defs": parts})


TREE = takes(
    properties={"root": {"$ref": "#/$defs/node"}},
    **{
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            }
        }
    },
)


RING = {"properties": {"enum": {"$ref": "#/x/default/properties/enum"}}}


@pytest.mark.parametrize(
    "schema",
    [
        takes(),
        takes(properties={"a": {"type": "integer"}}, additionalProperties=False),
        takes(properties={"a": {"$ref": "#/$defs/b"}}, **{"$defs": {"b": {"type": "integer"}}}),
        takes(properties={"a": {"$ref": "#/%24defs/b~1c"}}, **{"$defs": {"b/c": {}}}),
        takes(
            properties={"a": {"$ref": "#/$defs/b/anyOf/1"}}, **{"$defs": {"b": {"anyOf": [{}, {}]}}}
        ),
        takes(**{"$schema": "http://json-schema.org/draft-07/schema#"}),
        takes(properties={"$id": {"type": "string"}, "$ref": {"type": "string"}}),
        takes(**{"$id": "https://example.com/schema"}),
        takes(default={"$ref": "https://example.com/"}),
        takes(dependentSchemas={"a": {"required": ["b"]}}),
        TREE,
        doubling(4, "anyOf"),
        doubling(4, "properties"),
        chain(300),
        # Kept, and never applied.
        takes(**{"$defs": doubling(26, "anyOf")["$defs"]}),
    ],
)
def test_what_is_bounded_is_taken(schema: Any) -> None:
    whole, validator = read_imported_schema(schema)
    assert "$schema" in whole
    assert validator.errors([]) != []


def test_it_is_checked_by_what_was_read() -> None:
    _, validator = read_imported_schema(TREE)
    assert validator.errors({"root": {"children": [{"children": []}]}}) == []
    assert validator.errors({"root": {"children": [{"children": 1}]}}) != []


@pytest.mark.parametrize(
    ("why", "schema"),
    [
        ("not of an object", {"type": "array"}),
        ("not of an object", {}),
        ("not of an object", None),
        ("is not in it", takes(properties={"a": {"$ref": "https://example.com/schema"}})),
        ("is not in it", takes(properties={"a": {"$ref": "other.json"}})),
        ("is not in it", takes(properties={"a": {"$ref": "#name"}})),
        ("is not in it", takes(properties={"a": {"$ref": "#/$defs/none"}})),
        ("is not in it", takes(properties={"a": {"$ref": "#/required/7"}}, required=["a"])),
        ("is not in it", takes(properties={"a": {"$ref": 1}})),
        ("names its parts", takes(properties={"a": {"$anchor": "b"}})),
        ("names its parts", takes(properties={"a": {"$dynamicRef": "#/properties/a"}})),
        ("names its parts", takes(properties={"a": {"$id": "https://example.com/schema"}})),
        ("back to itself", takes(properties={"a": {"$ref": "#/properties/a"}})),
        ("back to itself", takes(**{"$ref": "#"})),
        ("back to itself", takes(properties={"a": {"not": {"$ref": "#/properties/a"}}})),
        (
            "back to itself",
            takes(properties={"a": {"dependentSchemas": {"b": {"$ref": "#/properties/a"}}}}),
        ),
        ("written out", doubling(26, "anyOf")),
        ("written out", doubling(26, "prefixItems")),
        ("written out", doubling(26, "properties")),
        (
            "written out",
            {**doubling(26, "anyOf"), "properties": {"definitions": {"$ref": "#/$defs/d0"}}},
        ),
        (
            "back to itself",
            takes(properties={"default": {"$ref": "#/x/default"}}, x={"default": RING}),
        ),
        ("written out", doubling(500, "allOf", "components")),
        ("depth", takes(x=[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]])),
        ("stringBytes", takes(description="x" * 140_000)),
    ],
)
def test_what_would_be_unbounded_is_refused(why: str, schema: Any) -> None:
    with pytest.raises(ImportedSchemaError, match=why):
        read_imported_schema(schema)
