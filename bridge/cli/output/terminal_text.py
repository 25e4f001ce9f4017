"""What may reach a terminal: text without the power to move cursors or to pose as other text.

Names and data come from apps. Control characters, bidirectional overrides and lone surrogates are
written out as escapes; ordinary text of any language stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["json_for_terminal", "json_text_for_terminal", "printable", "table"]


def printable(text: str) -> str:
    """Return text with every character that is not printable as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def json_for_terminal(line: bytes) -> bytes:
    r"""Return the same JSON document, with escapes for what a terminal should not be sent.

    Only strings of a document can hold such characters, and there a `\u` escape means the same.
    """
    return json_text_for_terminal(line.decode("utf-8", "replace")).encode()


def json_text_for_terminal(text: str) -> str:
    """Return the same JSON document, as `json_for_terminal` does with bytes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else _json_escape(c) for c in text)


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def table(rows: Sequence[Sequence[str]], header: Sequence[str], *, for_terminal: bool) -> str:
    """Return aligned columns under a header for a terminal, else tab-separated lines."""
    safe = [[printable(cell) for cell in row] for row in rows]
    if not for_terminal:
        return "".join("\t".join(row) + "\n" for row in safe)
    lines = [list(header), *safe]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        + "\n"
        for line in lines
    )
