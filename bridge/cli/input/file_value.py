"""The value of `key=@FILE`: a file's bytes as base64, where the action's schema takes bytes so.

Either the key itself is base64, or it is an object whose `data` is, as the attachment of a tool.
A value that is too long for one string goes in parts, where the schema takes a list of them.
Contract: actions; bus, the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.cli.input.action_schema import ActionSchema, Form
from bridge.cli.usage_error import UsageError
from bridge.contract.limits import JSON_LIMITS

__all__ = ["file_value", "takes_file"]

_BYTES_OF_PART: Final = JSON_LIMITS.max_string_bytes // 4 * 3
"""Each part is base64 by itself, as long as one string may be."""
_ROOM: Final = 16_384
"""Of a line, for the rest of the call."""
MAX_FILE_BYTES: Final = (JSON_LIMITS.max_encoded_bytes - _ROOM) // 4 * 3


def takes_file(reading: ActionSchema, schema: object) -> bool:
    """Say whether a key takes the bytes of a file."""
    return any(True for _ in _places(reading, schema))


def file_value(reading: ActionSchema, schema: object, text: str, key: str) -> Any:  # noqa: ANN401
    """Return the value of `key=@FILE`; None where the schema takes no bytes or no file is named.

    Raises `UsageError` for a file that cannot be read or sent.
    """
    if not text.startswith("@"):
        return None
    for form, member in _places(reading, schema):
        data = _read(text[1:], key)
        whole = len(data) <= _BYTES_OF_PART
        bytes_of = form["properties"][member] if member else schema
        if not whole and not any(_is_base64_list(reading, f) for f in reading.forms(bytes_of)):
            raise UsageError(
                f"{key!r}: {text[1:]} has {len(data):,} bytes; it takes at most {_BYTES_OF_PART:,}"
            )
        value = _base64(data) if whole else list(_parts(data))
        return {member: value} if member else value
    return None


def _places(reading: ActionSchema, schema: object) -> Iterator[tuple[Form, str]]:
    """Yield the forms that take bytes, with the member that has them; itself where it is empty."""
    for form in reading.forms(schema):
        if _is_base64(form):
            yield form, ""
        properties = form.get("properties")
        data = properties.get("data") if isinstance(properties, Mapping) else None
        if data is not None and any(_is_base64(each) for each in reading.forms(data)):
            yield form, "data"


def _is_base64(form: Form) -> bool:
    return form.get("type") == "string" and form.get("contentEncoding") == "base64"


def _is_base64_list(reading: ActionSchema, form: Form) -> bool:
    return form.get("type") == "array" and any(
        _is_base64(each) for each in reading.forms(form.get("items", False))
    )


def _read(name: str, key: str) -> bytes:
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - as everywhere on a call's way
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it cannot be read"
        raise UsageError(f"{key!r}: {name}: {why}") from None
    if len(data) > MAX_FILE_BYTES:
        raise UsageError(
            f"{key!r}: {name} has more than {MAX_FILE_BYTES:,} bytes; one call carries no more"
        )
    return data


def _parts(data: bytes) -> Iterator[str]:
    for start in range(0, len(data), _BYTES_OF_PART):
        yield _base64(data[start : start + _BYTES_OF_PART])


def _base64(data: bytes) -> str:
    from base64 import b64encode  # noqa: PLC0415 - for files only

    return b64encode(data).decode()
