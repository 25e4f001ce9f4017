"""What may come next on a command line that is being typed.

Knows no shell: it is given the words up to the one that is typed, and gives candidates for that
one. What it asks of a bridge changes nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from bridge.cli.app_session import AppSession
from bridge.cli.client_config.mcp_clients import MCP_CLIENTS
from bridge.cli.commands import COMMANDS
from bridge.cli.gateways.protocol_option import PROTOCOLS
from bridge.cli.parsing import CommandParser, Parser
from bridge.cli.render_view import RENDER_ACTION
from bridge.cli.tools.tools import TOOLS_COMMANDS

__all__ = ["FILES", "Candidate", "candidates"]

_PATIENCE_SECONDS: Final = 0.8
_TARGET_OPTIONS: Final = ("--app", "--url", "--origin", "--token", "--token-file")
_TAKES_ACTION: Final = frozenset({"call", "describe", "render"})
_TAKES_FILE: Final = frozenset({"assets", "headless"})
_TAKE_FILE: Final = frozenset({"--input-file", "--import-file", "--token-file", "--output", "-o"})
_FOR_PAGES: Final = frozenset({"open", "watch"})
_SHELLS: Final = ("bash", "zsh", "fish")


class Candidate(NamedTuple):
    """One word that could stand here."""

    value: str
    about: str = ""


FILES: Final = Candidate(":files")
"""Stands alone, and asks the shell for the names of files."""
_FIXED: Final[Mapping[str, Sequence[Candidate]]] = MappingProxyType(
    {
        "--expected-revision": (Candidate("latest", "whatever it is"),),
        "--protocol": tuple(map(Candidate, PROTOCOLS)),
    }
)


class _Typed(NamedTuple):
    """A command line, sorted into what it says so far."""

    options: dict[str, str]
    words: list[str]
    awaited: str | None
    """The option whose value is being typed."""


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Return what the last of the words could be, where `words[0]` is the program."""
    *before, current = words[1:] or [""]
    while before and before[0].startswith("-v"):
        before.pop(0)
    if not before or (before == ["tools"] and not current.startswith("-")):
        options = [Candidate("--help"), Candidate("--version"), Candidate("--verbose")]
        commands = TOOLS_COMMANDS if before else COMMANDS
        named = [Candidate(name, command.summary) for name, command in commands.items()]
        return _fitting(options if current.startswith("-") else named, current)
    command = COMMANDS.get(before[0])
    if before[0] == "tools" and len(before) > 1:
        command = TOOLS_COMMANDS.get(before[1])
        before = [f"tools {before[1]}", *before[2:]]
    if command is None:
        return []
    only = CommandParser()
    import_module(command.module).add_parser(only)
    typed = _sort(before[1:], only.parser)
    option, equals, _ = current.partition("=")
    if typed.awaited is None and option.startswith("--") and equals:
        found = _values_of(option, only.parser)
        whole = [c if c is FILES else Candidate(f"{option}={c.value}", c.about) for c in found]
        return _fitting(whole, current)
    if typed.awaited is not None:
        return _fitting(_values_of(typed.awaited, only.parser), current)
    if current.startswith("-"):
        return _fitting(list(_options(only.parser)), current)
    return _fitting(list(_by_position(before[0], typed, current, only.parser)), current)


def _fitting(found: list[Candidate], current: str) -> list[Candidate]:
    return [each for each in found if each is FILES or each.value.startswith(current)]


def _options(parser: Parser) -> Iterator[Candidate]:
    for option, action in parser.option_strings().items():
        if option.startswith("--"):
            yield Candidate(option, (action.help or "").partition(". ")[0].replace("%%", "%"))


def _sort(words: Sequence[str], parser: Parser) -> _Typed:
    """Tell options, their values and other words apart."""
    options: dict[str, str] = {}
    others: list[str] = []
    awaited: str | None = None
    known = parser.option_strings()
    for word in words:
        name, equals, value = word.partition("=")
        if awaited is not None:
            options[awaited], awaited = word, None
        elif word in known and known[word].nargs != 0:
            awaited = word
        elif not word.startswith("--"):
            others.append(word)
        elif equals:
            options[name] = value
        else:
            options[name] = ""
    return _Typed(options, others, awaited)


def _values_of(option: str, parser: Parser) -> list[Candidate]:
    action = parser.option_strings().get(option)
    if action is None:
        return []
    if action.choices is not None:
        return [Candidate(str(choice)) for choice in action.choices]
    if option in _TAKE_FILE:
        return [FILES]
    if option in {"--app", "--url", "--origin"}:
        return list(_running(option))
    return list(_FIXED.get(option, ()))


