"""An input that an action takes, made up of its schema alone.

Only where the schema says enough: what is made up is checked by the schema before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bridge.cli.action_schema import ActionSchema, Form, closed_set, is_required
from bridge.cli.json_text import NumberText, compact
from bridge.contract.schema import SchemaError, compile  # noqa: A004 - the room's own word
from bridge.contract.strict_json import StrictJsonError, loads

__all__ = ["example_input"]

_MAX_DEPTH: Final = 4
_PLAIN: Final[Mapping[str, Any]] = {
    "string": "a",
    "integer": NumberText("1"),
    "number": NumberText("1"),
    "boolean": False,
    "null": None,
    "array": [],
}


def example_input(action: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an input; None where none can be made up that the schema allows."""
    schema = action.get("inputSchema", True)
    made = _value(ActionSchema(schema), schema, 0)
    if made is None:
        made = {}
    if not isinstance(made, dict):
        return None
    try:
        validator = compile(loads(compact(schema).encode()))
        errors = validator.errors(loads(compact(made).encode()))
    except (SchemaError, StrictJsonError):
        return None
    return None if errors else made


def _value(reading: ActionSchema, schema: object, depth: int) -> Any:  # noqa: ANN401 - JSON
    for form in reading.forms(schema):
        told = [*closed_set(form), *_members(form, "default"), *_examples(form)]
        if told:
            return told[0]
        kind = form.get("type")
        if kind == "object" and depth < _MAX_DEPTH:
            return _object(reading, form, depth)
        if kind in _PLAIN:
            least = _members(form, "minimum") if kind in {"integer", "number"} else []
            return least[0] if least else _PLAIN[str(kind)]
    return None


def _members(form: Form, name: str) -> list[Any]:
    return [form[name]] if name in form else []


def _examples(form: Form) -> list[Any]:
    examples = form.get("examples")
    return examples if isinstance(examples, list) else []


def _object(reading: ActionSchema, form: Form, depth: int) -> dict[str, Any]:
    properties = form.get("properties")
    members = properties if isinstance(properties, Mapping) else {}
    return {
        name: _value(reading, schema, depth + 1)
        for name, schema in members.items()
        if is_required(form, name)
    }
