"""The app that a command is for: by its name, slug, address, port, or a native one's socket."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from bridge.cli.app_session import AppSession
from bridge.cli.quick_parser import WORDS
from bridge.cli.target import (
    ChosenBridge,
    Target,
    add_target_options,
    named_by_file,
    read_token_file,
)
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BasculeError, ClientErrorCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser
    from bridge.client.native_choice import ChosenNative

__all__ = [
    "add_app_options",
    "app_word",
    "attached_slugs",
    "choose_app",
    "choose_app_quietly",
    "choose_bridge",
    "name_app",
    "open_app",
    "take_words",
]

T = TypeVar("T")
_BREAK: Final = "\n"
_INDENTED: Final = "\n" + " " * 13
_APP_HELP: Final = (
    "the app's name, or that in lower case with hyphens, or its\n"
    "bridge's address or port; of native apps also SLUG.PID or the\n"
    "socket's path; left out where an option names the app"
)


def add_app_options(parser: Parser, *words: tuple[str, str]) -> None:
    """Add APP, what else the command takes by position, and the options that name a bridge."""
    listed = [("APP", _APP_HELP), *words]
    lines = [f"  {name:<11}{text.replace(_BREAK, _INDENTED)}" for name, text in listed]
    parser.description = "\n".join([f"{parser.description}\n", "arguments:", *lines])
    # All in one: argparse cannot tell a missing app from what follows it.
    parser.add_argument(WORDS, nargs="*", metavar=" ".join(name for name, _ in listed))
    add_target_options(parser)


def take_words(args: argparse.Namespace, *names: str, rest: str | None = None) -> list[str]:
    """Take the app from the words of a command, and return the others.

    `names` are the words that have to follow it; `rest` names those that may come after. Raises
    `UsageError`.
    """
    words: list[str] = list(args.words)
    by_option = args.app is not None or args.url is not None or args.origin is not None
    path, by_file = args.token_file, False
    if names and not by_option and path is not None:
        # The same bridge may be reached at another address, as where its port is forwarded.
        by_file = _takes_bridge(args, path) and not (words and _is_address(words[0]))
        by_option = by_file
    wanted = len(names) + (not by_option)
    # With nothing else to tell apart, an app that is left out is the only one.
    if not by_option and (names or words):
        if len(words) < wanted:
            missing = ("APP", *names)[len(words) :]
            raise UsageError(
                f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing: "
                f"bascule {args.command} {' '.join(('APP', *names))}"
            )
        name_app(args, words.pop(0))
    if len(words) < len(names):
        raise UsageError(f"{names[len(words)]} is missing")
    if len(words) > len(names):
        cure = "; APP is left out with --app, --url and --origin" if by_option else ""
        if by_file:
            cure = f"; {named_by_file(path, args.url)}: leave out the app's name"
        _check_rest(words[len(names)], rest, cure)
    return words


def _takes_bridge(args: argparse.Namespace, path: str) -> bool:
    """Take what a token file has for options, and say whether it names its bridge.

    It may be a pipe, which is read only once.
    """
    args.token, url = read_token_file(path)
    args.token_file = None
    if url is not None:
        args.url = url
    return url is not None


def _check_rest(word: str, rest: str | None, cure: str) -> None:
    """Raise `UsageError` where the first word that nothing asked for shows a mistake."""
    if rest is None:
        raise UsageError(f"{word!r} is one word too many{cure}")
    if cure and "=" not in word:
        raise UsageError(f"{word!r} is no {rest}{cure}")


def _is_address(word: str) -> bool:
    return "://" in word or _is_port(word)


def _is_port(word: str) -> bool:
    return word.isascii() and word.isdecimal() and 0 < int(word[:6]) < 65_536


def name_app(args: argparse.Namespace, word: str) -> None:
    """Understand APP as the option that says the same."""
    if "://" in word:
        args.url = word
    elif _is_port(word):
        args.url = f"http://127.0.0.1:{int(word)}"
    elif not word:
        raise UsageError("APP is empty")
    elif "/" in word and word.endswith(".sock"):
        args.app = os.path.abspath(word)  # noqa: PTH100 - pathlib costs a call its start
        args.environment_url = args.environment_token = None
    else:
        args.app = word
        # What the environment names is for commands that name nothing.
        args.environment_url = args.environment_token = None


def choose_app(
    args: argparse.Namespace, target: Target | None = None
) -> ChosenBridge | ChosenNative:
    """Return the app, over its bridge or native. Raises `BridgeFailure` and `UsageError`.

    A `target` is what the arguments were read as already.
    """
    return _chosen(args, (target or Target.from_arguments(args)).choose_app)


def choose_app_quietly(args: argparse.Namespace) -> ChosenBridge | ChosenNative:
    """Do as `choose_app`, and leave standard error alone: whoever reads it shows it to nobody."""
    return choose_app(args, Target.from_arguments(args, warn=False))


def choose_bridge(args: argparse.Namespace, target: Target | None = None) -> ChosenBridge:
    """Return the bridge of the app, for what only a page has. Raises as `choose_app`."""
    return _chosen(args, (target or Target.from_arguments(args)).choose)


def _chosen(args: argparse.Namespace, choose: Callable[[], T]) -> T:
    try:
        return choose()
    except BasculeError as failure:
        if args.app is not None and failure.code == ClientErrorCode.NO_BRIDGE:
            _suggest(failure, args.app)
        raise


def open_app(args: argparse.Namespace) -> AppSession:
    """Return a session with the app. Raises `BridgeFailure` and `UsageError`."""
    return AppSession(
        choose_app(args).connection,
        getattr(args, "session", "cli"),
        getattr(args, "timeout", None),
    )


def app_word(args: argparse.Namespace) -> str:
    """Return the app as it would be written in another command."""
    if args.app is not None:
        return _quoted(args.app)
    return "APP" if args.url is None else _quoted(args.url)


def _quoted(word: str) -> str:
    import shlex  # noqa: PLC0415 - for examples only

    return shlex.quote(word)


def _suggest(failure: BasculeError, given: str) -> None:
    from bridge.cli.suggestions import did_you_mean  # noqa: PLC0415 - for mistakes only

    meant = did_you_mean(given, attached_slugs())
    if meant:
        failure.hint = f"{meant.strip()} {failure.hint or ''}".strip()


def attached_slugs() -> Sequence[str]:
    """Return the slugs of this user's apps: attached to a bridge, or native."""
    from bridge.client.bridge_choice import app_slug  # noqa: PLC0415 - for mistakes only
    from bridge.client.bridge_states import bridge_states  # noqa: PLC0415
    from bridge.client.discovery import running_bridges  # noqa: PLC0415
    from bridge.client.native_discovery import running_natives  # noqa: PLC0415
    from bridge.client.runtime_directory import RuntimeDirectoryError  # noqa: PLC0415

    try:
        states = bridge_states(running_bridges())
        natives = running_natives()
    except RuntimeDirectoryError:
        return []
    attached = [app_slug(state.app) for state in states if state.app is not None]
    return list(dict.fromkeys([*attached, *(entry.slug for entry in natives)]))
