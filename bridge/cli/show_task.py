"""`bascule task`: a call that goes on in the app after it was answered."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from bridge.cli.app_session import ENDED
from bridge.cli.app_target import add_app_options, open_app, take_words
from bridge.cli.call_end import MAX_WAIT_SECONDS, finish_task
from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.consent_wait import asks_owner, say_asks
from bridge.cli.output.json_text import compact
from bridge.cli.output.progress_bar import await_with_bar
from bridge.cli.output.results import add_json_option, print_line, print_value
from bridge.cli.output.styles import add_color_option
from bridge.contract.error_codes import ExitCode
from bridge.contract.limits import BRIDGE_LIMITS

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule task my-app 3f2a
  bascule task my-app 3f2a --wait --timeout 600
  bascule task my-app 3f2a --cancel

Asking for the end of a task is no promise of it: its state says what became of it. One that waits
for a yes in the page has not begun: its end takes the question back.
"""
_CANCELS: Final = "--cancel takes the question back."


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "task",
        help="show, await or cancel a deferred result",
        usage="bascule task APP ID [--wait | --cancel] [options]",
        description="Show a call that goes on in the app after it was answered.",
        epilog=_EPILOG,
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--wait", action="store_true", help="wait for its end, until --timeout")
    what.add_argument("--cancel", action="store_true", help="ask for its end")
    add_json_option(parser, "the app's result object")
    add_color_option(parser)
    add_timeout_option(parser, MAX_WAIT_SECONDS)
    add_session_option(parser)
    add_app_options(parser, ("ID", "the task, as the call named it"))
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the task, or its output once it has ended."""
    (task_id,) = take_words(args, "ID")
    deadline = None if args.timeout is None else time.monotonic() + args.timeout
    with open_app(args) as app:
        if args.timeout is not None:
            app.timeout_seconds = min(args.timeout, BRIDGE_LIMITS.max_call_seconds)
        params = compact({"id": task_id})
        if args.cancel:
            result = app.request("tasks/cancel", params)
        else:
            result = app.look("tasks/get", params)
        task = result.object_at("task")
        if asks_owner(task) and not (args.cancel or args.json):
            say_asks(task, _CANCELS if args.wait else f"--wait waits along. {_CANCELS}")
        if args.wait:
            if task.get("state") not in ENDED:
                result = await_with_bar(app, task_id, deadline, args)
            return finish_task(result, args)
    if args.json:
        print_line(result.text)
    else:
        print_value(result.object_at("task"), args)
    return ExitCode.DONE
