"""The input of an action from `key=value` words, each value with the type that its schema asks for.

Says what is wrong before anything is sent: the key, what it takes, and an example. What a schema
says beyond types and names is left to the app. Contract: actions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from bridge.cli.input.action_schema import ActionSchema, Form, closed_set, expected, shown
from bridge.cli.input.input_words import InputWord, written_key
from bridge.cli.output.json_text import JsonTextError, NumberText, compact, read
from bridge.cli.suggestions import did_you_mean
from bridge.cli.usage_error import UsageError

__all__ = ["typed_input"]

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,9}))?")
_TRIED: Final = ("null", "boolean", "integer", "number", "array", "object", "string")
"""The most particular type that fits wins; `key:=JSON` says another."""
_MAX_QUOTED: Final = 40


class _Mismatch(Exception):  # noqa: N818 - never leaves this module
    """A text is no value of this type."""


class _Node(NamedTuple):
    """What was said of one key: its values, or those of its members."""

    path: tuple[str, ...]
    words: list[InputWord]
    members: dict[str, _Node]


def typed_input(
    words: Sequence[InputWord], schema: object, base: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the input that words describe, over the members of `base`. Raises `UsageError`.

    Numbers in the schema, in `base` and in the input are `NumberText`.
    """
    reading = ActionSchema(schema)
    names = {key.name for key in reading.describe_keys()}
    root = _Node((), [], {})
    for word in words:
        # A property may have a dot in its own name.
        _place(root, (word.key,) if word.key in names else word.path, word)
    return _Input(reading).build(root, schema, base or {})


def _place(root: _Node, path: tuple[str, ...], word: InputWord) -> None:
    node = root
    for depth, name in enumerate(path, 1):
        if node.words:
            raise UsageError(f"{_key(node)!r} is given both as a whole and by its members")
        node = node.members.setdefault(name, _Node(path[:depth], [], {}))
    if node.members:
        raise UsageError(f"{_key(node)!r} is given both as a whole and by its members")
    node.words.append(word)


class _Input:
    def __init__(self, schema: ActionSchema) -> None:
        self._schema = schema

    def build(self, node: _Node, schema: object, base: Mapping[str, Any]) -> dict[str, Any]:
        """Return an object by the first of its schema's alternatives that fits."""
        forms = [f for f in self._schema.forms(schema) if f.get("type") in {None, "object"}]
        if not forms:
            forms_of = self._schema.forms(schema)
            raise UsageError(f"{_key(node)!r} takes {expected(forms_of)}, and no members")
        errors: list[UsageError] = []
        for form in forms:
            try:
                return self._object_of(node, form, base)
            except UsageError as error:
                errors.append(error)
        raise errors[0] if len(errors) == 1 else _several(node, errors)

    def _object_of(self, node: _Node, form: Form, base: Mapping[str, Any]) -> dict[str, Any]:
        made = dict(base)
        for name, member in node.members.items():
            made[name] = self._member(member, self._member_schema(form, member), base.get(name))
        required = form.get("required")
        for name in required if isinstance(required, list) else []:
            if name not in made:
                raise self._missing((*node.path, name), form)
        self._check_constants(node, form, made)
        return made

    def _check_constants(self, node: _Node, form: Form, made: Mapping[str, Any]) -> None:
        """Refuse an alternative whose constants are others: a kind names its alternative."""
        for name, schema in _properties(form).items():
            if name not in made or not isinstance(schema, Mapping) or "const" not in schema:
                continue
            if compact(made[name]) != compact(schema["const"]):
                key = written_key((*node.path, name))
                raise UsageError(f"{key!r} takes {shown(schema['const'])} here")

    def _member_schema(self, form: Form, node: _Node) -> object:
        properties, name = _properties(form), node.path[-1]
        if name in properties:
            return properties[name]
        more = form.get("additionalProperties", True)
        if more is not False or "patternProperties" in form:
            return more or True
        known = [written_key((*node.path[:-1], each)) for each in properties]
        key = _key(node)
        raise UsageError(
            f"there is no key {key!r} here.{did_you_mean(key, known)} "
            + (f"The keys are {', '.join(known)}." if known else "It takes no keys.")
        )

    def _member(self, node: _Node, schema: object, base: object) -> Any:  # noqa: ANN401
        if node.members:
            return self.build(node, schema, base if isinstance(base, Mapping) else {})
        if len(node.words) == 1 and node.words[0].is_json:
            return _json(node.words[0])
        forms = self._schema.forms(schema)
        if len(node.words) > 1:
            return self._list(node, schema, forms)
        if node.words[0].text.startswith("@"):
            from bridge.cli.input.file_value import file_value  # noqa: PLC0415 - for files only

            value = file_value(self._schema, schema, node.words[0].text, _key(node))
            if value is not None:
                return value
        return self._value(node.words[0], schema, forms, _key(node))

    def _list(self, node: _Node, schema: object, forms: Sequence[Form]) -> list[Any]:
        key = _key(node)
        for form in forms:
            if form.get("type") in {None, "array"} and not closed_set(form):
                items = form.get("items", True)
                return [
                    _json(word)
                    if word.is_json
                    else self._value(word, items, self._schema.forms(items), key, "each ")
                    for word in node.words
                ]
        raise UsageError(
            f"{key!r} is given {len(node.words)} times, and takes {expected(list(forms))}, "
            f"such as {self._example(key, schema)}"
        )

    def _value(
        self, word: InputWord, schema: object, forms: list[Form], key: str, each: str = ""
    ) -> Any:  # noqa: ANN401
        for value in (value for form in forms for value in closed_set(form)):
            if shown(value) == word.text:
                return value
        open_forms = [form for form in forms if not closed_set(form)]
        # Any number is one, whichever of the alternatives comes first.
        for kind in _TRIED:
            for form in open_forms:
                if form.get("type") == kind:
                    try:
                        return _of_type(kind, word)
                    except _Mismatch:
                        continue
        if any("type" not in form for form in open_forms):
            return _untyped(word)
        for form in open_forms:
            if form.get("type") == "array":
                items = form.get("items", True)
                return [self._value(word, items, self._schema.forms(items), key, "each ")]
        values = [shown(value) for form in forms for value in closed_set(form)]
        meant = did_you_mean(word.text, values)
        such = "" if meant else f", such as {self._example(key, schema)}"
        takes = f"{each}{key!r} takes {expected(forms)}"
        raise UsageError(f"{takes}{such}; {_quoted(word)} is not.{meant}")

    def _missing(self, path: tuple[str, ...], form: Form) -> UsageError:
        schema = _properties(form).get(path[-1], True)
        key = written_key(path)
        takes = expected(self._schema.forms(schema))
        return UsageError(
            f"the key {key!r} is missing: it takes {takes}, such as {self._example(key, schema)}"
        )

    def _example(self, key: str, schema: object) -> str:
        forms = self._schema.forms(schema)
        text = self._schema.example(schema)
        if text == "{}":
            text = self._object_example(schema, forms)
        # A list is written by its elements, so that the example shows the key once more.
        again = any(f.get("type") == "array" for f in forms) and not text.startswith("[")
        written = f"{key}={_shell_quoted(text)}"
        return f"{written} {written}" if again else written

    def _object_example(self, schema: object, forms: Sequence[Form]) -> str:
        """Return an object, or an element of a list of them, with what it has to have."""
        from bridge.cli.input.action_example import example_value  # noqa: PLC0415 - for mistakes only

        first = next(iter(forms), {})
        value = example_value(
            self._schema, first.get("items", True) if "items" in first else schema
        )
        return compact(value) if isinstance(value, dict) else "{}"


