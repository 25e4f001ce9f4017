"""The texts on a terminal's channel to a bridge: calls out, answers in. Knows no sockets.

Contract: terminal channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from bridge.client.bridge_failure import BridgeFailure
from bridge.client.bridge_requests import call_members, on_one_line, refusal
from bridge.client.connection_failures import not_a_bridge

__all__ = ["CallAnswer", "call_text", "frame_text", "read_answers"]


class CallAnswer(NamedTuple):
    """What became of one call."""

    ref: int
    outcome: bytes | BridgeFailure | None
    """A response on one line; None for a notification that was taken."""


class _Error(msgspec.Struct):
    code: str
    message: str
    hint: str | None = None
    outcome: str | None = None


class _Answer(msgspec.Struct):
    ref: int
    response: msgspec.Raw = msgspec.Raw()
    error: _Error | None = None


class _Frame(msgspec.Struct):
    answers: list[_Answer]


_DECODER = msgspec.json.Decoder(_Frame)


def call_text(
    ref: int,
    session: str,
    request: bytes,
    timeout_seconds: float | None = None,
    opening: bytes | None = None,
) -> bytes:
    """Return one call of a frame. `request` and `opening` are JSON texts, sent as they are."""
    return b'{"ref":%d,%b}' % (ref, call_members(session, request, timeout_seconds, opening))


def frame_text(calls: Sequence[bytes], gone: Sequence[int]) -> bytes:
    """Return a frame with calls, and with those that nobody waits for any more."""
    told = b"" if not gone else b'"gone":[%b]' % b",".join(b"%d" % ref for ref in gone)
    if not calls:
        return b"{%b}" % told
    return b'{"calls":[%b]%b%b}' % (b",".join(calls), b"," if told else b"", told)


def read_answers(text: bytes) -> list[CallAnswer]:
    """Read a frame. Raises `BridgeFailure` where no bridge can have sent it."""
    try:
        frame = _DECODER.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise not_a_bridge("it sends what is no answer") from None
    return [CallAnswer(answer.ref, _outcome(answer)) for answer in frame.answers]


def _outcome(answer: _Answer) -> bytes | BridgeFailure | None:
    error = answer.error
    if error is not None:
        return refusal(error.code, error.message, error.hint, error.outcome)
    response = bytes(answer.response)
    if not response:
        raise not_a_bridge("it sends an answer without a response")
    return None if response == b"null" else on_one_line(response)
