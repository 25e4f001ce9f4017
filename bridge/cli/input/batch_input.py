"""The calls of a batch as they are given: lines of JSON, or one JSON array.

Each call keeps the text that it was written with. Nothing is sent from here. Contract: batches.
"""

from __future__ import annotations

from typing import NamedTuple

from bridge.cli.output.json_text import JsonTextError, elements, joined, members, read
from bridge.cli.usage_error import UsageError

__all__ = ["BatchCall", "read_calls"]

LATEST = "latest"


class BatchCall(NamedTuple):
    """One call, its members as JSON text."""

    action: str
    parts: dict[str, str]

    @property
    def wants_latest(self) -> bool:
        """Whether it is meant for whatever revision the action has now."""
        return self.parts.get("expectedRevision") == f'"{LATEST}"'

    def expecting(self, revision: str | None) -> BatchCall:
        """Return it with the revision that it expects; with none, where the action has none."""
        kept = {name: text for name, text in self.parts.items() if name != "expectedRevision"}
        if revision is not None:
            kept["expectedRevision"] = revision
        return self._replace(parts=kept)

    @property
    def text(self) -> str:
        """The call as it goes out."""
        return joined(self.parts)


def read_calls(data: bytes) -> list[BatchCall]:
    """Read what was given. Raises `UsageError`, which says where it is wrong."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise UsageError("the calls are not UTF-8") from None
    if text.lstrip(" \t\r\n").startswith("["):
        try:
            texts = elements(text)
        except JsonTextError as error:
            raise UsageError(f"the array of calls cannot be read as JSON: {error}") from None
        named = [(f"call {number}", each) for number, each in enumerate(texts, 1)]
    else:
        # At line feeds alone: JSON text may hold what else Unicode takes for a line's end.
        lines = enumerate(text.split("\n"), 1)
        named = [(f"line {number}", each) for number, each in lines if each.strip(" \t\r")]
    if not named:
        raise UsageError("there are no calls: give one JSON object on each line, or an array")
    return [_call(where, each) for where, each in named]


def _call(where: str, text: str) -> BatchCall:
    try:
        parts = members(text)
    except JsonTextError as error:
        raise UsageError(f"{where} is no JSON object: {error}") from None
    action = read(parts.get("action", "null"))
    if type(action) is not str:
        raise UsageError(f'{where} names no "action"')
    return BatchCall(action, parts)
