"""What travels on the channel, as bytes and as the broker's values (Contract: channel).

Down: items, and refusals of results. Up: results, what they acknowledge, and that the worker is
alive. Every message is one text frame. Unknown members are ignored.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import orjson

from bridge.broker.effects import ChannelEnd, SendItems, SendRefusal
from bridge.broker.events import ChannelAlive, ChannelFrame, Waiter
from bridge.contract.error_codes import BridgeErrorCode
from bridge.contract.limits import BridgeLimits
from bridge.contract.raw_json import RawObject, read_objects
from bridge.contract.strict_json import StrictJsonError
from bridge.servers.bridge_answers import wire_item
from bridge.servers.shapes import ShapeError, count, read_result, text

__all__ = ["CLOSE_CODES", "ReadFrame", "next_frame", "read_frame", "render"]

CLOSE_CODES: Final = {
    # Of a code of our own: 1000 is also the echo of a browser that closes as its page is left.
    ChannelEnd.SUPERSEDED: 4409,
    ChannelEnd.CLOSING: 1001,
    ChannelEnd.MALFORMED: 4400,
    ChannelEnd.STALE: 4410,
}


@dataclass(frozen=True, slots=True)
class ReadFrame:
    """A frame from the page: the broker's event, and the results that do not get that far."""

    event: ChannelFrame | ChannelAlive
    refused: tuple[SendRefusal, ...] = ()


def render(effect: SendItems | SendRefusal) -> bytes:
    """Return the text of a frame for the page."""
    if isinstance(effect, SendRefusal):
        return orjson.dumps({"refused": {"id": effect.item_id, "code": effect.code.value}})
    items = [wire_item(item) for item in effect.items]
    return orjson.dumps({"now": effect.now_unix_ms, "requests": items})


def next_frame(waiting: deque[SendItems | SendRefusal]) -> SendItems | SendRefusal:
    """Take what goes into the next frame: all items that wait before anything else.

    Calls that come together reach the page together, at the price of one.
    """
    first = waiting.popleft()
    if not isinstance(first, SendItems):
        return first
    items = list(first.items)
    now = first.now_unix_ms
    while waiting and isinstance(following := waiting[0], SendItems):
        now = following.now_unix_ms
        items += following.items
        waiting.popleft()
    return SendItems(first.channel, now, tuple(items))


def read_frame(data: bytes, channel: Waiter, limits: BridgeLimits) -> ReadFrame:
    """Read a frame from the page. Raises `ShapeError`."""
    try:
        frame, results = read_objects(
            data, member="results", raw=("response",), max_body_bytes=limits.max_body_bytes
        )
    except StrictJsonError:
        raise ShapeError("A frame is one object of strict JSON within the limits.") from None
    if frame.values.get("alive") is True and "ack" not in frame.values:
        return ReadFrame(ChannelAlive(channel))
    ack = count(frame.values, "ack")
    taken = count(frame.values, "taken") if "taken" in frame.values else None
    good = [read_result(result) for result in results if isinstance(result, RawObject)]
    # A response over a limit is nobody else's fault: the other results of the frame are good.
    refused = [
        SendRefusal(channel, text(error.values, "id"), BridgeErrorCode.BAD_REQUEST)
        for error in results
        if isinstance(error, StrictJsonError)
    ]
    return ReadFrame(ChannelFrame(channel, tuple(good), ack, taken), tuple(refused))