def _running(what: str, *, native: bool = True) -> Iterator[Candidate]:
    """Yield what runs: as APP or as an option's value. Only pages where not `native`."""
    from bridge.cli.running_apps import running_apps  # noqa: PLC0415 - not for every completion

    for value, about in running_apps(what, native=native):
        yield Candidate(value, about)


def _by_position(command: str, typed: _Typed, current: str, parser: Parser) -> Iterator[Candidate]:
    if command == "completion":
        yield from map(Candidate, _SHELLS if not typed.words else ())
    elif command == "mcp-config":
        if typed.words:
            yield from _running("APP") if len(typed.words) == 1 else ()
        else:
            yield from (Candidate(name, told.title) for name, told in MCP_CLIENTS.items())
    elif command in _TAKES_FILE:
        yield FILES
    elif command.startswith("tools "):
        yield from _of_package(command, typed.words, current)
    elif "--app" in parser.option_strings() and not command.startswith("browser-"):
        yield from _after_app(command, typed, current)


def _of_package(command: str, words: Sequence[str], current: str) -> Iterator[Candidate]:
    """Yield what may follow a package's directory. Runs no code of the package."""
    if not words or command not in {"tools call", "tools describe"}:
        yield FILES
        return
    from pathlib import Path  # noqa: PLC0415 - not for every completion

    from bridge.tools.package_loader import load_package  # noqa: PLC0415

    tools = load_package(Path(words[0])).tools
    if len(words) == 1:
        for tool in tools.values():
            yield Candidate(tool.name, tool.description)
    elif command == "tools call" and words[1] in tools:
        from bridge.tools.published_tool import published_input  # noqa: PLC0415

        yield from _input_words(published_input(tools[words[1]]), words[2:], current)


def _after_app(command: str, typed: _Typed, current: str) -> Iterator[Candidate]:
    words = list(typed.words)
    app: str | None = None
    if not {"--app", "--url", "--origin"} & typed.options.keys():
        if not words:
            yield from _running("APP", native=command not in _FOR_PAGES)
            return
        app = words.pop(0)
    if command == "render":
        words.insert(0, RENDER_ACTION)
    if command not in _TAKES_ACTION or "--batch" in typed.options:
        return
    if not words:
        with _session(typed, app) as session:
            for action in session.actions():
                yield Candidate(_text(action, "name"), _text(action, "description"))
    elif command != "describe":
        with _session(typed, app) as session:
            described = session.describe(words[0]).object_at("action")
        yield from _input_words(described.get("inputSchema", True), words[1:], current)


def _input_words(schema: object, before: Sequence[str], current: str) -> Iterator[Candidate]:
    from bridge.cli.input.action_schema import ActionSchema, closed_set, shown  # noqa: PLC0415
    from bridge.cli.input.input_words import split_key, written_key  # noqa: PLC0415

    reading = ActionSchema(schema)
    key, equals, _ = current.partition("=")
    if equals and not key.endswith(":"):
        forms = reading.forms_at(split_key(key))
        for form in [*forms, *(f for each in forms for f in reading.forms(each.get("items", {})))]:
            values = [shown(value) for value in closed_set(form)]
            for value in values or (["true", "false"] if form.get("type") == "boolean" else []):
                yield Candidate(f"{key}={value}")
        return
    around = split_key(key)[:-1] if "." in key else ()
    given = {word.partition("=")[0] for word in before}
    for found in reading.keys_at(around):
        name = written_key((*around, found.name))
        if found.members:
            yield Candidate(f"{name}.", found.description or found.type)
        elif name not in given or found.type.endswith("[]"):
            yield Candidate(f"{name}=", found.description or found.type)


def _session(typed: _Typed, app: str | None) -> AppSession:
    """Return a session with the app that the line names, with little patience."""
    from bridge.cli.app_target import name_app, open_app  # noqa: PLC0415

    named = {option: typed.options.get(option) for option in _TARGET_OPTIONS}
    args = argparse.Namespace(
        **{option[2:].replace("-", "_"): value for option, value in named.items()},
        environment_url=None,
        environment_token=None,
        timeout=_PATIENCE_SECONDS,
    )
    if app is not None:
        name_app(args, app)
    return open_app(args)


def _text(action: dict[str, Any], name: str) -> str:
    value = action.get(name)
    return value if isinstance(value, str) else ""
