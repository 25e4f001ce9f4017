"""An input that an action takes, made up of its schema alone: as a value, or as words to type.

Only where the schema says enough: what is made up is checked by the schema before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.cli.input.action_schema import ActionSchema, Form, closed_set, is_required, shown
from bridge.cli.input.file_value import takes_file
from bridge.cli.input.input_words import read_words, written_key
from bridge.cli.input.typed_input import typed_input
from bridge.cli.output.json_text import NumberText, compact
from bridge.cli.usage_error import UsageError
from bridge.contract.schema import SchemaError, compile  # noqa: A004 - the room's own word
from bridge.contract.strict_json import StrictJsonError, loads

__all__ = ["example_input", "example_value", "example_words"]

_MAX_DEPTH: Final = 4
_MAX_MADE: Final = 64
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
    return made if isinstance(made, dict) and _fits(schema, made) else None


def example_value(reading: ActionSchema, schema: object) -> Any:  # noqa: ANN401 - JSON
    """Return a value that a part of a schema may take; None where none is found."""
    return _value(reading, schema, 0)


def example_words(schema: object) -> list[str]:
    """Return what could be typed after `bascule call`: all that is required, and no more.

    Where nothing is found that the schema allows, these are a start to be filled in.
    """
    reading = ActionSchema(schema)
    tries = [list(_members_of(reading, form, (), 0)) for form in reading.forms(schema)]
    for words in tries:
        # No file is read for an example.
        tried = [word.replace(_FILE, _BYTES) if word.endswith(_FILE) else word for word in words]
        try:
            made = typed_input(read_words(tried), schema)
        except UsageError:
            continue
        if _fits(schema, made):
            return words
    return tries[0] if tries else []


_FILE: Final = "=@FILE"
_BYTES: Final = ':={"data":"YQ=="}'


def _fits(schema: object, made: object) -> bool:
    try:
        validator = compile(loads(compact(schema).encode()))
        return not validator.errors(loads(compact(made).encode()))
    except (SchemaError, StrictJsonError):
        return False


def _members_of(
    reading: ActionSchema, form: Form, path: tuple[str, ...], depth: int
) -> Iterator[str]:
    properties = form.get("properties")
    for name, schema in properties.items() if isinstance(properties, Mapping) else ():
        if is_required(form, name):
            yield from _words(reading, schema, (*path, name), depth + 1)


def _words(
    reading: ActionSchema, schema: object, path: tuple[str, ...], depth: int
) -> Iterator[str]:
    key = written_key(path)
    if takes_file(reading, schema):
        yield f"{key}{_FILE}"
        return
    form = next(iter(reading.forms(schema)), {})
    if form.get("type") == "object" and not closed_set(form) and depth < _MAX_DEPTH:
        members = list(_members_of(reading, form, path, depth))
        yield from members or [f"{key}:={compact(_value(reading, schema, depth))}"]
        return
    if form.get("type") == "array" and not closed_set(form):
        value = _value(reading, schema, depth)
        items = value if isinstance(value, list) else []
        items = items or _objects(reading, form, depth)
        if any(isinstance(item, dict | list) for item in items):
            yield f"{key}:={compact(items)}"
            return
        for _ in items or [None]:
            yield f"{key}={reading.example(schema)}"
        return
    if isinstance(form.get("minLength"), NumberText) and not closed_set(form):
        yield f"{key}={shown(_value(reading, schema, depth))}"
        return
    yield f"{key}={reading.example(schema)}"


def _value(reading: ActionSchema, schema: object, depth: int) -> Any:  # noqa: ANN401 - JSON
    # The first alternative of which something can be made up.
    for form in reading.forms(schema):
        told = [*closed_set(form), *_members(form, "default"), *_examples(form)]
        if told:
            return told[0]
        kind = form.get("type")
        if kind == "object" and depth < _MAX_DEPTH:
            return _object(reading, form, depth)
        if kind == "array" and depth < _MAX_DEPTH:
            return [_value(reading, form.get("items", True), depth + 1)] * _least(form, "minItems")
        if kind == "string":
            whole = form.get("contentEncoding") == "base64"
            return "YQ==" if whole else "a" * max(1, _least(form, "minLength"))
        if kind in _PLAIN:
            return [*_members(form, "minimum"), _PLAIN[str(kind)]][0]
    return None


def _objects(reading: ActionSchema, form: Form, depth: int) -> list[Any]:
    """Return one element of a list of objects: an empty list would show none of their keys."""
    element = _value(reading, form.get("items", True), depth + 1)
    return [element] if isinstance(element, dict) else []


def _members(form: Form, name: str) -> list[Any]:
    return [form[name]] if name in form else []


def _least(form: Form, name: str) -> int:
    """Return how many there have to be, as far as that is few."""
    told = form.get(name)
    return min(int(told), _MAX_MADE) if isinstance(told, NumberText) and told.isdecimal() else 0


def _examples(form: Form) -> list[Any]:
    examples = form.get("examples")
    return examples if isinstance(examples, list) else []


def _object(reading: ActionSchema, form: Form, depth: int) -> dict[str, Any]:
    properties = form.get("properties")
    members = properties if isinstance(properties, Mapping) else {}
    made = {
        name: _value(reading, schema, depth + 1)
        for name, schema in members.items()
        if is_required(form, name)
    }
    for name, schema in members.items():
        if len(made) >= _least(form, "minProperties"):
            break
        made.setdefault(name, _value(reading, schema, depth + 1))
    return made
