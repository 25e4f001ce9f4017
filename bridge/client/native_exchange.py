"""One line to a native app and the line that answers it, without input or output.

Keeps what may be claimed of the call: an app acts on whole lines, and takes the end of the
connection for the end of a line. Contract: delivery, native endpoints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.client.native_failures import app_full, app_lost, app_unreachable, bad_line
from bridge.contract.error_codes import AppErrorCode, Outcome
from bridge.contract.limits import JSON_LIMITS

if TYPE_CHECKING:
    from bridge.client.bridge_failure import BridgeFailure

__all__ = ["NativeExchange", "is_notification"]

_MAX_REFUSAL_BYTES: Final = 4_096
"""Far more than a refusal takes: longer answers are not looked into."""
_FULL: Final = AppErrorCode.SESSION_LIMIT
_LINE_BREAKS: Final = bytes.maketrans(b"\r\n", b"  ")


class NativeExchange:
    """What of a request was sent, and what of its answer came."""

    def __init__(self, request: bytes) -> None:
        # Raw line breaks are whitespace between tokens: inside of strings they are escaped.
        line = request.translate(_LINE_BREAKS).strip()
        self._enough = len(line)
        self.unsent = memoryview(line + b"\n")
        self._sent = 0
        self._answer = bytearray()

    def has_sent(self, count: int) -> None:
        """Note what the system took."""
        self._sent += count
        self.unsent = self.unsent[count:]

    @property
    def outcome(self) -> Outcome:
        """What may be claimed when nothing more is sent: of a part nobody makes a message."""
        return Outcome.UNKNOWN if self._sent >= self._enough else Outcome.NOT_DELIVERED

    def receive(self, data: bytes) -> bytes | None:
        """Take what came, and return the answer once it is whole.

        Raises `BridgeFailure` for a line that is too long to be one, and where the app has no
        place for another connection: it says so before it knows any request's id.
        """
        self._answer += data
        end = self._answer.find(b"\n", len(self._answer) - len(data))
        if end >= 0:
            line = bytes(self._answer[:end]).removesuffix(b"\r")
            if _is_refusal(line):
                raise app_full()
            return line
        # One byte more may still be the carriage return of a line that is within it.
        if len(self._answer) > JSON_LIMITS.max_encoded_bytes + 1:
            raise bad_line("a line of more than 1 MiB")
        return None

    @property
    def is_clean(self) -> bool:
        """Whether nothing came after the answer, which nobody would have asked for."""
        return self._answer.endswith(b"\n") and self._answer.count(b"\n") == 1

    def broken(self, path: str, reason: str) -> BridgeFailure:
        """Say what it means that the connection ended before the answer was whole."""
        if self.outcome is Outcome.NOT_DELIVERED:
            return app_unreachable(path, reason)
        return app_lost(reason)


def _is_refusal(line: bytes) -> bool:
    """Say whether a line answers no request, but tells that all connections are taken."""
    if len(line) > _MAX_REFUSAL_BYTES or b"%d" % _FULL not in line:
        return False
    from bridge.contract.strict_json import StrictJsonError, loads  # noqa: PLC0415 - as below

    try:
        message = loads(line)
    except StrictJsonError:
        return False
    if not isinstance(message, dict) or message.get("id", 0) is not None:
        return False
    error = message.get("error")
    return isinstance(error, dict) and error.get("code") == _FULL


def is_notification(request: bytes) -> bool:
    """Say whether nothing will answer a request: it is valid, and has no id."""
    # It takes longer to load than a call takes, and who calls `respond` never needs it.
    from bridge.contract.strict_json import StrictJsonError, loads  # noqa: PLC0415

    try:
        message = loads(request)
    except StrictJsonError:
        return False
    return (
        isinstance(message, dict)
        and "id" not in message
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
    )
