"""`bascule mcp-config`: the entry by which an MCP client drives an app, printed and no more.

The entry names this very `bascule` by its whole path and says where the runtime directory is, since
clients start it in an environment of their own. It holds no token. Contract: MCP, secrets.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from bridge.cli.mcp_clients import (
    MAX_NAME_CHARS,
    MCP_CLIENTS,
    McpClient,
    McpEntry,
    add_command,
    config_block,
    is_server_name,
)
from bridge.cli.own_command import own_command
from bridge.cli.styles import Style, add_color_option
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_address import parse_address
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "gateway_words", "run"]

_CLEARED: Final = ("XDG_RUNTIME_DIR", "LOCALAPPDATA")
"""What the runtime directory depends on, and clients do not always hand on."""
_EPILOG: Final = """\
examples:
  bascule mcp-config claude-code
  bascule mcp-config codex my-editor >> ~/.codex/config.toml
  bascule mcp-config cursor --name drawing bascule-draw
  bascule doctor

The block goes to standard output; where it belongs is told on a terminal. Neither the app nor a
bridge has to run: the entry finds them when a tool is called. --accept-legacy is for a client that
offers the revision 2025-06-18 and gives up when it is answered 2025-11-25; codex and generic have
it by themselves.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "mcp-config",
        help="print the configuration by which an MCP client drives an app",
        usage="bascule mcp-config CLIENT [ENDPOINT] [options]",
        description="Print the configuration by which an MCP client drives an app.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "client", choices=tuple(MCP_CLIENTS), metavar="CLIENT", help=", ".join(MCP_CLIENTS)
    )
    parser.add_argument(
        "endpoint",
        nargs="?",
        metavar="ENDPOINT",
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
    add_color_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the block, and on a terminal where it goes."""
    client = MCP_CLIENTS[args.client]
    command, *first = own_command()
    words = gateway_words(args.endpoint)
    if args.accept_legacy or client.offers_older:
        words.append("--accept-legacy")
    if args.token_file is not None:
        words += ["--token-file", os.path.abspath(args.token_file)]  # noqa: PTH100 - a text
    url = args.environment_url if args.endpoint is None else None
    entry = McpEntry(args.name, command, (*first, *words), _environment(os.environ, url))
    _check_writable(entry)
    print(config_block(client, entry), flush=True)
    if sys.stderr.isatty():
        _tell_where(client, entry, args)
    if args.environment_token is not None and args.token_file is None:
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
        return ["browser-stdio"]
    if not endpoint or endpoint.startswith("-"):
        raise UsageError("ENDPOINT is no app's name")
    if "://" in endpoint or _is_port(endpoint):
        url = endpoint if "://" in endpoint else f"http://127.0.0.1:{int(endpoint)}"
        try:
            return ["browser-stdio", "--url", parse_address(url).url]
        except ValueError as error:
            raise UsageError(str(error)) from None
    if "/" in endpoint and endpoint.endswith(".sock"):
        endpoint = os.path.abspath(endpoint)  # noqa: PTH100 - a text
    elif _is_attached(endpoint):
        return ["browser-stdio", "--app", endpoint]
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


def _environment(environ: Mapping[str, str], url: str | None) -> dict[str, str]:
    """Return what the gateway needs and cannot be sure to inherit. Never a token."""
    kept = {name: environ[name] for name in _CLEARED if environ.get(name)}
    return kept if url is None else {**kept, "BASCULE_URL": url}


def _check_writable(entry: McpEntry) -> None:
    try:
        "".join((entry.command, *entry.args, *entry.env.values())).encode()
    except UnicodeEncodeError:
        raise UsageError("a path or a name is no text, and no configuration can hold it") from None


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
    if not client.is_toml:
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
