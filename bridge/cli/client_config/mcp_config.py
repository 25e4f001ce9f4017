"""`bascule mcp-config`: the entry by which an MCP client drives an app, printed and no more.

The entry names this very `bascule` by its whole path and says where the runtime directory is, since
clients start it in an environment of their own. It holds no token. Contract: MCP, secrets.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from bridge.cli.client_config.mcp_clients import (
    MAX_NAME_CHARS,
    MCP_CLIENTS,
    McpClient,
    McpEntry,
    add_command,
    config_block,
    is_server_name,
)
from bridge.cli.client_config.mcp_earlier_entry import earlier_entry
from bridge.cli.output.styles import Style, add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.cli.own_command import own_command
from bridge.cli.program_start import cannot_be_started
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_address import parse_address
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["absent_files", "add_parser", "app_words", "gateway_words", "run"]

_DIRECTORY: Final = "XDG_RUNTIME_DIR"
_CLEARED: Final = (_DIRECTORY, "LOCALAPPDATA")
"""What the runtime directory depends on, and clients do not always hand on."""
_PAGE: Final = ("browser-stdio", "--protocol", "mcp")
"""From the first line on: some clients send another request before those that select MCP."""
_LIKE_A_FILE: Final = re.compile(r"(?!-)(?!.*://)[^\s]*(/[^\s]*|[^\s.]\.[A-Za-z]\w{0,9})")
"""With a slash, or a suffix that is no number; no option, no address and no sentence."""
_NO_FILE: Final = (
    "{} is no file here, and is written as it is. If it is one of the app's, run this in the app's"
    " folder."
)
_EPILOG: Final = """\
examples:
  bascule mcp-config claude-code
  bascule mcp-config codex my-editor >> ~/.codex/config.toml
  bascule mcp-config cursor --name drawing bascule-draw
  bascule mcp-config vscode --name notes --headless python notes.py
  bascule doctor

The block goes to standard output; where it belongs is told on a terminal. Neither the app nor a
bridge has to run: the entry finds them when a tool is called. With --headless the client starts an
app of its own each time, as `bascule headless APP --protocol mcp` does; run it in the app's folder:
files that are named are written with their whole paths. This command's own options come before it.

