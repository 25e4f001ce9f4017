"""Reads the usual command line without argparse, which takes as long to load as Python itself.

It is given the same `add_argument` calls, so that a command is defined once. Whatever is unusual,
a mistake above all, is left to argparse: help texts and errors are made there alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser

__all__ = ["WORDS", "QuickCommand", "QuickParser"]

WORDS: Final = "words"
"""The argument that has all words of a command, where the command tells them apart itself."""

_IGNORED: Final = frozenset({"help", "metavar"})
_KNOWN: Final = frozenset({"action", "nargs", "type", "choices", "default"})
_SUPPRESS: Final = "==SUPPRESS=="


class _Argument(NamedTuple):
    name: str
    is_flag: bool
    nargs: str | None
    convert: Callable[[str], Any] | None
    choices: Sequence[Any] | None
    default: Any


class QuickParser:
    """Takes definitions like argparse's parsers and groups, and parses what is plain."""

    def __init__(self) -> None:
        self._options: dict[str, _Argument] = {}
        self._positionals: list[_Argument] = []
        self._exclusive: list[set[str]] = []
        self._usable = True
        self.description: str | None = None

    def add_argument(self, *names: str, **told: Any) -> None:  # noqa: ANN401 - as argparse's
        """Take a definition; one of an unknown kind leaves the command to argparse."""
        action = told.get("action", "store")
        unknown = told.keys() - _KNOWN - _IGNORED
        if unknown or action not in {"store", "store_true"} or told.get("default") == _SUPPRESS:
            self._usable = False
            return
        longest = next((name for name in names if name.startswith("--")), names[0])
        argument = _Argument(
            longest.lstrip("-").replace("-", "_"),
            action == "store_true",
            told.get("nargs"),
            told.get("type"),
            told.get("choices"),
            told.get("default", False if action == "store_true" else None),
        )
        if not names[0].startswith("-"):
            self._positionals.append(argument)
        elif argument.nargs is None:
            self._options.update(dict.fromkeys(names, argument))
        else:
            self._usable = False

    def set_defaults(self, **values: Any) -> None:  # noqa: ANN401 - as argparse's
        """Leave a command that has further values to argparse."""
        del values
        self._usable = False

    def add_argument_group(self, *_: object) -> QuickParser:
        """Return what takes the arguments of a group."""
        return self

    def add_mutually_exclusive_group(self) -> _ExclusiveGroup:
        """Return what takes arguments of which only one may be given."""
        self._exclusive.append(set())
        return _ExclusiveGroup(self, self._exclusive[-1])

    def parse(self, words: Sequence[str]) -> argparse.Namespace | None:
        """Return the arguments; None where argparse has to look."""
        if not self._usable:
            return None
        values: dict[str, Any] = {}
        rest: list[str] = []
        queue = list(reversed(words))
        while queue:
            word = queue.pop()
            name, equals, text = word.partition("=")
            option = self._options.get(name) if name.startswith("-") else None
            if option is None:
                if word.startswith("-") and word != "-":
                    return None
                rest.append(word)
            elif option.is_flag:
                if equals:
                    return None
                values[option.name] = True
            else:
                if not equals:
                    text = queue.pop() if queue else "-?"
                    if text.startswith("-") and text != "-":
                        return None
                values[option.name] = text
        if any(len(group & values.keys()) > 1 for group in self._exclusive):
            return None
        return self._finish(values, rest)

    def _finish(self, values: dict[str, Any], rest: list[str]) -> argparse.Namespace | None:
        for argument in self._positionals:
            if argument.nargs == "*" and len(self._positionals) == 1:
                values[argument.name], rest = rest, []
            elif rest and argument.nargs in {None, "?"}:
                values[argument.name] = rest.pop(0)
            elif argument.nargs != "?":
                return None
        if rest:
            return None
        for argument in {*self._options.values(), *self._positionals}:
            value = values.setdefault(argument.name, argument.default)
            if argument.convert is not None and isinstance(value, str):
                try:
                    value = values[argument.name] = argument.convert(value)
                except Exception:  # noqa: BLE001 - argparse tells what is wrong with it
                    return None
            if argument.choices is not None and value not in argument.choices:
                return None
        return cast("argparse.Namespace", SimpleNamespace(**values))


class _ExclusiveGroup:
    def __init__(self, parser: QuickParser, names: set[str]) -> None:
        self._parser = parser
        self._names = names

    def add_argument(self, *names: str, **told: Any) -> None:  # noqa: ANN401 - as argparse's
        self._parser.add_argument(*names, **told)
        self._names.update(name.lstrip("-").replace("-", "_") for name in names)


class QuickCommand:
    """Stands in for argparse's subparsers, and makes a `QuickParser`."""

    parser: QuickParser

    def add_parser(self, name: str, **_: object) -> Parser:
        """Make the parser of one command."""
        del name
        self.parser = QuickParser()
        return cast("Parser", self.parser)
