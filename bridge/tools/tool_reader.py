"""Reads one tool's file: its bytes become a definition, or all that is wrong with them.

Puts the rules together: strict JSON, the root, draft-07, references, the extension block, open
bags. Reads bytes, not files, and knows no handlers. Contract: package tools, loading.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, TypeAlias

from bridge.contract.json_numbers import NumberToken
from bridge.contract.schema import SchemaError, Validator
from bridge.contract.schema import compile as compile_schema
from bridge.contract.strict_json import StrictJsonError, dumps, loads
from bridge.tools.default_rules import check_told_defaults
from bridge.tools.draft07_rules import EXTENSION_KEYS, check_draft_07, check_patterns
from bridge.tools.extension_rules import Extension, find_extension, read_extension
from bridge.tools.json_words import json_words
from bridge.tools.loading_limits import SENT_SCHEMA_LIMITS, TOOL_JSON_LIMITS
from bridge.tools.open_bags import Change, normalise
from bridge.tools.pattern_budget import PatternBudget
from bridge.tools.problem_report import Report
from bridge.tools.problems import in_ascii, parts_of, pointer_to, told
from bridge.tools.reference_rules import check_references
from bridge.tools.root_rules import DRAFT_07, check_root, is_draft_07
from bridge.tools.schema_places import Place
from bridge.tools.tool_definition import ToolDefinition

__all__ = ["read_tool"]

_DIALECT_REASON: Final = "a schema that says no dialect is draft-07 here and another one elsewhere"
_Schema: TypeAlias = Mapping[str, Any]
_Changes: TypeAlias = tuple[Change, ...]
_Compiled: TypeAlias = tuple[dict[str, Any], Validator, _Changes]


def read_tool(
    name: str,
    data: bytes,
    report: Report,
    card_types: Collection[str] | None = (),
    patterns: PatternBudget | None = None,
) -> ToolDefinition | None:
    """Read the bytes of a tool's file. Returns None where the report has errors of it.

    `card_types` are those that the package declares, None where they are not known; another one
    is a warning. `patterns` is what its package may still have read, all that there is where it is
    left out. Takes time linear in the length of the file, whatever stands in it.
    """
    patterns = PatternBudget() if patterns is None else patterns
    try:
        schema = loads(data, TOOL_JSON_LIMITS)
    except StrictJsonError as error:
        report.error((), "strict-json", json_words(data, error))
        return None
    if not isinstance(schema, dict):
        report.error((), "root-object", f"is {told(schema)}: write an object, the tool's schema")
        return None
    plain = _screen(schema, (), report)
    check_root(schema, report)
    block = find_extension(schema, report)
    own = {key: value for key, value in schema.items() if key not in EXTENSION_KEYS}
    plain_own = {key: value for key, value in plain.items() if key not in EXTENSION_KEYS}
    compiled = _read_schema(own, plain_own, patterns, report)
    extension = None
    if block is not None:
        extension = read_extension(*block, schema.get("properties"), report)
    output = None
    if block is not None and isinstance(block[1].get("outputSchema"), Mapping):
        output = _read_output(block[0], schema, plain, patterns, report)
    if block is not None and compiled is not None:
        _check_defaults(*block, compiled, report)
    if block is not None:
        check_told_defaults(block[0], plain, report)
    if block is not None and extension is not None:
        _check_card(block[0], extension, card_types, report)
    if report.failed or extension is None or compiled is None:
        return None
    return _definition(name, compiled, extension, output)


def _screen(value: Any, place: Place, report: Report) -> Any:  # noqa: ANN401 - any JSON
    """Return a copy with plain numbers, telling what must not be anywhere in a file."""
    if isinstance(value, dict):
        if "__proto__" in value:
            words = "__proto__ can change what an object is in other programs: use another name"
            report.error((*place, "__proto__"), "prototype-key", words)
        return {key: _screen(each, (*place, key), report) for key, each in value.items()}
    if isinstance(value, list):
        return [_screen(each, (*place, index), report) for index, each in enumerate(value)]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, NumberToken):
        report.error(place, "number-range", "is a number that programs cannot hold: write another")
        return 1
    return int(value) if isinstance(value, int) else float(value)


_TURNED: Final = (
    "is added to an open object under not, if or oneOf, where fewer matches may let more in: "
    "write a propertyNames of your own there, or close the object"
)


def _read_schema(
    own: _Schema, plain: _Schema, patterns: PatternBudget, report: Report, base: Place = ()
) -> _Compiled | None:
    """Check, normalise and compile one schema; None where it has errors.

    What a call may send is normalised. What a tool gives is its author's word alone: a rule that
    was added to it would refuse a result after the work was done.
    """
    before = report.errors
    check_draft_07(own, plain, report, base)
    check_references(own, report, base)
    check_patterns(own, patterns.of_schema(), report, base)
    if report.errors > before:
        return None
    normalised: dict[str, Any] = dict(own)
    changes: _Changes = ()
    if not base:
        normalised, changes = normalise(own)
        for change in changes:
            if change.loosens:
                report.warn(tuple(parts_of(change.pointer)), "open-bag-turned", _TURNED)
    if "$schema" not in normalised:
        normalised = {"$schema": DRAFT_07, **normalised}
        place = pointer_to((*base, "$schema"))
        changes = (Change(place, DRAFT_07, _DIALECT_REASON), *changes)
    elif not is_draft_07(normalised["$schema"]):
        # Told by the rules of the root; here it is only not compiled.
        return None
    try:
        compiled = compile_schema(normalised)
        dumps(normalised, SENT_SCHEMA_LIMITS)
    except StrictJsonError as error:
        words = f"with names for its open objects it is {error}: use fewer of them"
        report.error(base, "schema-size", words)
        return None
    except SchemaError as error:
        reason = in_ascii(str(error))
        report.error(base, "schema", f"cannot be used: {reason}")
        return None
    return normalised, compiled, changes


def _read_output(
    key: str, schema: _Schema, plain: _Schema, patterns: PatternBudget, report: Report
) -> _Compiled | None:
    base = (key, "outputSchema")
    own = schema[key]["outputSchema"]
    if "$schema" in own and not is_draft_07(own["$schema"]):
        report.error((*base, "$schema"), "root-dialect", f"write {DRAFT_07} or leave it out")
    if own.get("type") != "object":
        words = 'write "type": "object": a structured result is an object'
        report.error(base, "output-type", words)
    return _read_schema(own, plain[key]["outputSchema"], patterns, report, base)


def _check_defaults(key: str, block: _Schema, compiled: _Compiled, report: Report) -> None:
    """Check each default against its property, whatever else a call would have to send."""
    schema, validator, _ = compiled
    defaults = block.get("defaults")
    if not isinstance(defaults, Mapping) or not defaults or not validator.errors(defaults):
        return
    defaults = {name: value for name, value in defaults.items() if name in schema["properties"]}
    parts = ("$schema", "$id", "definitions", "properties")
    reduced = {part: schema[part] for part in parts if part in schema}
    try:
        violations = compile_schema(reduced).errors(defaults)
    except SchemaError:
        # It refers to a part that is left out here: a call is checked against the whole.
        return
    for violation in violations:
        reason = in_ascii(violation.message)[:200]
        words = f"is not what the tool takes: {reason}"
        report.error((key, "defaults", *parts_of(violation.path)), "default-value", words)


def _check_card(
    key: str, extension: Extension, card_types: Collection[str] | None, report: Report
) -> None:
    card = extension.ui.card_type
    if card is not None and card_types is not None and card not in card_types:
        words = (
            f"the package declares no card {told(card)}: a card of the host's, or the general "
            "one, is shown; declare it under [[cards]] in package.toml if it is your own"
        )
        report.warn((key, "ui", "cardType"), "card-unmatched", words)


def _definition(
    name: str, compiled: _Compiled, extension: Extension, output: _Compiled | None
) -> ToolDefinition:
    schema, validator, changes = compiled
    title = extension.annotations.title or schema.get("title") or name
    return ToolDefinition(
        name=name,
        description=schema["description"],
        title=title,
        input_schema=schema,
        input=validator,
        output_schema=None if output is None else output[0],
        output=None if output is None else output[1],
        annotations=extension.annotations,
        ui=extension.ui,
        family=extension.family,
        operation=extension.operation,
        transport=extension.transport,
        defaults=extension.defaults,
        required_features=extension.required_features,
        escalations=extension.escalations,
        ask_on_keys=extension.ask_on_keys,
        changes=changes if output is None else (*changes, *output[2]),
    )
