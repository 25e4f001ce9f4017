"""How the lines of another server's output are decoded: as UTF-8, and each of bounded length.

The official client reads lines without a bound, and ends where one is not UTF-8; but it lets the
encoding be named. This is one: what is no beginning of a message is dropped, what is too long is
cut, and is then no message any more. Knows no protocol beyond that a message begins with `{`.
"""

from __future__ import annotations

import codecs
from typing import Final

__all__ = ["ENCODING", "MAX_LINE_CHARS", "BoundedLines"]

ENCODING: Final = "bascule_outside_lines"
"""By this name the encoding is known once this module is imported."""
MAX_LINE_CHARS: Final = 4_194_304
"""Results are bounded further on: this is what may be held and parsed of one."""
_BLANKS: Final = " \t\r"


class BoundedLines(codecs.IncrementalDecoder):
    """Decodes what comes piece by piece. Raises nothing."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._taken = 0
        """Characters of the line so far that were passed on."""
        self._dropped = False

    def decode(self, data: bytes, final: bool = False) -> str:  # type: ignore[override]
        """Return the text of whole and of begun lines, blank and foreign ones left out."""
        passed: list[str] = []
        for number, piece in enumerate(self._utf8.decode(data, final).split("\n")):
            if number:
                if self._taken:
                    passed.append("\n")
                self._taken, self._dropped = 0, False
            kept = piece if self._taken else piece.lstrip(_BLANKS)
            if kept and not self._taken and kept[0] != "{":
                self._dropped = True
            if not self._dropped:
                kept = kept[: MAX_LINE_CHARS - self._taken]
                self._taken += len(kept)
                passed.append(kept)
        return "".join(passed)


def _search(name: str) -> codecs.CodecInfo | None:
    if name != ENCODING:
        return None
    utf8 = codecs.lookup("utf-8")
    return codecs.CodecInfo(utf8.encode, utf8.decode, incrementaldecoder=BoundedLines, name=name)


codecs.register(_search)
