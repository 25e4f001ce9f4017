"""JSON as a command passes it on: numbers stay the characters that they were written with.

For what is shown and what is put together here. Strictness and limits are the bridge's and the
page's business; this only refuses what is no JSON, and a name that is given twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from bridge.contract.number_text import NumberText

__all__ = [
    "JsonTextError",
    "NumberText",
    "compact",
    "elements",
    "joined",
    "members",
    "read",
    "read_object",
]


class JsonTextError(ValueError):
    """This is no JSON. The message is for people."""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name is given twice in one object")
    return made


_READER: Final = json.JSONDecoder(
    parse_int=NumberText,
    parse_float=NumberText,
    parse_constant=_no_constant,
    object_pairs_hook=_object,
)
_BLANKS: Final = " \t\r\n"


def read(text: str | bytes) -> Any:  # noqa: ANN401 - a JSON value
    """Return a document's value. Raises `JsonTextError`."""
    try:
        return _READER.decode(text if isinstance(text, str) else text.decode())
    except (ValueError, RecursionError) as error:
        raise JsonTextError(_reason(error)) from None


def read_object(text: str | bytes) -> dict[str, Any]:
    """Return the value of a document that is an object. Raises `JsonTextError`."""
    value = read(text)
    if not isinstance(value, dict):
        raise JsonTextError("it is not an object")
    return value


def members(text: str) -> dict[str, str]:
    """Return the members of an object, each with the text of its value. Raises `JsonTextError`."""
    found: dict[str, str] = {}
    try:
        place = _skip(text, _expect(text, _skip(text, 0), "{"))
        while text[place] != "}":
            if found:
                place = _skip(text, _expect(text, place, ","))
            name, place = _READER.raw_decode(text, place)
            start = _skip(text, _expect(text, _skip(text, place), ":"))
            _, end = _READER.raw_decode(text, start)
            if not isinstance(name, str) or isinstance(name, NumberText) or name in found:
                raise JsonTextError("a member has no name, or a name that is given twice")
            found[name] = text[start:end]
            place = _skip(text, end)
        if _skip(text, place + 1) < len(text):
            raise JsonTextError("something follows the object")
    except IndexError:
        raise JsonTextError("it ends too early") from None
    except JsonTextError:
        raise
    except (ValueError, RecursionError) as error:
        raise JsonTextError(_reason(error)) from None
    return found


def joined(parts: Mapping[str, str]) -> str:
    """Write the object of which these are the members, as `members` gives them."""
    return "{" + ",".join(f"{_quoted(name)}:{text}" for name, text in parts.items()) + "}"


def elements(text: str) -> list[str]:
    """Return the elements of an array, each as its text. Raises `JsonTextError`."""
    found: list[str] = []
    try:
        place = _skip(text, _expect(text, _skip(text, 0), "["))
        while text[place] != "]":
            if found:
                place = _skip(text, _expect(text, place, ","))
            _, end = _READER.raw_decode(text, place)
            found.append(text[place:end])
            place = _skip(text, end)
        if _skip(text, place + 1) < len(text):
            raise JsonTextError("something follows the array")
    except IndexError:
        raise JsonTextError("it ends too early") from None
    except JsonTextError:
        raise
    except (ValueError, RecursionError) as error:
        raise JsonTextError(_reason(error)) from None
    return found


def compact(value: Any) -> str:  # noqa: ANN401 - a JSON value
    """Write a value on one line."""
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        pairs = (f"{_quoted(name)}:{compact(member)}" for name, member in value.items())
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(compact, value)) + "]"
    return json.dumps(value, allow_nan=False)


def _quoted(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    try:
        written.encode()
    except UnicodeEncodeError:
        # Half of a character, which an escape can write and no encoding can.
        return json.dumps(text)
    return written


def _skip(text: str, place: int) -> int:
    while text[place : place + 1] in _BLANKS and place < len(text):
        place += 1
    return place


def _expect(text: str, place: int, mark: str) -> int:
    if text[place] != mark:
        raise JsonTextError(f"{mark!r} is missing at character {place + 1}")
    return place + 1


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return str(error)
