"""Names the place where a value of an app's is no JSON, so that its author finds it.

A set in a result, a date in an input. Says only where and of which kind, never what is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Final, NamedTuple

from bridge.contract.json_numbers import NumberToken
from bridge.contract.limits import JSON_LIMITS

__all__ = ["NotJson", "first_not_json"]

_MAX_PATH_CHARS: Final = 200
_MAX_NAME_CHARS: Final = 60
_HINTS: Final = {
    "set": "is a set: give a list",
    "frozenset": "is a set: give a list",
    "datetime": "is a datetime: give text, its isoformat() say",
    "date": "is a date: give text, its isoformat() say",
    "Decimal": "is a Decimal: give text, or a float",
    "bytes": "is bytes: give text, in base64 say",
    "bytearray": "is bytes: give text, in base64 say",
    "function": "is a function",
    "coroutine": "is a coroutine that nobody awaited",
}


class NotJson(NamedTuple):
    """A JSON pointer, and what is there."""

    path: str
    message: str


def first_not_json(value: object) -> NotJson | None:
    """Find the first place of a value that JSON cannot tell.

    None where all of it is JSON, or where it cannot be looked at: the app's own objects may
    raise, and that is for whoever reads the value in earnest.
    """
    try:
        return _Search().look(value, "", 0)
    except Exception:  # noqa: BLE001 - see above
        return None


class _Search:
    """One walk over one value."""

    def __init__(self) -> None:
        self._values = 0

    def look(self, value: object, path: str, depth: int) -> NotJson | None:
        self._values += 1
        if self._values > JSON_LIMITS.max_values:
            return None
        if isinstance(value, Mapping | list | tuple):
            return self._inside(value, path, depth)
        message = _wrong_scalar(value)
        return None if message is None else _found(path, message)

    def _inside(  # noqa: PLR0911 - one for each thing that may be wrong
        self,
        value: Mapping[object, object] | list[object] | tuple[object, ...],
        path: str,
        depth: int,
    ) -> NotJson | None:
        if depth >= JSON_LIMITS.max_depth:
            most = JSON_LIMITS.max_depth
            return _found(path, f"is nested more than {most} deep, or within itself")
        if not isinstance(value, Mapping):
            for index, member in enumerate(value):
                wrong = self.look(member, f"{path}/{index}", depth + 1)
                if wrong is not None:
                    return wrong
            return None
        for key, member in value.items():
            if not isinstance(key, str):
                return _found(path, f"has a key that is no text but {_class_name(key)}")
            if not _is_well_formed(key):
                return _found(path, "has a name with half a character (a lone surrogate)")
            place = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            wrong = self.look(member, place, depth + 1)
            if wrong is not None:
                return wrong
        return None


def _found(path: str, message: str) -> NotJson:
    whole = len(path) <= _MAX_PATH_CHARS
    return NotJson(path if whole else f"{path[:_MAX_PATH_CHARS]}…", message)


def _wrong_scalar(value: object) -> str | None:
    if value is None or isinstance(value, int | NumberToken):
        return None
    if isinstance(value, str):
        return None if _is_well_formed(value) else "has half a character (a lone surrogate)"
    if isinstance(value, float):
        return None if isfinite(value) else f"is {float(value)}"
    name = _class_name(value)
    return _HINTS.get(name, f"is an instance of {name}: give a dict with what it tells")


def _class_name(value: object) -> str:
    name = type(value).__name__[:_MAX_NAME_CHARS]
    return name if _is_well_formed(name) else "a class"


def _is_well_formed(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
