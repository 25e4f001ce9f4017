"""`bascule list`: the running bridges of this user."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.styles import add_color_option
from bridge.cli.tables import print_table
from bridge.client.bridge_choice import app_slug
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.bridge_states import BridgeState, bridge_states
from bridge.client.discovery import running_bridges
from bridge.client.runtime_directory import RuntimeDirectoryError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule list
  bascule list --json | jq -r '.[].url'

The slug is what other commands take as APP, as they do the name and the address. The state is
attached, suspended (the browser has frozen the tab), waiting (no page is attached) or silent.
Without a terminal the columns are separated by tabs and have no heading.
"""
_HEADER: Final = ("APP", "ORIGIN", "URL", "STATE", "PID", "SLUG", "TRANSPORT", "SESSIONS")


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "list",
        help="list your running bridges",
        description="List your running bridges and what is attached to them.",
        epilog=_EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="print an array of objects")
    add_color_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    try:
        states = bridge_states(running_bridges())
    except RuntimeDirectoryError as error:
        raise BridgeFailure(ClientErrorCode.NO_BRIDGE, str(error)) from None
    listed = [_facts(state) for state in states]
    if args.json:
        print(json.dumps(listed))
        return ExitCode.DONE
    if not states:
        print("No bridge is running.", file=sys.stderr)
        return ExitCode.DONE
    names = [name.lower() for name in _HEADER]
    rows = [["-" if facts[n] is None else str(facts[n]) for n in names] for facts in listed]
    print_table(rows, _HEADER, args, folds=False)
    return ExitCode.DONE


def _facts(state: BridgeState) -> dict[str, object]:
    link = state.status.get("link")
    # Between two polls a link is idle, and for a moment broken: it polls all the same.
    transport = "channel" if link == "channel" else "polling"
    sessions = state.status.get("sessions")
    return {
        "app": state.app,
        "origin": state.entry.origin,
        "url": state.entry.url,
        "state": state.state,
        "pid": state.entry.pid,
        "slug": None if state.app is None else app_slug(state.app),
        "transport": transport if state.app is not None and isinstance(link, str) else None,
        "sessions": sessions if isinstance(sessions, int) else None,
    }
