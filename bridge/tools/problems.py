"""What is wrong with a package: where, by which rule, and what to do about it.

All of a package's problems are told together, each in words that name the repair. Not for
failures of calls: those are results.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["PackageError", "Problem", "Severity", "in_ascii", "parts_of", "pointer_to", "told"]

Severity = Literal["error", "warning"]

_MAX_TOLD_CHARS: Final = 80
_MAX_INT_BITS: Final = 1_024
_MAX_LINES: Final = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. Contract: package tools, problems."""

    file: str
    """In the package, with slashes: `tools/weather_forecast.json`. As it is on the disk: a
    terminal escapes it."""
    pointer: str
    """JSON Pointer of the place (RFC 6901); empty for all of the file. As it is in the file."""
    rule: str
    """The rule's id, which stays as it is: `reserved-key`."""
    message: str
    """What is wrong and what to do, printable on any terminal."""
    severity: Severity = "error"

    def __str__(self) -> str:
        place = f"{self.file}:{self.pointer}" if self.pointer else self.file
        return f"{place} {self.rule} {self.message}"


class PackageError(ValueError):
    """A package that does not load. `problems` holds all that is wrong, warnings included."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        """In order of files and of places in them."""
        lines = [str(problem) for problem in self.problems[:_MAX_LINES]]
        if len(self.problems) > _MAX_LINES:
            lines.append(f"and {len(self.problems) - _MAX_LINES} more")
        super().__init__("\n".join(lines))


def pointer_to(parts: Iterable[str | int]) -> str:
    """Return the JSON Pointer (RFC 6901) of a path of names and indices."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def parts_of(pointer: str) -> list[str]:
    """Return the names of a JSON Pointer's way, indices as texts among them."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def in_ascii(text: str) -> str:
    """Return a text of somebody else's with escapes in place of what is not ASCII."""
    return text.encode("ascii", "backslashreplace").decode()


def told(value: object) -> str:
    """Return how a message tells a value of a file: quoted, in ASCII, and short.

    What a file holds must not be able to move a terminal's cursor or fill its screen.
    """
    if isinstance(value, str):
        text = json.dumps(value[: _MAX_TOLD_CHARS + 1])
    elif isinstance(value, Sequence):
        text = f"a list of {len(value)}" if value else "an empty list"
    elif value is None or isinstance(value, bool):
        text = json.dumps(value)
    elif isinstance(value, int | float):
        # Python refuses to write integers of some thousand digits, which TOML can hold.
        large = isinstance(value, int) and value.bit_length() > _MAX_INT_BITS
        text = "a very large number" if large else str(value)
    else:
        text = "an object" if isinstance(value, dict) else "a value"
    return text if len(text) <= _MAX_TOLD_CHARS + 2 else f"{text[:_MAX_TOLD_CHARS]}..."
