"""`bascule call --batch`: the calls on the lines of standard input, answered line by line.

One exchange for each line, over one connection and in one session, and nothing else.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.app_session import AppSession, Result, bad_answer
from bridge.cli.app_target import open_app, take_words
from bridge.cli.output.failure_report import error_members, exit_code
from bridge.cli.output.json_text import JsonTextError, compact, joined, members, read, read_object
from bridge.cli.stop_signals import Stopped, stop_on_signals
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import BRIDGE_ERROR_NUMBER, ExitCode, JsonRpcErrorNumber
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.line_reader import LineReader

if TYPE_CHECKING:
    import argparse

__all__ = ["run_batch"]

_READ_BYTES: Final = 65_536
_WORST_LAST: Final = (
    ExitCode.DONE,
    ExitCode.APP_ERROR,
    ExitCode.USAGE,
    ExitCode.REFUSED,
    ExitCode.NO_BRIDGE,
    ExitCode.OUTCOME_UNKNOWN,
)


def run_batch(args: argparse.Namespace) -> int:
    """Run the calls until the input ends, a signal comes, or nobody reads the answers."""
    take_words(args)
    if args.input_json is not None or args.input_file is not None or args.wait:
        raise UsageError("--batch takes its calls from standard input alone")
    if args.expected_revision is not None:
        raise UsageError('in a batch, a call has its own "expectedRevision", which may be "latest"')
    with open_app(args) as app:
        batch = _Batch(app, args)
        try:
            with stop_on_signals():
                batch.serve()
        except Stopped:
            if batch.in_flight:
                print("bascule: stopped. The last call may have run.", file=sys.stderr)
                return ExitCode.OUTCOME_UNKNOWN
        except BrokenPipeError:
            # Nobody reads any more: what was answered until now stands.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return batch.status


class _Batch:
    def __init__(self, app: AppSession, args: argparse.Namespace) -> None:
        self._app = app
        self._args = args
        self.status = ExitCode.DONE
        self.in_flight = False

    def serve(self) -> None:
        """Answer line after line."""
        reader = LineReader(JSON_LIMITS.max_encoded_bytes)
        while data := os.read(sys.stdin.fileno(), _READ_BYTES):
            for line in reader.feed(data):
                if not self._serve_line(line):
                    return
        for line in reader.finish():
            if not self._serve_line(line):
                return

    def _serve_line(self, line: bytes | None) -> bool:
        """Answer one line, and say whether to go on."""
        if line is not None and not line.strip():
            return True
        answer, status = self._answer(line)
        if answer is not None:
            rest = memoryview(answer.encode() + b"\n")
            # Unbuffered: whoever waits for an answer before writing the next line gets it.
            while rest:
                rest = rest[os.write(sys.stdout.fileno(), rest) :]
        if _WORST_LAST.index(status) > _WORST_LAST.index(self.status):
            self.status = status
        return status is ExitCode.DONE or not self._args.stop_on_error

    def _answer(self, line: bytes | None) -> tuple[str | None, ExitCode]:
        if line is None:
            return _bad_line(f"the line is longer than {JSON_LIMITS.max_encoded_bytes:,} bytes")
        try:
            text = line.decode()
            parts = members(text)
        except (JsonTextError, UnicodeDecodeError) as error:
            why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            return _bad_line(f"the line is no JSON object: {why}")
        if "method" in parts or "jsonrpc" in parts:
            return self._whole_request(text, parts)
        if "action" not in parts:
            return _bad_line('the line has neither an "action" nor a "method"')
        try:
            if parts.get("expectedRevision") == '"latest"':
                text = self._with_latest_revision(parts)
            request = f'{{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{text}}}'
            return self._decided(*self._send(request, "result"))
        except BasculeError as failure:
            return _failed(failure)

    def _decided(self, answer: str | None, status: ExitCode) -> tuple[str | None, ExitCode]:
        """Wait where the owner is asked for the call, and return what it came to.

        The next lines would be asked for as well otherwise.
        """
        done = status is ExitCode.DONE and not self._args.no_wait
        if answer is None or not done or '"consent"' not in answer:
            return answer, status
        from bridge.cli.consent_wait import await_decision, waits_for_consent  # noqa: PLC0415

        deferred = Result(answer, read_object(answer))
        if not waits_for_consent(deferred):
            return answer, ExitCode.DONE
        told = await_decision(self._app, deferred, None)
        kept = members(told.text)
        task = kept.pop("task")
        parts = members(task)
        state = told.object_at("task").get("state")
        if state == "failed":
            return f'{{"error":{parts.get("error", "null")}}}', ExitCode.APP_ERROR
        if state == "completed":
            kept |= {"status": '"completed"', "output": parts.get("output", "null")}
        else:
            kept |= {"status": '"deferred"', "task": task}
        return joined(kept), ExitCode.DONE if state != "cancelled" else ExitCode.APP_ERROR

    def _whole_request(self, text: str, parts: dict[str, str]) -> tuple[str | None, ExitCode]:
        try:
            return self._send(text, None)
        except BasculeError as failure:
            if "id" not in parts:
                return None, exit_code(failure)
            error = compact(error_members(failure, BRIDGE_ERROR_NUMBER))
            return f'{{"jsonrpc":"2.0","id":{parts["id"]},"error":{error}}}', exit_code(failure)

    def _send(self, message: str, member: str | None) -> tuple[str | None, ExitCode]:
        """Send a message, and return its response, or the member of it that is wanted."""
        self.in_flight = True
        try:
            response = self._app.connection.call(
                self._app.session, message.encode(), self._app.timeout_seconds
            )
        except BasculeError:
            self.in_flight = False
            raise
        self.in_flight = False
        if response is None:
            return None, ExitCode.DONE
        try:
            text = response.decode()
            parts = members(text)
        except (JsonTextError, UnicodeDecodeError):
            raise bad_answer("its response is no JSON object") from None
        status = ExitCode.APP_ERROR if "error" in parts else ExitCode.DONE
        if member is None:
            return text, status
        if "error" in parts:
            return f'{{"error":{parts["error"]}}}', status
        return parts.get(member, "null"), status

    def _with_latest_revision(self, parts: dict[str, str]) -> str:
        name = read(parts["action"])
        revision = self._app.describe(name).revision if isinstance(name, str) else None
        kept = {key: text for key, text in parts.items() if key != "expectedRevision"}
        if revision is not None:
            kept["expectedRevision"] = revision
        return joined(kept)


def _bad_line(message: str) -> tuple[str, ExitCode]:
    error = {"code": int(JsonRpcErrorNumber.INVALID_REQUEST), "message": message}
    return compact({"error": error}), ExitCode.USAGE


def _failed(failure: BasculeError) -> tuple[str, ExitCode]:
    members_ = error_members(failure, BRIDGE_ERROR_NUMBER)
    return compact({"error": members_}), exit_code(failure)
