"""The one status that a finished call's header shows, as its structured content says it.

An icon, the tone it is drawn in, and the word that is its accessible name. Draws nothing, and
says nothing of a call that still runs. Its twin: `browser_worker/contract/settled_status.js`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["SettledStatus", "settled_status"]

Icon = Literal["check", "cross", "triangle", "spinner"]
Tone = Literal["success", "neutral", "error", "warning", "pending"]

_SUCCESS: Final = frozenset({"success", "completed", "pending_review"})
_LOOKS: Final[dict[Tone, Icon]] = {
    "success": "check",
    "neutral": "check",
    "error": "cross",
    "warning": "triangle",
    "pending": "spinner",
}
_BLANKS: Final = " \t\r\n"
_LOWER: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
"""ASCII alone: other letters become smaller in other ways in other languages."""
_MAX_WORD_CHARS: Final = 64


class SettledStatus(NamedTuple):
    """What the header shows."""

    icon: Icon
    tone: Tone
    word: str
    """The icon's accessible name."""


def settled_status(structured_content: object, is_error: bool | None = None) -> SettledStatus:
    """Return the status of a call that has ended. Contract: package tools, settled status.

    A result that is an error is drawn as one, whatever it says of itself. Then `ok` counts, then
    a `status` that is text. A result with neither is `committed`.
    """
    marks = structured_content if isinstance(structured_content, Mapping) else {}
    word = _word(marks.get("status"))
    tone = _tone(word) if word else None
    told: Tone | None = None
    if is_error is True or marks.get("ok") is False:
        told = "error"
    elif marks.get("ok") is True:
        told = "success"
    if told is not None:
        return SettledStatus(_LOOKS[told], told, word if tone == told else told)
    if tone is None:
        return SettledStatus("check", "success", "committed")
    return SettledStatus(_LOOKS[tone], tone, word)


def _word(status: object) -> str:
    return status.strip(_BLANKS)[:_MAX_WORD_CHARS] if isinstance(status, str) else ""


def _tone(word: str) -> Tone:
    lower = word.translate(_LOWER)
    if lower in _SUCCESS:
        return "success"
    if "error" in lower or "fail" in lower:
        return "error"
    if "partial" in lower:
        return "warning"
    return "pending" if "pending" in lower else "neutral"
