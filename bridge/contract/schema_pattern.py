"""Patterns of JSON Schema without catastrophe.

The twin of `browser_worker/contract/schema_pattern.js`. A regular expression is compiled to a
small automaton and run in time linear in the text: its threads go side by side, and where a set
of threads goes with a character is found out once. What such an engine cannot do (look-around,
back-references) is refused when the schema is read. Not for reading patterns:
`schema_pattern_program` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from bridge.contract.schema_pattern_program import (
    Instruction,
    PatternError,
    compile_program,
    is_word,
)

__all__ = ["Pattern", "PatternError"]

_THREADS_PER_STEP: Final = 8
"""Threads that are looked at for what counts as one step."""
_SPEND_EVERY: Final = 1_024
_MAX_REMEMBERED: Final = 65_536
"""Of threads and transitions per pattern: ever new characters must not fill the memory."""

_program = lru_cache(maxsize=64)(compile_program)
"""Packages of tools hold one and the same pattern a thousand times; a program never changes."""

_END: Final = 0
_WORD: Final = 1
_OTHER: Final = 2


class _State:
    """Where the threads stand between two characters.

    Some may stand at an assertion, which is decided only when the next character is known.
    """

    __slots__ = ("before", "following", "threads")

    def __init__(self, threads: tuple[int, ...], before: int) -> None:
        self.threads = threads
        self.before = before
        self.following: dict[str, tuple[int, _State | None]] = {}
        """By the next character: what taking it costs, and the state behind it.

        None for the latter is the end of the pattern.
        """


class Pattern:
    """A pattern that was read: ECMA-262 syntax with the `u` flag. Raises `PatternError`."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._program: Sequence[Instruction] = _program(source)
        self._forget()

    def _forget(self) -> None:
        self._remembered = 0
        self._start = _State((), _END)
        self._states: dict[tuple[tuple[int, ...], int], _State] = {}

    @property
    def size(self) -> int:
        """How many instructions it became, to which the time of its reading is in proportion."""
        return len(self._program)

    def occurs(self, text: str, spend: Callable[[float], None] = lambda _: None) -> bool:
        """Say whether it matches anywhere in a text.

        `spend` is told of the work as it is done and may stop it by raising.
        """
        state = self._start
        for start in range(0, len(text), _SPEND_EVERY):
            threads = 0
            for character in text[start : start + _SPEND_EVERY]:
                step = state.following.get(character)
                if step is None:
                    step = self._step(state, character)
                count, following = step
                threads += count
                if following is None:
                    spend(threads / _THREADS_PER_STEP)
                    return True
                state = following
            spend(threads / _THREADS_PER_STEP)
        standing = self._standing(state, _END)
        if standing is None:
            return True
        spend((1 + len(standing)) / _THREADS_PER_STEP)
        return False

    def _step(self, state: _State, character: str) -> tuple[int, _State | None]:
        """Take one character, and remember where it goes."""
        standing = self._standing(state, _kind(character))
        if standing is None:
            step: tuple[int, _State | None] = (0, None)
        else:
            step = (1 + len(standing), self._behind(standing, character))
        if self._remembered > _MAX_REMEMBERED:
            self._forget()
        self._remembered += 1 + len(state.threads)
        state.following[character] = step
        return step

    def _standing(self, state: _State, after: int) -> list[int] | None:
        """Return the threads that wait for a character here, or None at the pattern's end.

        A match may begin anywhere: one more thread starts at each character.
        """
        threads: list[int] = []
        marked: set[int] = set()
        for pc in (*state.threads, 0):
            if self._follow(pc, (state.before, after), threads, marked):
                return None
        return threads

    def _behind(self, standing: Sequence[int], character: str) -> _State | None:
        """Return the state behind a character, or None at the pattern's end."""
        threads: list[int] = []
        marked: set[int] = set()
        for pc in standing:
            test = self._program[pc].test
            if test is not None and test(character) and self._follow(pc + 1, None, threads, marked):
                return None
        key = (tuple(sorted(threads)), _kind(character))
        known = self._states.get(key)
        if known is None:
            known = self._states[key] = _State(*key)
        return known

    def _follow(
        self, start: int, around: tuple[int, int] | None, threads: list[int], marked: set[int]
    ) -> bool:
        """Add a thread, through everything that takes no character.

        With `around`, what stands before and after, assertions are decided; else a thread waits
        at each. Returns whether the end of the pattern was reached.
        """
        stack = [start]
        while stack:
            pc = stack.pop()
            if pc in marked:
                continue
            marked.add(pc)
            instruction = self._program[pc]
            if instruction.op == "match":
                return True
            if instruction.op in ("jump", "split"):
                stack.extend(instruction.to)
            elif instruction.op == "char" or around is None:
                threads.append(pc)
            elif _holds(instruction.op, *around):
                stack.append(pc + 1)
        return False


def _kind(character: str) -> int:
    """Return all that an assertion needs to know of a character."""
    return _WORD if is_word(character) else _OTHER


def _holds(assertion: str, before: int, after: int) -> bool:
    if assertion == "start":
        return before == _END
    if assertion == "end":
        return after == _END
    boundary = (before == _WORD) != (after == _WORD)
    return boundary == (assertion == "boundary")
