"""Patterns of JSON Schema without catastrophe.

The twin of `browser_worker/contract/schema_pattern.js`. A regular expression is compiled to a
small automaton and run in time linear in the text. What such an engine cannot do (look-around,
back-references) is refused when the schema is read. Not for reading patterns:
`schema_pattern_program` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
_MAX_TRANSITIONS: Final = 4_096
"""Remembered per pattern: a text of ever new characters must not fill the memory."""
_SPEND_EVERY: Final = 256

_State = tuple[int, ...]
_END: Final = 0
_WORD: Final = 1
_OTHER: Final = 2


class Pattern:
    """A pattern that was read: ECMA-262 syntax with the `u` flag. Raises `PatternError`."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._program: Sequence[Instruction] = compile_program(source)
        self._transitions: dict[tuple[_State, int, str, int], tuple[int, _State | None]] = {}

    def occurs(self, text: str, spend: Callable[[float], None] = lambda _: None) -> bool:
        """Say whether it matches anywhere in a text.

        `spend` is told of the work as it is done and may stop it by raising.
        """
        transitions = self._transitions
        state: _State = ()
        before = _END
        threads = 0
        characters = [*text, ""]
        for at, character in enumerate(characters[:-1]):
            after = characters[at + 1]
            key = (state, before, character, _kind(after))
            step = transitions.get(key)
            if step is None:
                step = self._step(state, before, character, after)
                if len(transitions) < _MAX_TRANSITIONS:
                    transitions[key] = step
            count, following = step
            threads += count
            if following is None:
                spend(threads / _THREADS_PER_STEP)
                return True
            if at % _SPEND_EVERY == 0:
                spend(threads / _THREADS_PER_STEP)
                threads = 0
            state = following
            before = _kind(character)
        last = self._follow(0, before, "", list(state), set(state))
        spend(threads / _THREADS_PER_STEP)
        return last

    def _step(
        self, state: _State, before: int, character: str, after: str
    ) -> tuple[int, _State | None]:
        """Take one character: how many threads stood before it, and which stand behind it.

        None for the latter is the end of the pattern.
        """
        threads = list(state)
        if self._follow(0, before, character, threads, set(state)):
            return 0, None
        following: list[int] = []
        marked: set[int] = set()
        for pc in threads:
            test = self._program[pc].test
            if (
                test is not None
                and test(character)
                and self._follow(pc + 1, _kind(character), after, following, marked)
            ):
                return 1 + len(threads), None
        return 1 + len(threads), tuple(following)

    def _follow(
        self, start: int, before: int, after: str, threads: list[int], marked: set[int]
    ) -> bool:
        """Add a thread, through everything that takes no character.

        Returns whether the end of the pattern was reached.
        """
        stack = [start]
        while stack:
            pc = stack.pop()
            if pc in marked:
                continue
            marked.add(pc)
            instruction = self._program[pc]
            match instruction.op:
                case "match":
                    return True
                case "jump" | "split":
                    stack.extend(instruction.to)
                case "char":
                    threads.append(pc)
                case _:
                    if _holds(instruction.op, before, _kind(after)):
                        stack.append(pc + 1)
        return False


def _kind(character: str) -> int:
    """Return all that an assertion needs to know of a character, the empty one being the end."""
    if character == "":
        return _END
    return _WORD if is_word(character) else _OTHER


def _holds(assertion: str, before: int, after: int) -> bool:
    if assertion == "start":
        return before == _END
    if assertion == "end":
        return after == _END
    boundary = (before == _WORD) != (after == _WORD)
    return boundary == (assertion == "boundary")