def _several(node: _Node, errors: list[UsageError]) -> UsageError:
    which = f"{_key(node)!r}" if node.path else "the input"
    listed = "".join(f"\n  {text}" for text in dict.fromkeys(str(error) for error in errors))
    return UsageError(f"{which} fits none of its {len(errors)} forms:{listed}")


def _of_type(kind: str, word: InputWord) -> Any:  # noqa: ANN401
    text = word.text
    match kind:
        case "string":
            return text
        case "null" if text == "null":
            return None
        case "boolean" if text in {"true", "false"}:
            return text == "true"
        case "integer" | "number":
            number = _NUMBER.fullmatch(text)
            # Its own digits go out, whatever a number of this machine could hold of them.
            if number is not None and (kind == "number" or _is_integral(number)):
                return NumberText(text)
        case "array" if text.startswith("["):
            return _container(word, list)
        case "object" if text.startswith("{"):
            return _container(word, dict)
    raise _Mismatch


def _is_integral(number: re.Match[str]) -> bool:
    """Say whether a number has no fraction: `1e3` and `10.0` have none."""
    fraction = number[2] or ""
    digits = (number[1] + fraction).lstrip("0")
    zeros = len(digits) - len(digits.rstrip("0"))
    return not digits or int(number[3] or "0") - len(fraction) + zeros >= 0


def _container(word: InputWord, kind: type) -> Any:  # noqa: ANN401
    try:
        value = read(word.text)
    except JsonTextError:
        raise _Mismatch from None
    if not isinstance(value, kind):
        raise _Mismatch
    return value


def _untyped(word: InputWord) -> Any:  # noqa: ANN401
    """Return what a text looks like, where nothing says what it is."""
    for kind in _TRIED:
        try:
            return _of_type(kind, word)
        except _Mismatch:
            continue
    return word.text


def _json(word: InputWord) -> Any:  # noqa: ANN401
    try:
        return read(word.text)
    except JsonTextError as error:
        raise UsageError(f"the value of {word.key!r} cannot be read as JSON: {error}") from None


def _key(node: _Node) -> str:
    return written_key(node.path)


def _quoted(word: InputWord) -> str:
    text = word.text
    return repr(text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 1] + "…")


def _shell_quoted(text: str) -> str:
    import shlex  # noqa: PLC0415 - for mistakes only

    return shlex.quote(text)


def _properties(form: Form) -> Mapping[str, Any]:
    properties = form.get("properties")
    return properties if isinstance(properties, Mapping) else {}
