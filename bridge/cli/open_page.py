"""`bascule open`: a bridge's page in a browser once more, by a link that attaches it.

The link goes into a file of this user's alone, which the browser is given. Contract: secrets.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.app_target import add_app_options, choose_bridge, take_words
from bridge.cli.redirect_file import is_redirect_of, open_redirect, redirect_name, redirect_page
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.runtime_directory import (
    RuntimeDirectory,
    RuntimeDirectoryError,
    runtime_directory_path,
)
from bridge.contract.attach_link import attach_link
from bridge.contract.error_codes import ExitCode
from bridge.contract.runtime_entry import RuntimeEntry

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule open
  bascule open 39217
  bascule open --origin http://127.0.0.1:8765
  bascule open --print-link

While no page is attached a bridge is found by its address, its port or its origin, not by an app.
The link is as secret as the bridge's token: it is printed only where that is asked for.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "open",
        help="open a bridge's page again, ready to attach",
        usage="bascule open [APP] [--print-link] [options]",
        description="Open the page of a running bridge in your browser, ready to attach.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--print-link", action="store_true", help="print the link instead, to open it yourself"
    )
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Open the page, or print the link."""
    take_words(args)
    entry = choose_bridge(args).entry
    if entry is None:
        raise BridgeFailure(
            ClientErrorCode.NO_BRIDGE,
            "Nothing is known of the page of a bridge that is not yours.",
            hint="Open the link that it printed when it started.",
        )
    link = attach_link(entry.page, entry.url, entry.token)
    if args.print_link:
        print(link)
        return ExitCode.DONE
    try:
        opened = _open(entry, link)
    except RuntimeDirectoryError as error:
        raise BridgeFailure(ClientErrorCode.NO_BRIDGE, str(error)) from None
    if not opened:
        print(
            "bascule open: no browser could be opened here.\n"
            "  With --print-link the link is printed, to open it in a browser yourself.",
            file=sys.stderr,
        )
        # Nobody has refused anything: here the command has to be called differently.
        return ExitCode.USAGE
    print(f"Opened {entry.page}; press Attach there.", file=sys.stderr)
    return ExitCode.DONE


def _open(entry: RuntimeEntry, link: str) -> bool:
    with RuntimeDirectory.open(runtime_directory_path(), create=False) as directory:
        # Named after the bridge, which removes it at its end; the next one does if it is killed.
        for name in directory.names():
            if is_redirect_of(entry.pid, name):
                directory.remove_ours(name)
        stored = directory.write(redirect_name(entry.pid), redirect_page(link))
        path = directory.path / stored.name
    return open_redirect(path)
