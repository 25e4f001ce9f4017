"""A JSON value for people: indented, coloured, and without power over a terminal.

It stays JSON, so that what is read can be piped on. Short lists and objects stay on one line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.cli.output.json_text import NumberText, compact
from bridge.cli.output.styles import Style
from bridge.cli.output.terminal_text import json_text_for_terminal

__all__ = ["pretty"]

_WIDTH: Final = 80
_STEP: Final = "  "


def pretty(value: Any, style: Style) -> str:  # noqa: ANN401 - a JSON value
    """Return the lines of a value, without the last line break."""
    return "".join(_pieces(value, style, ""))


def _pieces(value: Any, style: Style, indent: str) -> Iterator[str]:  # noqa: ANN401
    if not isinstance(value, dict | list) or not value or _is_short(value, indent):
        yield _on_one_line(value, style)
        return
    inner = indent + _STEP
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    yield opening
    separator = "\n"
    for name, member in _named(value):
        yield f"{separator}{inner}"
        if name is not None:
            yield f"{style(_string(name), 'blue')}: "
        yield from _pieces(member, style, inner)
        separator = ",\n"
    yield f"\n{indent}{closing}"


def _named(value: dict[str, Any] | list[Any]) -> Iterator[tuple[str | None, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    else:
        yield from ((None, item) for item in value)


def _is_short(value: dict[str, Any] | list[Any], indent: str) -> bool:
    """Say whether a container of scalars fits on a line."""
    items = value.values() if isinstance(value, dict) else value
    if len(value) > _WIDTH or any(isinstance(item, dict | list) for item in items):
        return False
    return len(indent) + len(compact(value)) + 2 * len(value) <= _WIDTH


def _on_one_line(value: Any, style: Style) -> str:  # noqa: ANN401
    if isinstance(value, Mapping):
        pairs = (f"{style(_string(k), 'blue')}: {_on_one_line(v, style)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_on_one_line(item, style) for item in value) + "]"
    if isinstance(value, NumberText):
        return style(str(value), "cyan")
    if isinstance(value, str):
        return style(_string(value), "green")
    return style(compact(value), "magenta")


def _string(text: str) -> str:
    return json_text_for_terminal(json.dumps(text, ensure_ascii=False))
