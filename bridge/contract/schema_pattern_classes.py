r"""What stands for exactly one character in a pattern: escapes, classes and properties.

By ECMA-262 with the `u` flag: `\d` and `\w` are ASCII, `\s` is Unicode's blanks and line ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from bridge.contract.schema_pattern_properties import PROPERTIES, has_property

__all__ = ["CharacterTest", "PatternError", "read_class", "read_escape"]

CharacterTest: TypeAlias = Callable[[str], bool]
_Range: TypeAlias = tuple[int, int]

_DIGITS: Final = ((0x30, 0x39),)
_WORD: Final = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Final = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_SETS: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS: Final = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_IDENTITY: Final = frozenset("^$\\.*+?()[]{}|/")
_CODE: Final = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}"
    r"|u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|c([A-Za-z])|(0)(?![0-9]))"
)
_PROPERTY: Final = re.compile(r"\\([pP])\{([^}]*)\}")
_MAX_CODE: Final = 0x10FFFF


class PatternError(ValueError):
    """A pattern that is malformed, too large, or needs backtracking."""


class _Set:
    """A set of characters: ranges, and tests for what is no range."""

    def __init__(self) -> None:
        self.ranges: list[_Range] = []
        self.tests: list[CharacterTest] = []

    def holds(self, character: str) -> bool:
        code = ord(character)
        return any(low <= code <= high for low, high in self.ranges) or any(
            test(character) for test in self.tests
        )


def read_escape(source: str, at: int) -> tuple[CharacterTest, int]:
    """Read an escape outside of a class: its test, and where it ends. Raises `PatternError`."""
    found = _Set()
    if source[at + 1 : at + 2] in ("1", "2", "3", "4", "5", "6", "7", "8", "9", "k"):
        raise PatternError("the pattern uses a back-reference")
    code, end = _read_member(found, source, at, in_class=False)
    if code is not None:
        found.ranges.append((code, code))
    return found.holds, end


def read_class(source: str, at: int) -> tuple[CharacterTest, int]:
    """Read a class in brackets: its test, and where it ends. Raises `PatternError`."""
    found = _Set()
    at += 1
    negated = source.startswith("^", at)
    at += negated
    while not source.startswith("]", at):
        low, at = _read_member(found, source, at, in_class=True)
        if not source.startswith("-", at) or source.startswith("]", at + 1):
            if low is not None:
                found.ranges.append((low, low))
            continue
        high, at = _read_member(found, source, at + 1, in_class=True)
        if low is None or high is None or high < low:
            raise _malformed()
        found.ranges.append((low, high))
    if negated:
        return lambda character: not found.holds(character), at + 1
    return found.holds, at + 1


def _read_member(  # noqa: PLR0911 - one for each kind
    found: _Set, source: str, at: int, *, in_class: bool
) -> tuple[int | None, int]:
    """Read one member of a class: its code, or None where it was a set and is in `found` now."""
    character = source[at : at + 1]
    if character == "":
        raise _malformed()
    if character != "\\":
        return ord(character), at + 1
    escaped = source[at + 1 : at + 2]
    if escaped.lower() in _SETS and escaped:
        found.tests.append(_of_ranges(_SETS[escaped.lower()], negated=escaped.isupper()))
        return None, at + 2
    if escaped in ("p", "P"):
        return None, _read_property(found, source, at)
    if escaped in _CONTROLS:
        return _CONTROLS[escaped], at + 2
    if escaped in _IDENTITY or (in_class and escaped == "-"):
        return ord(escaped), at + 2
    if in_class and escaped == "b":
        return 0x08, at + 2
    return _read_code(source, at)


def _read_code(source: str, at: int) -> tuple[int, int]:
    match = _CODE.match(source, at)
    if match is None:
        raise _malformed()
    braced, lead, trail, unit, byte, control, _ = match.groups()
    if lead is not None:
        code = 0x10000 + ((int(lead, 16) - 0xD800) << 10) + (int(trail, 16) - 0xDC00)
    elif control is not None:
        code = ord(control) % 32
    else:
        code = int(braced or unit or byte or "0", 16)
    if code > _MAX_CODE:
        raise _malformed()
    return code, match.end()


def _read_property(found: _Set, source: str, at: int) -> int:
    match = _PROPERTY.match(source, at)
    if match is None:
        raise _malformed()
    name, negated = match[2], match[1] == "P"
    if name not in PROPERTIES:
        raise PatternError("the pattern uses a property that is not known everywhere")

    @lru_cache(maxsize=4096)
    def test(character: str) -> bool:
        return has_property(name, character) != negated

    found.tests.append(test)
    return match.end()


def _of_ranges(ranges: tuple[_Range, ...], *, negated: bool) -> CharacterTest:
    def test(character: str) -> bool:
        code = ord(character)
        return any(low <= code <= high for low, high in ranges) != negated

    return test


def _malformed() -> PatternError:
    return PatternError("the pattern is malformed")
