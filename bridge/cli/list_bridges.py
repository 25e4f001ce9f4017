"""`bascule list`: the running bridges of this user."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Final

from bridge.cli.bridge_states import bridge_states
from bridge.cli.parsing import Parser, Subparsers
from bridge.cli.terminal_text import table
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.discovery import running_bridges
from bridge.client.runtime_directory import RuntimeDirectoryError
from bridge.contract.error_codes import ExitCode

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule list
  bascule list --json | jq -r '.[].url'

Without a terminal the columns are separated by tabs and have no heading. The state is attached,
suspended (the browser has frozen the tab), waiting (no page is attached) or silent.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "list",
        help="list your running bridges",
        description="List your running bridges and what is attached to them.",
        epilog=_EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="print an array of objects")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    try:
        states = bridge_states(running_bridges())
    except RuntimeDirectoryError as error:
        raise BridgeFailure(ClientErrorCode.NO_BRIDGE, str(error)) from None
    if args.json:
        listed = [
            {
                "app": s.app,
                "origin": s.entry.origin,
                "url": s.entry.url,
                "state": s.state,
                "pid": s.entry.pid,
            }
            for s in states
        ]
        print(json.dumps(listed))
        return ExitCode.DONE
    if not states:
        print("No bridge is running.", file=sys.stderr)
        return ExitCode.DONE
    rows = [(s.app or "-", s.entry.origin, s.entry.url, s.state, str(s.entry.pid)) for s in states]
    header = ("APP", "ORIGIN", "URL", "STATE", "PID")
    print(table(rows, header, for_terminal=sys.stdout.isatty()), end="")
    return ExitCode.DONE
