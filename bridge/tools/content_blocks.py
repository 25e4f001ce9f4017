"""The blocks that a result's content is made of, read into the four kinds that are known.

Text, image, audio and resource. A link to a resource and a video become resources; any other
block, and one that lacks what its kind must have, is left out. Bounds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final, TypeGuard

from bridge.tools.result_limits import RESULT_LIMITS
from bridge.tools.text_clip import json_bytes

__all__ = ["Block", "read_block", "read_blocks", "read_text", "text_block"]

Block = dict[str, Any]

_MAX_NAME_BYTES: Final = 1_024
"""Of an address as JSON: a longer one is nobody's."""
_MAX_MIME_BYTES: Final = 255
_MAX_READ_CHARS: Final = 1_048_576
"""More of a text never stays."""
_AUDIENCES: Final = frozenset({"user", "assistant"})
_MAX_LOOKED_AT: Final = 16 * RESULT_LIMITS.max_blocks
"""A list may hold any number of blocks that are none."""


def text_block(text: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": text}


def read_text(text: str) -> tuple[Block]:
    """Return the one block of a content that is only text."""
    return (text_block(_plain(text)),)


def read_blocks(values: list[object] | tuple[object, ...]) -> tuple[Block, ...]:
    """Return the blocks that are known, in their order, one more than may stay at most.

    Contract: package tools, content.
    """
    blocks: list[Block] = []
    for value in islice(values, _MAX_LOOKED_AT):
        block = read_block(value)
        if block is not None:
            blocks.append(block)
            if len(blocks) > RESULT_LIMITS.max_blocks:
                break
    return tuple(blocks)


def read_block(value: object) -> Block | None:
    """Return one block with the members of its kind alone, or None where it is none."""
    if not isinstance(value, Mapping):
        return None
    kind = value.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    block = None if read is None else read(value)
    if block is None:
        return None
    annotations = _annotations(value.get("annotations"))
    return {**block, "annotations": annotations} if annotations else block


def _text(value: Mapping[Any, Any]) -> Block | None:
    text = value.get("text")
    return text_block(_plain(text)) if isinstance(text, str) else None


def _media(value: Mapping[Any, Any]) -> Block | None:
    data, mime = value.get("data"), _mime(value)
    if not isinstance(data, str) or mime is None:
        return None
    return {"type": _plain(value["type"]), "data": _plain(data), "mimeType": mime}


def _video(value: Mapping[Any, Any]) -> Block | None:
    data, mime = value.get("data"), _mime(value)
    if not isinstance(data, str) or mime is None or not mime.startswith("video/"):
        return None
    uri = _name(value.get("uri")) or "attachment:video"
    return _resource_of({"uri": uri, "mimeType": mime, "blob": _plain(data)})


def _resource(value: Mapping[Any, Any]) -> Block | None:
    inner = value.get("resource")
    uri = _name(inner.get("uri")) if isinstance(inner, Mapping) else None
    if not isinstance(inner, Mapping) or uri is None:
        return None
    resource: Block = {"uri": uri}
    mime = _mime(inner)
    if mime is not None:
        resource["mimeType"] = mime
    for key in ("text", "blob"):
        if isinstance(inner.get(key), str):
            return _resource_of({**resource, key: _plain(inner[key])})
    return None


def _resource_link(value: Mapping[Any, Any]) -> Block | None:
    """Tell of a resource what its link tells: nothing is fetched."""
    uri, mime = _name(value.get("uri")), _mime(value)
    if uri is None:
        return None
    named = [value.get(key) for key in ("title", "name", "description")]
    told = list(dict.fromkeys(_plain(each) for each in named if isinstance(each, str) and each))
    # The text is the link's, whatever type of media the resource itself has.
    about = {} if mime is None else {"mimeType": "text/plain"}
    lines = [": ".join(told) or uri, *([f"({mime})"] if mime else [])]
    return _resource_of({"uri": uri, **about, "text": " ".join(lines)})


def _resource_of(resource: Block) -> Block:
    return {"type": "resource", "resource": resource}


_READERS: Final[Mapping[str, Callable[[Mapping[Any, Any]], Block | None]]] = {
    "text": _text,
    "image": _media,
    "audio": _media,
    "video": _video,
    "resource": _resource,
    "resource_link": _resource_link,
}


def _name(value: object, max_bytes: int = _MAX_NAME_BYTES) -> str | None:
    if isinstance(value, str) and 0 < len(value) <= max_bytes:
        name = _plain(value)
        return name if json_bytes(name) <= max_bytes else None
    return None


def _mime(value: Mapping[Any, Any]) -> str | None:
    return _name(value.get("mimeType"), _MAX_MIME_BYTES)


def _annotations(value: object) -> dict[str, Any]:
    """Return what MCP knows of a block's audience and weight."""
    if not isinstance(value, Mapping):
        return {}
    found: dict[str, Any] = {}
    audience, priority = value.get("audience"), value.get("priority")
    if isinstance(audience, list) and len(audience) <= len(_AUDIENCES):
        known = [each for each in audience if isinstance(each, str) and each in _AUDIENCES]
        if known:
            found["audience"] = known
    if _is_number(priority) and 0 <= priority <= 1:
        found["priority"] = priority
    modified = value.get("lastModified")
    if isinstance(modified, str) and len(modified) <= 64:
        found["lastModified"] = _plain(modified)
    return found


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(text: str) -> str:
    """Return a text that can be written: half characters, which JSON cannot tell, are replaced."""
    text = text if type(text) is str else str.__str__(text)
    if text.isascii():
        return text
    try:
        text[:_MAX_READ_CHARS].encode()
    except UnicodeEncodeError:
        known = text[:_MAX_READ_CHARS].encode("utf-16-le", "surrogatepass")
        return known.decode("utf-16-le", "replace")
    return text
