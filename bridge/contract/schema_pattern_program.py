"""Reads a pattern and writes the program of its automaton.

Checks the syntax of ECMA-262's regular expressions with the `u` flag itself, as JavaScript's own
engine does for the twin. Refused in both languages: look-around, back-references, modifiers,
group names that are not ASCII or that occur twice, and properties outside of a common list, for
which the engines of different ages differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from bridge.contract.schema_pattern_classes import (
    CharacterTest,
    PatternError,
    read_class,
    read_escape,
)

__all__ = ["Instruction", "PatternError", "compile_program", "is_word"]

_MAX_PATTERN_CHARS: Final = 1_024
_MAX_PROGRAM: Final = 4_096
_MAX_GROUPS: Final = 32
"""Groups around a character. Keeps the reading of a pattern within a small stack."""
_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|")
_LINE_ENDS: Final = frozenset("\n\r\u2028\u2029")
_QUANTIFIER: Final = re.compile(r"(?:([*+?])|\{([0-9]+)(?:(,)([0-9]*))?\})\??")
_GROUP: Final = re.compile(r"\((?:\?:|\?<([A-Za-z_$][A-Za-z0-9_$]*)>|(?!\?))")

Op: TypeAlias = Literal["char", "split", "jump", "match", "start", "end", "boundary", "no boundary"]


class Instruction(NamedTuple):
    """One step of a program: take a character, go on elsewhere, or assert something here."""

    op: Op
    to: tuple[int, ...] = ()
    test: CharacterTest | None = None


def compile_program(source: str) -> Sequence[Instruction]:
    """Read a pattern. Raises `PatternError`."""
    if len(source.encode("utf-16-le", "surrogatepass")) > 2 * _MAX_PATTERN_CHARS:
        raise PatternError("the pattern is too long")
    return _Compiler(source).program()


def is_word(character: str) -> bool:
    r"""Say whether the character is one of `\w`."""
    return character == "_" or (character.isascii() and character.isalnum())


class _Compiler:
    """Reads a pattern from left to right."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._out: list[Instruction] = []
        self._names: set[str] = set()
        self._depth = 0

    def program(self) -> Sequence[Instruction]:
        self._alternatives()
        if self._at < len(self._source):
            raise PatternError("the pattern is malformed")
        self._emit(Instruction("match"))
        return self._out

    def _emit(self, instruction: Instruction) -> int:
        if len(self._out) >= _MAX_PROGRAM:
            raise PatternError("the pattern is too large")
        self._out.append(instruction)
        return len(self._out) - 1

    def _here(self) -> str:
        return self._source[self._at : self._at + 1]

    def _alternatives(self) -> None:
        jumps: list[int] = []
        branch = len(self._out)
        self._sequence()
        while self._here() == "|":
            self._at += 1
            self._insert(branch, Instruction("split", (branch + 1, len(self._out) + 2)))
            jumps.append(self._emit(Instruction("jump", (0,))))
            branch = len(self._out)
            self._sequence()
        for jump in jumps:
            self._out[jump] = Instruction("jump", (len(self._out),))

    def _sequence(self) -> None:
        while self._here() not in ("", "|", ")"):
            start = len(self._out)
            if not self._assertion():
                self._atom()
                self._quantifier(start)

    def _assertion(self) -> bool:
        """Read an assertion, if one stands here: none may be repeated."""
        found = self._here()
        op: Op
        if found == "^":
            op = "start"
        elif found == "$":
            op = "end"
        elif found == "\\" and self._source[self._at + 1 : self._at + 2] in ("b", "B"):
            self._at += 1
            op = "boundary" if self._here() == "b" else "no boundary"
        else:
            return False
        self._at += 1
        self._emit(Instruction(op))
        return True

    def _atom(self) -> None:
        found = self._here()
        if found == "(":
            self._group()
        elif found == "[":
            test, self._at = read_class(self._source, self._at)
            self._emit(Instruction("char", test=test))
        elif found == "\\":
            test, self._at = read_escape(self._source, self._at)
            self._emit(Instruction("char", test=test))
        elif found == ".":
            self._at += 1
            self._emit(Instruction("char", test=lambda each: each not in _LINE_ENDS))
        elif found in _SYNTAX:
            raise PatternError("the pattern is malformed")
        else:
            self._at += 1
            self._emit(Instruction("char", test=found.__eq__))

    def _group(self) -> None:
        opened = _GROUP.match(self._source, self._at)
        if opened is None:
            raise PatternError("the pattern uses look-around, modifiers or an unusual name")
        if opened[1] is not None:
            if opened[1] in self._names:
                raise PatternError("the pattern uses the name of a group twice")
            self._names.add(opened[1])
        self._at = opened.end()
        self._depth += 1
        if self._depth > _MAX_GROUPS:
            raise PatternError("the pattern is nested too deeply")
        self._alternatives()
        self._depth -= 1
        if self._here() != ")":
            raise PatternError("the pattern is malformed")
        self._at += 1

    def _quantifier(self, start: int) -> None:
        """Repeat what was written from `start` on, if a quantifier stands here."""
        match = _QUANTIFIER.match(self._source, self._at)
        if match is None:
            return
        self._at = match.end()
        least, most = _bounds(match)
        if most is not None and most < least:
            raise PatternError("the pattern is malformed")
        body = self._out[start:]
        del self._out[start:]
        # What takes no character and asserts nothing may be repeated in vain, a billion times.
        if not body:
            return
        if (least + 1 if most is None else most) * len(body) > _MAX_PROGRAM:
            raise PatternError("the pattern is too large")
        for _ in range(least):
            self._copy(body, start)
        if most is None:
            split = self._emit(Instruction("split"))
            self._copy(body, start)
            self._emit(Instruction("jump", (split,)))
            self._out[split] = Instruction("split", (split + 1, len(self._out)))
            return
        splits: list[int] = []
        for _ in range(least, most):
            splits.append(self._emit(Instruction("split")))
            self._copy(body, start)
        for split in splits:
            self._out[split] = Instruction("split", (split + 1, len(self._out)))

    def _copy(self, body: Sequence[Instruction], start: int) -> None:
        """Write the body once more; its own addresses begin at `start`."""
        shift = len(self._out) - start
        for instruction in body:
            self._emit(_shifted(instruction, shift, 0))

    def _insert(self, index: int, instruction: Instruction) -> None:
        moved = [_shifted(each, 1, index) for each in self._out[index:]]
        del self._out[index:]
        for each in (instruction, *moved):
            self._emit(each)


def _bounds(match: re.Match[str]) -> tuple[int, int | None]:
    if match[1]:
        return int(match[1] == "+"), 1 if match[1] == "?" else None
    least = int(match[2])
    if not match[3]:
        return least, least
    return least, int(match[4]) if match[4] else None


def _shifted(instruction: Instruction, by: int, start: int) -> Instruction:
    """Move the addresses of an instruction; those below `start` stay as they are."""
    if not instruction.to:
        return instruction
    return instruction._replace(
        to=tuple(address + by if address >= start else address for address in instruction.to)
    )
