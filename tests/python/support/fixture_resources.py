"""What the fixture host of the vectors has to read, and what it lists of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["find_resource", "listed_resources", "listed_templates"]


def numbered(size: int) -> bytes:
    """Return bytes each of which is its place modulo 251."""
    return bytes(at % 251 for at in range(size))


IMAGE: Final = b"\x89PNG\r\n\x1a\n"
SIZED: Final = re.compile(r"note:(bytes|letters|nulls|pixels)/([0-9]{1,6})")
RESOURCES: Final[Mapping[str, tuple[str, bytes]]] = {
    "note:zeros": ("application/octet-stream", numbered(200_000)),
    "note:empty": ("text/plain", b""),
    "note:image": ("image/png", IMAGE),
    "note:slow": ("image/png", IMAGE),
    "note:drips": ("image/png", IMAGE),
    "note:json": ("application/json", b'{"a":1}'),
    "note:linked": ("application/ld+json", b"{}"),
    "note:drawn": ("image/svg+xml", b"<svg/>"),
    "note:charset": ("Text/HTML; charset=utf-8", "ä😀\u2028\x00".encode()),
    "note:marked": ("text/plain", b"\xef\xbb\xbfa"),
    "note:broken": ("text/plain", b"a\xff"),
    "note:bare": ("application/octet-stream", b"abc"),
}


def find_resource(uri: str, note: str) -> tuple[str, bytes] | None:
    """Return the media type and all bytes of what has this name, if anything has."""
    if uri == "note:text":
        return "text/plain", note.encode()
    sized = SIZED.fullmatch(uri)
    if sized is None:
        return RESOURCES.get(uri)
    kind, size = sized[1], int(sized[2])
    if kind in {"letters", "nulls"}:
        return "text/plain", (b"x" if kind == "letters" else b"\0") * size
    return "image/png" if kind == "pixels" else "application/octet-stream", numbered(size)


def listed_resources(note: str, listed: int | str) -> Any:
    """Return what is listed of the resources: so many parts after the first, or what is no list."""
    first = {
        "uri": "note:text",
        "name": "Note",
        "title": "The note",
        "description": "What it holds.",
        "mimeType": "text/plain",
        "size": len(note.encode()),
    }
    picture = {"uri": "note:image", "name": "Picture", "mimeType": "image/png"}
    return _entries([first, picture], "uri", "note:part/{}", listed)


def listed_templates(listed: int | str) -> Any:
    """Return what is listed of the templates."""
    first = {
        "uriTemplate": "note:bytes/{size}",
        "name": "Bytes",
        "description": "So many bytes.",
        "mimeType": "application/octet-stream",
    }
    return _entries([first], "uriTemplate", "note:part/{}/{{at}}", listed)


def _entries(first: list[dict[str, Any]], member: str, form: str, listed: int | str) -> Any:
    def part(at: int) -> dict[str, Any]:
        return {member: form.format(at), "name": f"Part {at}"}

    match listed:
        case "nameless":
            return [{member: first[0][member]}]
        case "numbered":
            return [{**first[0], "name": 1}]
        case "single":
            return first[0]
        case "wordy":
            long = {"description": "n" * 12_000}
            return [*first, *({**part(at), **long} for at in range(30))]
        case int():
            return [*first, *map(part, range(listed))]
    return first