--accept-legacy is for a client that offers the revision 2025-06-18 and gives up when it is answered
2025-11-25; codex and generic have it by themselves.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "mcp-config",
        help="print the configuration by which an MCP client drives an app",
        usage="bascule mcp-config CLIENT [APP | --headless APP [ARGUMENT ...]] [options]",
        description="Print the configuration by which an MCP client drives an app.",
        epilog=_EPILOG,
    )
    parser.add_argument("client", type=_client_name, metavar="CLIENT", help=", ".join(MCP_CLIENTS))
    parser.add_argument(
        "endpoint",
        nargs="?",
        metavar="APP",
        help="the app: its name or slug, its bridge's address or port, or a native one's socket; "
        "without it the page of your only bridge",
    )
    parser.add_argument(
        "--name",
        type=_server_name,
        default="bascule",
        metavar="NAME",
        help="what the client calls it (default: bascule)",
    )
    parser.add_argument(
        "--accept-legacy",
        action="store_true",
        help="have 2025-06-18 answered as offered, for an older client",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="a file with the token of a bridge that is not found by itself",
    )
    parser.add_argument(
        "--headless",
        nargs="...",
        metavar="APP",
        help="an app without a window that the client starts, and all its arguments",
    )
    add_color_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the block, and on a terminal where it goes."""
    client = MCP_CLIENTS[args.client]
    command, *first = own_command()
    older = ["--accept-legacy"] if args.accept_legacy or client.offers_older else []
    if args.headless is not None:
        _check_headless(args)
        words = ["headless", "--protocol", "mcp", *older, "--", *app_words(args.headless)]
        environment = _environment(os.environ)
    else:
        words = [*gateway_words(args.endpoint), *older]
        if args.token_file is not None:
            if words[0] == "stdio" or "--app" in words:
                raise UsageError(
                    "a token file names its bridge: leave APP out, or give its address"
                )
            words += ["--token-file", os.path.abspath(args.token_file)]  # noqa: PTH100 - a text
        environment = _gateway_environment(os.environ)
        if args.environment_url is not None and args.endpoint is None:
            environment["BASCULE_URL"] = args.environment_url
    entry = McpEntry(args.name, command, (*first, *words), environment)
    _check_writable(entry)
    print(config_block(client, entry), flush=True)
    _tell_earlier(client, entry)
    _tell_absent(args.endpoint, words)
    for told in _not_yet(args, words, environment):
        print(f"bascule mcp-config: {printable(told)}", file=sys.stderr)
    if sys.stderr.isatty():
        _tell_where(client, entry, args)
    by_token = args.token_file is None and args.headless is None
    if args.environment_token is not None and by_token:
        print(
            "bascule mcp-config: BASCULE_TOKEN is not written into a configuration. Where the "
            "bridge is not yours, put its token into a file of mode 0600 and give --token-file.",
            file=sys.stderr,
        )
    return ExitCode.DONE


def gateway_words(endpoint: str | None) -> list[str]:
    """Return the command that serves an endpoint over standard input and output.

    Raises `UsageError`. What does not run yet is left to `stdio`, which takes a name of any app.
    """
    if endpoint is None:
        return [*_PAGE]
    if not endpoint or endpoint.startswith("-"):
        raise UsageError("APP is no app's name")
    if "://" in endpoint or _is_port(endpoint):
        url = endpoint if "://" in endpoint else f"http://127.0.0.1:{int(endpoint)}"
        try:
            return [*_PAGE, "--url", parse_address(url).url]
        except ValueError as error:
            raise UsageError(str(error)) from None
    if "/" in endpoint and endpoint.endswith(".sock"):
        endpoint = os.path.abspath(endpoint)  # noqa: PTH100 - a text
    elif _is_attached(endpoint):
        return [*_PAGE, "--app", endpoint]
    return ["stdio", endpoint, "--protocol", "mcp"]


def _is_port(word: str) -> bool:
    return word.isascii() and word.isdecimal() and 0 < int(word[:6]) < 65_536


def _is_attached(name: str) -> bool:
    """Say whether a page of this name is attached now, and no native app has it too."""
    from bridge.client.bridge_choice import names_app  # noqa: PLC0415 - for a name only
    from bridge.client.bridge_states import bridge_states  # noqa: PLC0415
    from bridge.client.discovery import running_bridges  # noqa: PLC0415
    from bridge.client.native_choice import natives_named  # noqa: PLC0415
    from bridge.client.runtime_directory import RuntimeDirectoryError  # noqa: PLC0415

    try:
        attached = any(names_app(name, state.app) for state in bridge_states(running_bridges()))
        return attached and not natives_named(name)
    except RuntimeDirectoryError:
        return False


def app_words(given: Sequence[str]) -> list[str]:
    """Return an app's command as it starts from any folder, with any PATH. Raises `UsageError`."""
    if not given or not given[0]:
        raise UsageError("APP is missing: bascule mcp-config CLIENT --headless APP [ARGUMENT ...]")
    program = shutil.which(given[0])
    if program is None:
        raise UsageError(cannot_be_started(given, "it is no program that can be found here"))
    # An argument that is no file's name is left as it is, and a folder's that could be a word.
    arguments = [
        os.path.abspath(w) if os.path.isfile(w) or ("/" in w and os.path.isdir(w)) else w  # noqa: PTH100, PTH112, PTH113
        for w in given[1:]
    ]
    return [os.path.abspath(program), *arguments]  # noqa: PTH100 - a link is kept


def _not_yet(
    args: argparse.Namespace, words: Sequence[str], environment: Mapping[str, str]
) -> Iterator[str]:
    """Yield what is missing yet of the files that the entry names."""
    if args.headless is not None:
        yield from map(_NO_FILE.format, absent_files(args.headless))
    if args.token_file is None:
        return
    from bridge.cli.target import read_token_file  # noqa: PLC0415 - for a file only

    try:
        _, url = read_token_file(args.token_file)
    except UsageError as error:
        yield f"{error}. The entry works once it holds what the bridge printed."
        return
    if url is None and "--url" not in words and "BASCULE_URL" not in environment:
        yield (
            f"{args.token_file} holds a token without an address, and the entry has none either. "
            "Put the whole line there that the bridge printed, or give the address: bascule "
            f"mcp-config {args.client} http://127.0.0.1:PORT --token-file {args.token_file}"
        )


