"""What a person may have meant by a word that nothing is called.

Quotes neither the word nor anything that could be a secret; whoever asks says what was wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bridge.client.bridge_failure import BasculeError

__all__ = ["did_you_mean", "explain_unknown_action", "nearest"]

_MAX_NAMES = 2_000
"""Names come from apps as well: comparing with more of them takes longer than it helps."""
_MAX_CHARS = 128


def nearest(word: str, names: Iterable[str], at_most: int = 3) -> list[str]:
    """Return the names that are most like a word, the nearest first."""
    import difflib  # noqa: PLC0415 - for mistakes only

    known = list(dict.fromkeys(names))[:_MAX_NAMES]
    by_lower: dict[str, str] = {}
    for name in known:
        by_lower.setdefault(name.lower()[:_MAX_CHARS], name)
    lower = word.lower()[:_MAX_CHARS]
    close = difflib.get_close_matches(lower, by_lower, at_most, 0.6)
    if not close and len(lower) >= 3:
        # `undo` is a good guess at `document.undo`, and too far for a measure of letters.
        close = [name for name in by_lower if lower in name]
    return [by_lower[name] for name in close[:at_most]]


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return a question to put behind an error, a blank before it; empty without a guess."""
    found = nearest(word, names)
    if not found:
        return ""
    *most, last = found
    return f" Did you mean {', '.join(most)} or {last}?" if most else f" Did you mean {last}?"


def explain_unknown_action(
    error: BasculeError, name: str, actions: Callable[[], list[dict[str, Any]]]
) -> None:
    """Put the action that was probably meant into an app's error that it has no such action."""
    if error.code != "UNKNOWN_ACTION":
        return
    try:
        meant = did_you_mean(name, [str(action.get("name")) for action in actions()])
    except BasculeError:
        return
    error.hint = f"{meant} `bascule actions APP` lists what there is.".strip()
