"""What the root of a tool's schema must be: a closed object of named arguments.

The root is what a model writes to, so it takes what is named there and nothing else, and no name
that could be taken for the caller's identity. The same names are free further inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bridge.tools.problem_report import Report
from bridge.tools.problems import told
from bridge.tools.session_context import RESERVED_INPUT_KEYS

__all__ = ["DRAFT_07", "check_root", "is_draft_07"]

DRAFT_07: Final = "http://json-schema.org/draft-07/schema#"

_NOT_AT_ROOT: Final = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref")


def is_draft_07(identifier: object) -> bool:
    """Say whether a `$schema` names draft-07, with or without `#`, by http or https."""
    return isinstance(identifier, str) and (
        identifier.removesuffix("#")
        in ("http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema")
    )


def check_root(schema: Mapping[str, Any], report: Report) -> None:
    """Apply the rules of the root. Contract: package tools, root."""
    if "$schema" in schema and not is_draft_07(schema["$schema"]):
        words = f"$schema is {told(schema['$schema'])}: write {DRAFT_07} or leave it out"
        report.error(("$schema",), "root-dialect", words)
    if "#" in str(schema.get("$id", "")):
        words = (
            "$id has a fragment, which would give a place in the file another name: leave it out"
        )
        report.error(("$id",), "root-id", words)
    if schema.get("type") != "object":
        _missing_or_wrong(schema, "type", "root-type", 'write "type": "object"', report)
    if schema.get("additionalProperties") is not False:
        words = 'write "additionalProperties": false, so that arguments are those that are named'
        _missing_or_wrong(schema, "additionalProperties", "root-closed", words, report)
    description = schema.get("description")
    if not isinstance(description, str) or not description.strip():
        words = "say in a sentence what the tool does, for a model that chooses among tools"
        _missing_or_wrong(schema, "description", "root-description", words, report)
    if not isinstance(schema.get("properties"), Mapping):
        words = "write an object of the arguments, {} where there are none"
        _missing_or_wrong(schema, "properties", "root-properties", words, report)
    for keyword in _NOT_AT_ROOT:
        if keyword in schema:
            words = f"{keyword} is not allowed at the root: name each argument under properties"
            report.error((keyword,), "root-combiner", words)
    if "patternProperties" in schema:
        words = "patternProperties at the root would take names that are not listed: list them"
        report.error(("patternProperties",), "root-patterns", words)
    _check_names(schema, report)


def _missing_or_wrong(
    schema: Mapping[str, Any], keyword: str, rule: str, words: str, report: Report
) -> None:
    if keyword in schema:
        report.error((keyword,), rule, f"{keyword} is {told(schema[keyword])}: {words}")
    else:
        report.error((), rule, f"{keyword} is missing: {words}")


def _check_names(schema: Mapping[str, Any], report: Report) -> None:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return
    for name in properties:
        if name in RESERVED_INPUT_KEYS:
            words = (
                f"{name} is said by the session and never by an argument: give it another name, "
                "or put it inside of an object"
            )
            report.error(("properties", name), "reserved-key", words)
    required = schema.get("required")
    if isinstance(required, list):
        for index, name in enumerate(required):
            if isinstance(name, str) and name not in properties:
                words = f"{told(name)} is required and no property: no call could satisfy it"
                report.error(("required", index), "required-unknown", words)
