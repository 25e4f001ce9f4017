"""What is wrong with a file that is no strict JSON, told to whoever wrote it.

People write comments, trailing commas and `NaN` because other readers take them: what stands where
reading stopped says which it was. Reads no JSON itself.
"""

from __future__ import annotations

import re
from typing import Final

from bridge.contract.strict_json import StrictJsonError
from bridge.tools.problems import in_ascii

__all__ = ["json_words"]

_PLACE: Final = re.compile(r"at line (\d+) column (\d+)$")
_HABITS: Final = (
    (
        re.compile(rb"//|/\*|#"),
        "has a comment, which JSON does not know: put it into a description, or into $comment",
    ),
    (
        re.compile(rb"[+-]?(?:NaN|Infinity)"),
        "has NaN or Infinity, which JSON does not know: write a number, or leave it out",
    ),
    (re.compile(rb"(?:True|False|None)\b"), "has a word of Python: write true, false or null"),
    (re.compile(rb"'"), 'has a text in single quotes: write "double quotes"'),
)


def json_words(data: bytes, error: StrictJsonError) -> str:
    """Return what is wrong and where, in ASCII."""
    if data.startswith(b"\xef\xbb\xbf"):
        return "begins with a byte order mark: save it as UTF-8 without one"
    reason = in_ascii(str(error))
    if error.kind == "limit":
        return f"is {reason}: make the schema smaller"
    # The rule's own name says it.
    reason = reason.removeprefix("not strict JSON: ")
    place = _PLACE.search(reason)
    if place is None:
        return reason
    line, column = int(place[1]), int(place[2])
    there = data.split(b"\n", line)[line - 1][max(0, column - 1) :]
    for habit, words in _HABITS:
        if habit.match(there):
            return f"{words} ({place[0]})"
    return reason
