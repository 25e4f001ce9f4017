"""A resource of an app, read part by part: each is checked against the one before it.

Writes nothing; whoever iterates does. Contract: resources.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from typing import Final, NamedTuple

from bridge.cli.app_session import AppSession, Result, bad_answer
from bridge.cli.output.json_text import NumberText, compact
from bridge.contract.limits import PROTOCOL_LIMITS

__all__ = ["Part", "read_parts"]

_MAX_SIZE_DIGITS: Final = 15


class Part(NamedTuple):
    """Some bytes of a resource."""

    offset: int
    data: bytes
    size: int
    """Of the whole resource."""
    mime_type: str

    @property
    def end(self) -> int:
        """The offset after its last byte."""
        return self.offset + len(self.data)


def read_parts(app: AppSession, uri: str, offset: int = 0) -> Iterator[Part]:
    """Yield a resource's parts from an offset on; at least one, perhaps without bytes.

    Raises `BasculeError`: the app's error, or a bad answer where parts do not fit each other, as
    when the resource has changed in between.
    """
    first: Part | None = None
    while True:
        params = {"uri": uri, "offset": NumberText(offset)}
        result = app.look("resources/read", compact(params))
        part = _part(result, offset)
        if first is None:
            first = part
        elif (part.size, part.mime_type) != (first.size, first.mime_type):
            raise bad_answer(f"the resource changed while it was read, at byte {offset}", None)
        yield part
        following = result.value.get("nextOffset")
        if following is None:
            if part.end < part.size:
                raise bad_answer(f"the resource ends at byte {part.end} of {part.size}", None)
            return
        if not part.data or not _is(following, part.end) or part.end >= part.size:
            raise bad_answer("nextOffset is not where the part ends", None)
        offset = part.end


def _part(result: Result, offset: int) -> Part:
    if not _is(result.value.get("offset"), offset):
        raise bad_answer(f"it is not the part at byte {offset} that was asked for", None)
    size = result.value.get("size")
    if not isinstance(size, NumberText) or not size.isdecimal() or len(size) > _MAX_SIZE_DIGITS:
        raise bad_answer("size is not a number of bytes", None)
    try:
        data = binascii.a2b_base64(result.text_at("data"), strict_mode=True)
    except ValueError:
        raise bad_answer("data is not base64", None) from None
    part = Part(offset, data, int(size), result.text_at("mimeType"))
    if len(data) > PROTOCOL_LIMITS.max_resource_chunk_bytes or (data and part.end > part.size):
        raise bad_answer("it is more than was asked for", None)
    return part


def _is(value: object, number: int) -> bool:
    return isinstance(value, NumberText) and value == str(number)
