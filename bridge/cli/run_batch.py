"""`bascule batch`: several calls of an app in one request, in order or as one unit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.app_session import AppSession, Result, bad_answer
from bridge.cli.app_target import add_app_options, open_app, take_words
from bridge.cli.call_end import print_failure
from bridge.cli.call_options import add_session_option, add_timeout_option, revision
from bridge.cli.consent_wait import asks_owner
from bridge.cli.input.batch_input import BatchCall, read_calls
from bridge.cli.output.call_board import ASKS
from bridge.cli.output.json_text import NumberText, compact
from bridge.cli.output.results import add_json_option, print_line, print_revision
from bridge.cli.output.styles import add_color_option
from bridge.cli.output.tables import Row, print_table
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import ExitCode
from bridge.contract.limits import JSON_LIMITS

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_HEADER: Final = ("CALL", "ACTION", "OUTCOME", "REVISION", "RESULT")
_MAX_SHOWN: Final = 2_000
_EPILOG: Final = """\
examples:
  bascule batch my-app < calls.ndjson
  bascule batch my-app --atomic --expected-revision latest --input-file edits.json
  bascule batch my-app --continue --json < calls.ndjson | jq '.results[].ok'

A call is {"action", "input"?, "expectedRevision"?}, at most 128 of them: one on each line, or all
of them in one array. They run in order, and stop at the first that fails. With --atomic all of
them are done or none, and undone as one step; each expected revision is then that of the
beginning, and may be "latest".

The status is 0 where every call succeeded. Nothing waits for a yes in the page: the result of such
a call is its task. bascule call --batch waits, and is for calls that go on while they are written.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "batch",
        help="run several calls of an app in one request",
        usage="bascule batch [APP] [--atomic | --continue] [options]",
        description="Run several calls of an app in one request, and show what became of each.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--input-file",
        metavar="FILE",
        help="the calls, from a file; otherwise they come from standard input",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--atomic", action="store_true", help="all of them or none, as one unit")
    how.add_argument("--continue", action="store_true", help="go on after a call that fails")
    parser.add_argument(
        "--expected-revision",
        type=revision,
        metavar="N",
        help="with --atomic: for calls that name none; latest: whatever it is",
    )
    add_json_option(parser, "the app's result object, or its error")
    add_color_option(parser)
    add_timeout_option(parser)
    add_session_option(parser)
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the batch."""
    take_words(args)
    calls = read_calls(_given(args))
    expected = args.expected_revision
    if not args.atomic and (expected is not None or any(call.wants_latest for call in calls)):
        # A call's revision is that of its own time, when those before it have run.
        raise UsageError(
            '--expected-revision and "latest" are for --atomic: without it a call\'s revision is '
            "that of its turn, for which bascule call --batch asks"
        )
    with open_app(args) as app:
        try:
            if args.atomic:
                calls = _with_revisions(app, calls, expected)
            result = app.request("actions/batch", _params(args, calls))
        except BasculeError as error:
            return print_failure(error, args)
    results = _results(result, len(calls))
    if args.json:
        print_line(result.text)
    else:
        rows = [_row(number, call, results[number]) for number, call in enumerate(calls)]
        print_table(rows, _HEADER, args)
        print_revision(result, args)
    done = all(item.get("ok") is True for item in results)
    return ExitCode.DONE if done else ExitCode.APP_ERROR


def _given(args: argparse.Namespace) -> bytes:
    longest = JSON_LIMITS.max_encoded_bytes
    name = args.input_file
    try:
        if name is None or name == "-":
            if sys.stdin.isatty():
                print("bascule: calls, one on each line; Ctrl-D ends them.", file=sys.stderr)
            data = sys.stdin.buffer.read(longest + 1)
        else:
            with open(name, "rb") as file:  # noqa: PTH123 - pathlib costs a call its start
                data = file.read(longest + 1)
    except OSError as error:
        raise UsageError(f"the calls cannot be read: {error.strerror}") from None
    if len(data) > longest:
        raise UsageError(f"the calls are over the limit of {longest:,} bytes")
    return data


def _with_revisions(
    app: AppSession, calls: list[BatchCall], expected: str | None
) -> list[BatchCall]:
    """Give each call that needs one the revision that it expects, read once for each action."""
    latest: dict[str, str | None] = {}
    made = []
    for call in calls:
        names_none = expected is not None and "expectedRevision" not in call.parts
        if call.wants_latest or (names_none and expected == "latest"):
            if call.action not in latest:
                latest[call.action] = app.describe(call.action).revision
            made.append(call.expecting(latest[call.action]))
        else:
            made.append(call.expecting(expected) if names_none else call)
    return made


def _params(args: argparse.Namespace, calls: list[BatchCall]) -> str:
    members = [f'"calls":[{",".join(call.text for call in calls)}]']
    if args.atomic:
        members.append('"atomic":true')
    if getattr(args, "continue"):
        members.append('"stopOnError":false')
    return "{" + ",".join(members) + "}"


def _results(result: Result, count: int) -> list[dict[str, Any]]:
    items = result.value.get("results")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise bad_answer("results is not a list of objects")
    if len(items) != count:
        raise bad_answer(f"{len(items)} results for {count} calls")
    return items


def _row(number: int, call: BatchCall, item: dict[str, Any]) -> Row:
    at = item.get("revision")
    shown, told = _told(item)
    text = told if len(told) <= _MAX_SHOWN else told[: _MAX_SHOWN - 1] + "…"
    return (
        str(number),
        call.action,
        shown,
        str(at) if isinstance(at, NumberText) else "-",
        text,
    )


def _told(item: dict[str, Any]) -> tuple[str, str]:
    """Return how a call ended, in a word, and what there is to tell of it."""
    if item.get("ok") is True:
        if item.get("status") == "deferred":
            told = item.get("task")
            task = told if isinstance(told, dict) else {}
            return ASKS if asks_owner(task) else "deferred", compact(task.get("id"))
        return "ok", compact(item.get("output"))
    error = item.get("error")
    if not isinstance(error, dict):
        return "skipped", "-"
    data = error.get("data")
    code = data.get("code") if isinstance(data, dict) else None
    return str(code or error.get("code")), str(error.get("message"))
