"""How the lines of another server's output are decoded: as UTF-8, and each of bounded length.

The official client reads lines without a bound, and ends where one is not UTF-8; but it lets the
encoding be named. This is one: what is no beginning of a message is dropped, and an answer that is
too long becomes an error that says so, since whoever waits for it would wait for ever. Knows no
more of the protocol than how an answer begins and ends.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

__all__ = ["ENCODING", "MAX_LINE_CHARS", "BoundedLines"]

ENCODING: Final = "bascule_outside_lines"
"""By this name the encoding is known once this module is imported."""
MAX_LINE_CHARS: Final = 4_194_304
"""Results are bounded further on: this is what may be held and parsed of one."""
_BLANKS: Final = " \t\r"
_END_CHARS: Final = 256
"""Of a line that is too long, what is looked at of either end."""
_ID: Final = r'"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\]{0,64}")'
_VERSION: Final = r'"jsonrpc"\s*:\s*"2\.0"'
_KIND: Final = r'"(?:result|error)"\s*:'
# A server's own requests have ids too, which are nobody's here.
_ID_FIRST: Final = re.compile(
    rf"\{{\s*(?:{_VERSION}\s*,\s*)?{_ID}\s*,\s*(?:{_VERSION}\s*,\s*)?{_KIND}"
)
_KIND_FIRST: Final = re.compile(rf"\{{\s*(?:{_VERSION}\s*,\s*)?{_KIND}")
_ID_LAST: Final = re.compile(rf",\s*{_ID}\s*(?:,\s*{_VERSION}\s*)?\}}\s*\Z")


class BoundedLines(codecs.IncrementalDecoder):
    """Decodes what comes piece by piece, and gives whole lines. Raises nothing."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._begin()

    def decode(self, data: bytes, final: bool = False) -> str:  # type: ignore[override]
        """Return the text of the lines that have ended, blank and foreign ones left out."""
        passed: list[str] = []
        for number, piece in enumerate(self._utf8.decode(data, final).split("\n")):
            if number:
                passed += self._line("\n")
            self._take(piece)
        if final:
            passed += self._line("")
        return "".join(passed)

    def _begin(self) -> None:
        self._held: list[str] = []
        self._taken = 0
        """Characters of the line so far, those included that are held no more."""
        self._foreign = False
        self._last = ""
        """The end so far of a line that is too long."""

    def _take(self, piece: str) -> None:
        if not self._taken:
            piece = piece.lstrip(_BLANKS)
            self._foreign = self._foreign or (piece != "" and piece[0] != "{")
        if self._foreign or not piece:
            return
        self._taken += len(piece)
        if self._taken <= MAX_LINE_CHARS:
            self._held.append(piece)
            return
        if not self._last:
            whole = "".join(self._held)
            self._held = [(whole + piece[:_END_CHARS])[:_END_CHARS]]
            self._last = whole[-_END_CHARS:]
        self._last = (self._last + piece[-_END_CHARS:])[-_END_CHARS:]

    def _line(self, end: str) -> list[str]:
        """Return the line, which ends here, and begin the next one."""
        held, too_long = self._held, self._taken > MAX_LINE_CHARS
        last = self._last
        self._begin()
        if not held:
            return []
        return [_too_long(held[0], last), end] if too_long else [*held, end]


def _too_long(first: str, last: str) -> str:
    """Return an error in place of an answer of which this is the beginning and the end."""
    found = _ID_FIRST.match(first)
    if found is None and _KIND_FIRST.match(first):
        found = _ID_LAST.search(last)
    if found is None:
        # Nobody waits for it, as far as can be seen.
        return ""
    words = f"its answer is longer than {MAX_LINE_CHARS:,} characters, and was dropped"
    error = f'{{"code":-32000,"message":"{words}"}}'
    return f'{{"jsonrpc":"2.0","id":{found[1]},"error":{error}}}'


def _search(name: str) -> codecs.CodecInfo | None:
    if name != ENCODING:
        return None
    utf8 = codecs.lookup("utf-8")
    return codecs.CodecInfo(utf8.encode, utf8.decode, incrementaldecoder=BoundedLines, name=name)


codecs.register(_search)
