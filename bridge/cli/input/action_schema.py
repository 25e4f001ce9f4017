"""An action's input schema as a command line needs it: which keys, of which types, such as what.

Reads JSON Schema for its structure alone and checks nothing by it: whether an input fits is for the
app to say. A schema comes from a page, so every walk is bounded. Its numbers are `NumberText`.
Contract: actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from bridge.cli.output.json_text import NumberText, compact

__all__ = ["ActionSchema", "Form", "Key", "Path", "closed_set", "expected", "is_required", "shown"]

_MAX_FORMS: Final = 64
_MAX_STEPS: Final = 2_048
_MAX_ENUM_SHOWN: Final = 8
_MAX_DEFAULT_SHOWN: Final = 20
_NAMES: Final = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_EXAMPLES: Final = {
    "string": "text",
    "integer": "1",
    "number": "1.5",
    "boolean": "true",
    "null": "null",
    "array": "[]",
    "object": "{}",
}

Form = Mapping[str, Any]
"""One alternative of a schema: no references, no `oneOf`, at most one type."""


Path = tuple[str | None, ...]
"""The way to a part of an input; None stands for each element of a list."""


class Key(NamedTuple):
    """A key of an input, for people."""

    name: str
    type: str
    required: bool
    description: str
    default: str
    """What it is where it is left out, as it would be written; empty where that is not told."""
    members: bool
    """Whether it is an object whose own keys are known."""
    elements: bool = False
    """Whether it is a list of objects whose keys are known."""
    bounds: str = ""
    """How long or large it may be, and whether it takes keys of any name; empty without."""


class ActionSchema:
    """Reads one schema, with the references inside it."""

    def __init__(self, root: object) -> None:
        self.root = root
        self._steps = 0

    def forms(self, schema: object) -> list[Form]:
        """Return the alternatives of a schema, in order; an empty form takes anything."""
        self._steps = 0
        return self._forms(schema, ())

    def describe_keys(self) -> list[Key]:
        """Return the keys of the input: those of all alternatives, each once."""
        return self.keys_at(())

    def keys_at(self, path: Path) -> list[Key]:
        """Return the keys of the object at a path."""
        found: dict[str, Key] = {}
        for form in self.forms_at(path):
            for name, schema in _mapping(form.get("properties")).items():
                if name not in found:
                    forms = self.forms(schema)
                    found[name] = Key(
                        name,
                        self.type_text(schema),
                        is_required(form, name),
                        _description(schema, forms),
                        _default(forms),
                        any("properties" in each for each in forms),
                        any("properties" in each for each in self._elements(forms)),
                        _bounds(forms),
                    )
        return list(found.values())

    def example_of(self, name: str) -> str:
        """Return a value for a key of the input."""
        for form in self.forms(self.root):
            properties = _mapping(form.get("properties"))
            if name in properties:
                return self.example(properties[name])
        return "value"

    def forms_at(self, path: Path) -> list[Form]:
        """Return the alternatives of what is at a path, in all alternatives around it."""
        forms = self.forms(self.root)
        for name in path:
            if name is None:
                forms = self._elements(forms)
                continue
            inner = [
                each
                for form in forms
                for each in self.forms(_mapping(form.get("properties")).get(name, False))
            ]
            forms = inner[:_MAX_FORMS]
        return forms

    def type_text(self, schema: object) -> str:
        """Return a short name of a type: `integer`, `string or null`, `string[]`."""
        names = []
        for form in self.forms(schema):
            kind = form.get("type")
            if kind == "array" and "items" in form:
                of = self.type_text(form["items"]) if self._shallow(form) else "array"
                name = f"({of})[]" if " " in of else f"{of}[]"
            elif closed_set(form):
                name = " | ".join(shown(value) for value in closed_set(form)[:_MAX_ENUM_SHOWN])
            else:
                name = str(kind or "any")
            names.append(name)
        return " or ".join(dict.fromkeys(names)) or "nothing"

    def example(self, schema: object) -> str:
        """Return a value as it would be written after `key=`."""
        for form in self.forms(schema):
            examples = form.get("examples")
            for value in (*closed_set(form), form.get("default"), *_items(examples)):
                if isinstance(value, str | bool) and shown(value).isprintable():
                    return shown(value)
            if form.get("type") == "integer" and isinstance(form.get("minimum"), NumberText):
                return str(form["minimum"])
            if form.get("type") == "array" and "items" in form and self._shallow(form):
                return self.example(form["items"])
            return _EXAMPLES.get(str(form.get("type")), "value")
        return "value"

    def _elements(self, forms: list[Form]) -> list[Form]:
        """Return the alternatives of what is in lists."""
        lists = [form for form in forms if form.get("type") in {None, "array"}]
        inner = [each for form in lists if "items" in form for each in self.forms(form["items"])]
        return inner[:_MAX_FORMS]

    def _shallow(self, form: Form) -> bool:
        return not any(each.get("type") == "array" for each in self.forms(form["items"]))

    def _forms(self, schema: object, seen: tuple[str, ...]) -> list[Form]:
        self._steps += 1
        if schema is True or self._steps > _MAX_STEPS:
            return [{}]
        if not isinstance(schema, Mapping):
            return []
        rest = {name: value for name, value in schema.items() if name not in _COMBINING}
        forms: list[Form] = [rest]
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            target = self._target(reference)
            forms = _product(forms, self._forms(target, (*seen, reference)))
        for part in _items(schema.get("allOf")):
            forms = _product(forms, self._forms(part, seen))
        for word in ("anyOf", "oneOf"):
            alternatives = schema.get(word)
            if isinstance(alternatives, list):
                every = [form for part in alternatives for form in self._forms(part, seen)]
                forms = _product(forms, every)
        return [single for form in forms for single in _single_types(form)][:_MAX_FORMS]

    def _target(self, reference: str) -> object:
        """Return what a reference inside this schema names; anything where it names nothing."""
        if reference == "#":
            return self.root
        if not reference.startswith("#/"):
            return True
        place: object = self.root
        for part in reference[2:].split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(place, Mapping) and name in place:
                place = place[name]
            elif isinstance(place, list) and name.isdecimal() and int(name) < len(place):
                place = place[int(name)]
            else:
                return True
        return place


_COMBINING: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})


def is_required(form: Form, name: str) -> bool:
    """Say whether a form asks for a key."""
    return name in _items(form.get("required"))


def closed_set(form: Form) -> tuple[Any, ...]:
    """Return the only values that a form takes; empty where it takes more than a few named ones."""
    if "const" in form:
        return (form["const"],)
    values = form.get("enum")
    return tuple(values) if isinstance(values, list) else ()


def shown(value: object) -> str:
    """Return a value as a person writes it after `key=`."""
    return str(value) if isinstance(value, str) else compact(value)


def expected(forms: list[Form]) -> str:
    """Return in words what a value has to be."""
    values = [shown(value) for form in forms for value in closed_set(form)]
    more = "" if len(values) <= _MAX_ENUM_SHOWN else f" … ({len(values)} in all)"
    words = ["one of " + ", ".join(values[:_MAX_ENUM_SHOWN]) + more] if values else []
    kinds = [str(form.get("type")) for form in forms if not closed_set(form)]
    words += [_NAMES.get(kind, "anything") for kind in dict.fromkeys(kinds)]
    return " or ".join(words) or "nothing"


def _single_types(form: Form) -> Iterator[Form]:
    kind = form.get("type")
    if isinstance(kind, list):
        yield from ({**form, "type": each} for each in kind)
    elif kind is None and "properties" in form:
        yield {**form, "type": "object"}
    else:
        yield form


def _product(left: list[Form], right: list[Form]) -> list[Form]:
    merged = (_merged(a, b) for a in left for b in right)
    return [form for form, _ in zip(merged, range(_MAX_FORMS), strict=False)]


def _merged(left: Form, right: Form) -> Form:
    both: dict[str, Any] = {**left, **right}
    if "properties" in left and "properties" in right:
        both["properties"] = {**_mapping(left["properties"]), **_mapping(right["properties"])}
    if "required" in left and "required" in right:
        both["required"] = [*_items(left["required"]), *_items(right["required"])]
    return both


def _description(schema: object, forms: list[Form]) -> str:
    for each in (schema, *forms):
        text = each.get("description") if isinstance(each, Mapping) else None
        if isinstance(text, str):
            return text
    return ""


def _default(forms: list[Form]) -> str:
    texts = (shown(form["default"]) for form in forms if "default" in form)
    return next((text for text in texts if len(text) <= _MAX_DEFAULT_SHOWN), "")


_MEASURES: Final = (
    ("minLength", "maxLength", " characters"),
    ("minimum", "maximum", ""),
    ("minItems", "maxItems", " elements"),
)


def _bounds(forms: list[Form]) -> str:
    """Say what a schema of one form bounds; of several nobody could tell which one is meant."""
    if len(forms) != 1 or closed_set(forms[0]):
        return ""
    (form,) = forms
    found = []
    for least, most, what in _MEASURES:
        low, high = (form.get(name) for name in (least, most))
        if isinstance(low, NumberText) and isinstance(high, NumberText):
            found.append(f"{low} to {high}{what}")
        elif isinstance(low, NumberText) and low != "0":
            # Most numbers begin at 0: saying it each time would hide the others.
            found.append(f"at least {low}{what}")
        elif isinstance(high, NumberText):
            found.append(f"at most {high}{what}")
    if form.get("type") == "object" and form.get("additionalProperties", False) is not False:
        found.append("other keys too" if _mapping(form.get("properties")) else "any keys")
    return ", ".join(found)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
