"""Hypothesis strategies: schemas of both dialects, and values that they are about."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from bridge.contract.strict_json import loads

__all__ = ["SCHEMAS", "VALUES"]

_NAMES = ["a", "b", "c", "10", "2", "a/b", "c~d", "é😀", "__proto__", "constructor", "01"]
_TOKENS = [
    *("0", "1", "2", "-1", "1.0", "1e0", "1.5", "0.1", "0.10", "0.3", "-0", "3", "10", "1e2"),
    *("9007199254740993", "9007199254740992", "1e400", "1e-400", "1e23", "0.07", "1e308"),
]
_TEXTS = ["", "a", "ab", "aab", "a b", "😀", "é", "b1", "10", "a\nb", "ß", "x" * 5, "_", "Aa"]
_PATTERNS = [
    *(
        "a",
        "^a",
        "b$",
        "^a+$",
        "^[a-z]{1,2}$",
        "^.$",
        "\\d",
        "\\bb",
        "a\\B",
        "(a|b)+1",
        "^\\p{L}+$",
    ),
    *("^[^a]*$", "\\s", "^\\S+$", "[\\w-]", "^(?:a{2}|b?)*$", "\\u{1F600}", "\\x61|\\n", "", "^$"),
    *("^\\W", "\\p{Lu}", "[\\P{Ll}]", "^[\\D\\s]+$", "(?<n>a)b"),
]
_names = st.sampled_from(_NAMES)
_numbers = st.sampled_from(_TOKENS).map(lambda token: loads(token.encode()))
_counts = st.sampled_from(["0", "1", "2", "3", "1.0", "1e400"]).map(
    lambda each: loads(each.encode())
)
_texts = st.sampled_from(_TEXTS)
_patterns = st.sampled_from(_PATTERNS)
_types = st.sampled_from(["null", "boolean", "object", "array", "number", "string", "integer"])

VALUES = st.recursive(
    st.none() | st.booleans() | _numbers | _texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_names | _texts, inner, max_size=4),
    max_leaves=8,
)


def _named(inner: st.SearchStrategy[Any], keys: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.dictionaries(keys, inner, max_size=3)


def _keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    several = st.lists(inner, min_size=1, max_size=3)
    names = st.lists(_names, max_size=2)
    every: dict[str, st.SearchStrategy[Any]] = {
        "type": _types | st.lists(_types, min_size=1, max_size=3),
        "enum": st.lists(VALUES, max_size=3),
        "const": VALUES,
        "maximum": _numbers,
        "minimum": _numbers,
        "exclusiveMaximum": _numbers,
        "exclusiveMinimum": _numbers,
        "multipleOf": st.sampled_from(["1", "2", "0.1", "0.01", "3", "1e-400", "1e400"]).map(
            lambda each: loads(each.encode())
        ),
        "minLength": _counts,
        "maxLength": _counts,
        "pattern": _patterns,
        "minItems": _counts,
        "maxItems": _counts,
        "uniqueItems": st.booleans(),
        "items": inner | several,
        "additionalItems": inner,
        "prefixItems": several,
        "contains": inner,
        "minContains": _counts,
        "maxContains": _counts,
        "unevaluatedItems": inner,
        "minProperties": _counts,
        "maxProperties": _counts,
        "required": names,
        "properties": _named(inner, _names),
        "patternProperties": _named(inner, _patterns),
        "additionalProperties": inner,
        "propertyNames": inner,
        "unevaluatedProperties": inner,
        "dependentRequired": _named(names, _names),
        "dependentSchemas": _named(inner, _names),
        "dependencies": _named(inner | names, _names),
        "allOf": several,
        "anyOf": several,
        "oneOf": several,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "$ref": st.sampled_from(
            ["#", "#/$defs/d", "#/$defs/e", "#anchor", "other.json", "#/properties/a", "#/nowhere"]
        ),
        "$dynamicRef": st.sampled_from(["#dynamic", "#/$defs/d"]),
        "$anchor": st.just("anchor"),
        "$dynamicAnchor": st.just("dynamic"),
        "$id": st.sampled_from(["http://x.example/other.json", "other.json", "#anchor"]),
    }

    @st.composite
    def some(draw: st.DrawFn) -> dict[str, Any]:
        chosen = draw(st.lists(st.sampled_from(sorted(every)), max_size=4, unique=True))
        return {keyword: draw(every[keyword]) for keyword in chosen}

    return some()


_INNER = st.recursive(st.booleans() | _keywords(st.booleans()), _keywords, max_leaves=4)


@st.composite
def _schemas(draw: st.DrawFn) -> dict[str, Any]:
    schema = dict(draw(_keywords(_INNER)))
    if draw(st.booleans()):
        schema["$defs"] = {"d": draw(_INNER), "e": draw(_INNER)}
    if draw(st.integers(0, 3)) == 0:
        schema["$schema"] = "http://json-schema.org/draft-07/schema#"
    return schema


SCHEMAS = _schemas()