def absent_files(given: Sequence[str]) -> list[str]:
    """Return the arguments of an app that look like a file's name and are none here."""
    return [
        word
        for before, word in pairwise(given)
        # The word after it is a module's name, which has dots too.
        if before != "-m" and _LIKE_A_FILE.fullmatch(word) and not os.path.exists(word)  # noqa: PTH110
    ]


def _check_headless(args: argparse.Namespace) -> None:
    if args.endpoint is not None:
        raise UsageError("an app that runs already is none for --headless: give one of the two")
    if args.token_file is not None:
        raise UsageError("--token-file is for a bridge, and --headless has none")


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what is set and cannot be sure to be inherited. Never a token."""
    return {name: environ[name] for name in _CLEARED if environ.get(name)}


def _gateway_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what says to a gateway where the runtime directory is."""
    kept = _environment(environ)
    if sys.platform != "win32":
        # Not set here, and perhaps where the client runs: empty, it counts as not set there too.
        kept.setdefault(_DIRECTORY, "")
    return kept


def _check_writable(entry: McpEntry) -> None:
    try:
        "".join((entry.command, *entry.args, *entry.env.values())).encode()
    except UnicodeEncodeError:
        raise UsageError("a path or a name is no text, and no configuration can hold it") from None


def _client_name(text: str) -> str:
    if text in MCP_CLIENTS:
        return text
    from argparse import ArgumentTypeError  # noqa: PLC0415 - for mistakes only

    from bridge.cli.suggestions import did_you_mean  # noqa: PLC0415

    listed = ", ".join(MCP_CLIENTS)
    raise ArgumentTypeError(f"it is one of {listed}.{did_you_mean(text, MCP_CLIENTS)}")


def _tell_earlier(client: McpClient, entry: McpEntry) -> None:
    """Say that the client's file has such an entry: whoever appends a second breaks the file."""
    path = earlier_entry(client, entry.name, os.environ)
    if path is not None:
        print(
            f"bascule mcp-config: {printable(str(path))} has [{client.key}.{entry.name}] already. "
            f"Take that out, or give this one another name (--name): with both, {client.title} "
            "cannot read the file.",
            file=sys.stderr,
        )


def _tell_absent(endpoint: str | None, words: Sequence[str]) -> None:
    """Say that no app of this name runs: it may have been mistyped."""
    if endpoint is None or words[:2] != ["stdio", endpoint] or "/" in endpoint:
        # An address or a socket is nobody's spelling of a name, and what is attached was found.
        return
    from bridge.cli.client_config.mcp_absent_app import told_absent  # noqa: PLC0415

    told = told_absent(endpoint)
    if told is not None:
        print(f"bascule mcp-config: {printable(told)}", file=sys.stderr)


def _server_name(text: str) -> str:
    if is_server_name(text):
        return text
    from argparse import ArgumentTypeError  # noqa: PLC0415 - for mistakes only

    raise ArgumentTypeError(
        f"1 to {MAX_NAME_CHARS} of a-z, 0-9, _ and -, which every client takes as they are"
    )


def _tell_where(client: McpClient, entry: McpEntry, args: argparse.Namespace) -> None:
    style = Style.of(args, sys.stderr)
    place = client.places.get(sys.platform, client.places[""])
    lines = [f"For {style(client.title, 'bold')}: this goes into {style(place, 'bold')}."]
    if client.is_toml:
        lines.append(f"An earlier [{client.key}.{entry.name}] there has to go first.")
    else:
        lines.append(f"Where that has {client.key!r} already, add {entry.name!r} to it.")
    if client.more:
        lines.append(client.more)
    if args.client == "claude-code":
        command = add_command(entry)
        if command.isprintable():
            # No shell could be given another in a form that every one reads.
            lines.append(f"For all your projects instead:\n  {command}")
    lines.append("`bascule doctor` checks the way from here to the app.")
    print("\n" + "\n".join(lines), file=sys.stderr)
