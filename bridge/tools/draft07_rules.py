"""Whether a schema is valid draft-07, told place by place.

The standard's own meta-schema judges; the words are ours. Keywords that came later are refused
where they would check something, since draft-07 would silently pass what they forbid; others that
draft-07 does not know are warned of. Where references lead is another module's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from bridge.contract.schema_pattern import PatternError
from bridge.contract.schema_resources import SchemaError
from bridge.contract.schema_shapes import check_shapes
from bridge.tools.pattern_budget import SchemaPatterns
from bridge.tools.problem_report import Report
from bridge.tools.problems import in_ascii, told
from bridge.tools.root_rules import DRAFT_07
from bridge.tools.schema_places import NAMED_SUBSCHEMAS, Place, standing_at, subschemas

if TYPE_CHECKING:
    from jsonschema_rs import Draft7Validator

__all__ = ["EXTENSION_KEYS", "check_draft_07", "check_patterns"]

EXTENSION_KEYS: Final = ("x-bascule", "x-neuralis")
"""Our extension block, and the key that packages written for the format's first host have."""

_KNOWN: Final = frozenset(
    [
        *("$schema", "$id", "$ref", "$comment", "title", "description", "default", "examples"),
        *("readOnly", "writeOnly", "deprecated", "type", "enum", "const", "format"),
        *("multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
        *("maxLength", "minLength", "pattern", "contentMediaType", "contentEncoding"),
        *("items", "additionalItems", "maxItems", "minItems", "uniqueItems", "contains"),
        *("maxProperties", "minProperties", "required", "properties", "patternProperties"),
        *("additionalProperties", "dependencies", "propertyNames", "definitions"),
        *("if", "then", "else", "allOf", "anyOf", "oneOf", "not"),
    ]
)
_LATER: Final = {
    "$defs": "definitions",
    "prefixItems": "items with a list of schemas",
    "unevaluatedProperties": "additionalProperties",
    "unevaluatedItems": "additionalItems",
    "dependentRequired": "dependencies",
    "dependentSchemas": "dependencies",
    "minContains": "contains alone",
    "maxContains": "contains alone",
    "$anchor": "$ref with a pointer, as in #/definitions/place",
    "$dynamicRef": "$ref",
    "$dynamicAnchor": "definitions",
    "$recursiveRef": "$ref",
    "$recursiveAnchor": "definitions",
    "$vocabulary": "nothing",
}
"""Keywords of later drafts that check something or lead somewhere, and what does it here."""
_SCHEMAS: Final = frozenset(
    {
        *("additionalProperties", "propertyNames", "additionalItems", "contains"),
        *("not", "if", "then", "else"),
    }
)
_MAX_WORDS: Final = 160
_LOOK_AROUND: Final = re.compile(r"\(\?<?[=!]")


def check_draft_07(
    schema: Mapping[str, Any], plain: object, report: Report, base: Place = ()
) -> None:
    """Check a schema against draft-07, keyword by keyword.

    `plain` is the same schema with plain numbers; `base` is the place of the schema in its file.
    Contract: package tools, schemas.
    """
    for place, message in _violations(plain):
        report.error((*base, *place), "draft-07", _expected(schema, place, message))
    for place, node in subschemas(schema):
        for keyword in node:
            if keyword not in _KNOWN:
                _check_unknown(keyword, (*base, *place), report, at_root=not place)
            elif place and keyword in ("$id", "$schema"):
                words = f"{keyword} belongs to the root: refer to places by #/definitions/..."
                report.error((*base, *place, keyword), "nested-id", words)


def check_patterns(
    schema: Mapping[str, Any], patterns: SchemaPatterns, report: Report, base: Place = ()
) -> None:
    """Tell each pattern that cannot be run in time linear in the text, and too much of them."""
    for place, node in subschemas(schema):
        sources: list[tuple[Place, object]] = [(("pattern",), node.get("pattern"))]
        if isinstance(node.get("patternProperties"), Mapping):
            sources += [(("patternProperties", name), name) for name in node["patternProperties"]]
        for inner, source in sources:
            if isinstance(source, str):
                try:
                    enough = patterns.read(source)
                except PatternError as error:
                    report.error((*base, *place, *inner), "pattern", _bad_pattern(source, error))
                    continue
                if not enough:
                    words = "from here on all patterns together are too large: repeat less in them"
                    report.error((*base, *place, *inner), "patterns-size", words)
                    return


def _bad_pattern(source: str, error: PatternError) -> str:
    if _LOOK_AROUND.search(source):
        words = (
            "uses look-ahead or look-behind, which no linear time is enough for: write several"
            " patterns under allOf, or leave it to the handler"
        )
    else:
        reason = str(error).removeprefix("the pattern ")
        words = f"{reason}, as JavaScript reads it with the flag u: write one that is plainer"
    return f"{told(source)} {words}"


@cache
def _meta_schema() -> Draft7Validator:
    from jsonschema_rs import Draft7Validator  # noqa: PLC0415 - takes 50 ms; loading needs it

    # The meta-schema is part of the library: `offline` keeps all else from being fetched.
    return Draft7Validator({"$ref": DRAFT_07}, validate_formats=False, offline=True)


def _violations(plain: object, base: Place = ()) -> Iterator[tuple[Place, str]]:
    """Yield where a schema breaks the meta-schema, and the meta-schema's own words.

    Of a member that may be a schema or a list it only says that it is neither: what is wrong
    inside of one of those is found by looking at it alone.
    """
    for error in _meta_schema().iter_errors(plain):
        place: Place = tuple(error.instance_path)
        inner: list[tuple[Place, str]] = []
        if error.schema_path[-1] == "anyOf":
            value = standing_at(plain, place)
            if isinstance(value, dict):
                inner = list(_violations(value, place))
            elif isinstance(value, list) and place[-1] == "items":
                parts = enumerate(value) if "dependencies" not in place[-2:-1] else ()
                inner = [
                    each for index, part in parts for each in _violations(part, (*place, index))
                ]
        for found, message in inner or [(place, error.message)]:
            yield (*base, *found), message


def _expected(schema: Mapping[str, Any], place: Place, message: str) -> str:
    """Say what stands at a place in place of what, shortly."""
    value = standing_at(schema, place)
    keyword = place[-1] if place else ""
    within = place[-2] if len(place) > 1 else ""
    if isinstance(keyword, str):
        try:
            check_shapes({keyword: value})
        except SchemaError as error:
            return f"{error}, not {told(value)}"
    if keyword in _SCHEMAS or within in (*NAMED_SUBSCHEMAS, "items", "allOf", "anyOf", "oneOf"):
        also = " or a list of names, each once" if within == "dependencies" else ""
        return f"write a schema (an object, true or false){also}, not {told(value)}"
    if keyword == "items":
        return f"items must be a schema or a list of schemas, not {told(value)}"
    if keyword in NAMED_SUBSCHEMAS:
        return f"{keyword} must be an object of schemas, not {told(value)}"
    return in_ascii(message)[:_MAX_WORDS]


def _check_unknown(keyword: str, place: Place, report: Report, *, at_root: bool) -> None:
    if keyword in EXTENSION_KEYS:
        if not at_root:
            words = "the extension block stands once, at the root of the tool: move it there"
            report.error((*place, keyword), "extension-place", words)
        return
    if keyword in _LATER:
        words = f"{keyword} is not of draft-07, which would ignore it: write {_LATER[keyword]}"
        report.error((*place, keyword), "later-keyword", words)
    elif not keyword.startswith("x-"):
        words = f"{told(keyword)} is no keyword of draft-07 and checks nothing"
        report.warn((*place, keyword), "unknown-keyword", words)
