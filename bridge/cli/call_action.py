"""`bascule call`: one action of an app, its input typed by the action's own schema."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

from bridge.cli.app_session import ENDED, AppSession, Result
from bridge.cli.app_target import add_app_options, app_word, open_app, take_words
from bridge.cli.call_end import (
    MAX_WAIT_SECONDS,
    finish_task,
    print_failure,
    print_result,
)
from bridge.cli.call_options import add_session_option, add_timeout_option, revision
from bridge.cli.input.input_options import add_input_options, input_text
from bridge.cli.output.json_text import compact, read_object
from bridge.cli.output.results import add_json_option
from bridge.cli.output.styles import add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BasculeError
from bridge.contract.limits import BRIDGE_LIMITS

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_CANCEL_SECONDS: Final = 2.0
"""Whoever interrupts a command does not want to wait for it."""
_EPILOG: Final = """\
examples:
  bascule call my-app document.read
  bascule call my-app document.text.insert text="Hello" at=0 --expected-revision latest
  bascule call my-app todo.add title=Milk tags=food tags=cheap due.day=3 'note:="007"'
  bascule call my-app picture.add arguments.x=0 attachment=@picture.png
  bascule call my-app document.export --wait --timeout 300 > document.json
  bascule call my-app --batch < calls.ndjson > results.ndjson

The schema of the action says which type a value has: title=123 is a text where a text is asked for.
Write a key again for each element of a list, key.member=value for a member of an object, and
key:=JSON for a value just as it is. Where the schema asks for base64, as for a tool's attachment,
key=@FILE sends the bytes of a file: up to 774,144 in one call.

Where the owner of the page has to be asked first, the call waits for the answer and says so.
The output is printed as JSON, its revision on standard error. A batch has one object on each line,
{"action", "input"?, "expectedRevision"?} or a whole JSON-RPC request; each is answered on a line,
in order, over one connection, with the result object or {"error": ...}. Its status is the worst of
all lines.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "call",
        help="run an action of an app",
        usage="bascule call APP ACTION [key=value ...] [options]\n"
        "       bascule call APP --batch [options]",
        description="Run an action of an app, and print what it gives.",
        epilog=_EPILOG,
        intermixed=True,
    )
    add_input_options(parser, "the input that words add to")
    parser.add_argument(
        "--expected-revision",
        type=revision,
        metavar="N",
        help="the revision that you have seen, which a write needs; latest: whatever it is",
    )
    waiting = parser.add_mutually_exclusive_group()
    waiting.add_argument(
        "--wait", action="store_true", help="wait for a deferred result, until --timeout"
    )
    waiting.add_argument(
        "--no-wait", action="store_true", help="do not wait for a yes in the page either"
    )
    parser.add_argument(
        "--batch", action="store_true", help="run the calls on the lines of standard input"
    )
    parser.add_argument(
        "--stop-on-error", action="store_true", help="end a batch at the first line that fails"
    )
    add_json_option(parser, "the app's result object, or its error")
    add_color_option(parser)
    add_timeout_option(parser, MAX_WAIT_SECONDS)
    add_session_option(parser)
    add_app_options(
        parser,
        ("ACTION", "an action's name, as `bascule actions` lists it"),
        ("key=value", "its input, as `bascule describe` shows it"),
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Do the call, or those of a batch."""
    longest = BRIDGE_LIMITS.max_call_seconds
    if args.timeout is not None and args.timeout > longest and not args.wait:
        raise UsageError(f"--timeout is at most {longest:g} seconds, except with --wait")
    if args.batch:
        from bridge.cli.call_batch import run_batch  # noqa: PLC0415 - for batches only

        return run_batch(args)
    if args.stop_on_error:
        raise UsageError("--stop-on-error is for --batch")
    action, *words = take_words(args, "ACTION", rest="key=value")
    began = time.monotonic()
    with open_app(args) as app:
        app.timeout_seconds = None if args.timeout is None else min(args.timeout, longest)
        try:
            params = _params(args, app, action, words)
            result = app.request("actions/execute", compact_members(params))
        except BasculeError as error:
            from bridge.cli.suggestions import explain_unknown_action  # noqa: PLC0415

            explain_unknown_action(error, action, app.actions)
            return print_failure(error, args)
        deadline = None if args.timeout is None else began + args.timeout
        return _finish(result, args, app, deadline)


def compact_members(params: dict[str, str]) -> str:
    """Return an object of members whose values are written already."""
    return "{" + ",".join(f'"{name}":{text}' for name, text in params.items()) + "}"


def _params(
    args: argparse.Namespace, app: AppSession, action: str, words: list[str]
) -> dict[str, str]:
    """Return the call's parameters, each as JSON text."""
    params = {"action": compact(action)}
    given = input_text(args)
    described: Result | None = None
    if words:
        from bridge.cli.input.input_words import read_words  # noqa: PLC0415 - not without words
        from bridge.cli.input.typed_input import typed_input  # noqa: PLC0415

        read = read_words(words)
        described = app.describe(action)
        schema = described.object_at("action").get("inputSchema", True)
        base = {} if given is None else read_object(given)
        params["input"] = compact(typed_input(read, schema, base))
    elif given is not None:
        params["input"] = given
    expected = args.expected_revision
    if expected == "latest":
        # The action's own revision is told where it is described.
        expected = (described or app.describe(action)).revision
    if expected is not None:
        params["expectedRevision"] = expected
    return params


def _finish(
    result: Result, args: argparse.Namespace, app: AppSession, deadline: float | None
) -> int:
    if result.value.get("status") != "deferred":
        return print_result(result, result.value.get("output"), args)
    if not args.no_wait:
        from bridge.cli.consent_wait import await_decision, waits_for_consent  # noqa: PLC0415

        if waits_for_consent(result):
            result = await_decision(app, result, deadline)
    task = result.object_at("task")
    if task.get("state") in ENDED:
        return finish_task(result, args)
    if args.wait:
        task_id = task.get("id")
        from bridge.cli.output.progress_bar import await_with_bar  # noqa: PLC0415 - for waiting only

        try:
            return finish_task(await_with_bar(app, str(task_id), deadline, args), args)
        except KeyboardInterrupt:
            _cancel(args, str(task_id))
            raise
    status = print_result(result, task, args)
    if not args.json:
        from shlex import quote  # noqa: PLC0415 - for a hint only

        from bridge.cli.consent_wait import asks_owner  # noqa: PLC0415 - for a hint only

        again = f"bascule task {app_word(args)} {quote(str(task.get('id')))}"
        where = "waits for a yes in the page" if asks_owner(task) else "goes on in the app"
        print(f"The call {where}. Ask for its result: {again} --wait", file=sys.stderr)
    return status


def _cancel(args: argparse.Namespace, task_id: str) -> None:
    """Ask for the end of what was waited for: whoever interrupts does not want it any more."""
    try:
        # Over a connection of its own: the other one may be in the midst of an answer.
        with open_app(args) as app:
            app.request("tasks/cancel", compact({"id": task_id}), _CANCEL_SECONDS)
    except BasculeError:
        print(f"bascule: the task {printable(task_id)} goes on in the app.", file=sys.stderr)
    else:
        print(f"bascule: the app was asked to cancel {printable(task_id)}.", file=sys.stderr)
