"""`key=value` words of a command, taken apart; what a value means is the schema's business."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from bridge.cli.usage_error import UsageError

__all__ = ["InputWord", "read_word", "read_words", "split_key", "written_key"]

_EXAMPLE: Final = "write key=value, or key:=JSON, such as text=Hello or at:=0"
_MAX_WORDS: Final = 4_096


class InputWord(NamedTuple):
    """One word: where its value belongs, and how it was written."""

    key: str
    """The key as it was written, dots and all."""
    text: str
    is_json: bool
    """Whether it came as `key:=JSON`, with its type already."""

    @property
    def path(self) -> tuple[str, ...]:
        r"""The names from the outside in: `a.b` is two, `a\.b` is one."""
        return split_key(self.key)


def read_words(words: Sequence[str]) -> list[InputWord]:
    """Take words apart. Raises `UsageError`."""
    if len(words) > _MAX_WORDS:
        raise UsageError(f"more than {_MAX_WORDS} words of input: use --input-file")
    return [read_word(word) for word in words]


def read_word(word: str) -> InputWord:
    """Take one word apart at its first `=` or `:=`. Raises `UsageError`."""
    key, equals, text = word.partition("=")
    if not equals:
        raise UsageError(f"{word!r} is no input: {_EXAMPLE}")
    is_json = key.endswith(":")
    key = key.removesuffix(":")
    if not key or "" in split_key(key):
        raise UsageError(f"{word!r} names no key: {_EXAMPLE}")
    try:
        word.encode()
    except UnicodeEncodeError:
        raise UsageError(f"the input for {key!r} is not valid text") from None
    return InputWord(key, text, is_json)


def split_key(key: str) -> tuple[str, ...]:
    """Split a key at its dots; a dot after a backslash belongs to the name."""
    if "\\" not in key:
        return tuple(key.split("."))
    names, name, escaped = [], "", False
    for character in key:
        if escaped:
            name += character if character in ".\\" else "\\" + character
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == ".":
            names.append(name)
            name = ""
        else:
            name += character
    return (*names, name + "\\" * escaped)


def written_key(path: Sequence[str]) -> str:
    """Return the key that `split_key` splits into a path."""
    return ".".join(name.replace("\\", "\\\\").replace(".", "\\.") for name in path)
