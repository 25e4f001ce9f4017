"""What travels on a terminal's channel, as bytes and as values (Contract: terminal channel).

Up: calls, and which of them nobody waits for any more. Down: answers, each with the number that
its caller gave it. Every message is one text frame. Unknown members are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

import orjson

from bridge.broker.effects import Answer, Failure, NoResponse, RawResponse
from bridge.broker.events import Call, Waiter
from bridge.contract.error_codes import BRIDGE_HTTP_STATUS, BridgeErrorCode, Outcome
from bridge.contract.raw_json import RawObject, read_objects
from bridge.contract.strict_json import JsonValue, StrictJsonError
from bridge.contract.terminal_channel import MAX_REF
from bridge.servers.bridge_answers import error_object
from bridge.servers.bridge_bodies import BodyReader, json_refusal
from bridge.servers.shapes import ShapeError, integer

__all__ = ["RefusedCall", "TerminalFrame", "read_terminal_frame", "render_answer", "render_frames"]

_BEGIN: Final = b'{"answers":['
_END: Final = b"]}"


class RefusedCall(NamedTuple):
    """A call that does not get as far as the broker."""

    ref: int
    error: ShapeError


class TerminalFrame(NamedTuple):
    """A frame from a terminal."""

    calls: list[tuple[int, Call]]
    refused: list[RefusedCall]
    gone: list[int]


def read_terminal_frame(
    data: bytes, reader: BodyReader, new_waiter: Callable[[], Waiter]
) -> TerminalFrame:
    """Read a frame. Raises `ShapeError` where it is not to be answered call by call."""
    try:
        outer, calls = read_objects(
            data,
            member="calls",
            raw=("request", "opening"),
            max_body_bytes=reader.limits.max_body_bytes,
        )
    except StrictJsonError:
        raise ShapeError("A frame is one object of strict JSON within the limits.") from None
    gone = outer.values.get("gone", [])
    if not isinstance(gone, list) or not (calls or gone):
        raise ShapeError("A frame has calls, or says which are gone.")
    frame = TerminalFrame([], [], [_ref(ref) for ref in gone])
    for call in calls:
        ref = _ref(call.values.get("ref"))
        if isinstance(call, RawObject):
            try:
                frame.calls.append((ref, reader.call(call, new_waiter())))
            except ShapeError as error:
                frame.refused.append(RefusedCall(ref, error))
        else:
            frame.refused.append(RefusedCall(ref, json_refusal(call)))
    return frame


def render_answer(ref: int, answer: Answer | ShapeError) -> bytes:
    """Return what a call's caller is told."""
    match answer:
        case RawResponse(body):
            return b'{"ref":%d,"response":%b}' % (ref, body)
        case NoResponse():
            return b'{"ref":%d,"response":null}' % ref
        case Failure(code, outcome):
            return _error(ref, code, None, outcome)
        case ShapeError():
            return _error(ref, answer.code, answer.message, None)
        case _:
            raise ValueError(f"no call is answered by {type(answer).__name__}")


def render_frames(answers: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Give the texts in which answers are sent: few, and none over `max_bytes`."""
    together: list[bytes] = []
    size = len(_BEGIN) + len(_END)
    for answer in answers:
        if together and size + len(answer) > max_bytes:
            yield _BEGIN + b",".join(together) + _END
            together, size = [], len(_BEGIN) + len(_END)
        together.append(answer)
        size += len(answer) + 1
    if together:
        yield _BEGIN + b",".join(together) + _END


def _error(ref: int, code: BridgeErrorCode, message: str | None, outcome: Outcome | None) -> bytes:
    error = {"status": BRIDGE_HTTP_STATUS[code], **error_object(code, message, outcome)}
    return orjson.dumps({"ref": ref, "error": error})


def _ref(value: JsonValue) -> int:
    ref = integer(value)
    if ref is None or not 1 <= ref <= MAX_REF:
        raise ShapeError("A call has a number of its own, from 1.")
    return ref
