"""What a failed test shows of its bridge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from bridge.client import BridgeFailure, CallEvent, CallEvents
from bridge.client.bridge_runner import StartedBridge
from bridge.client.failure_sections import call_lines, failure_sections

BEGIN = CallEvent(1, "begin", "c1", "s", "actions/execute", "a.b", 1_000, None, None, None)
END = CallEvent(2, "end", "c1", "s", "actions/execute", "a.b", 1_250, True, None, 250.0)


class Bridge:
    """As much of a bridge as is asked."""

    def __init__(self, events: tuple[CallEvent, ...] | BridgeFailure, log: list[str]) -> None:
        self._events = events
        self.log = log

    def connect(self) -> Bridge:
        return self

    def __enter__(self) -> Bridge:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def calls(self, after: int) -> CallEvents:
        assert after == 0
        if isinstance(self._events, BridgeFailure):
            raise self._events
        return CallEvents(2_000, 3, 0, self._events)


def sections(bridge: Bridge, logged: int = 0, since_ms: int = 1_000) -> list[tuple[str, str]]:
    return failure_sections(cast("StartedBridge", bridge), logged, since_ms)


def changed(event: CallEvent, **changes: Any) -> CallEvent:

    return replace(event, **changes)


def test_a_call_that_ended_is_one_line_and_one_that_did_not_says_so() -> None:
    assert call_lines([BEGIN, END], 1_000) == ["+0.250 s  actions/execute a.b  ok in 250 ms"]
    assert call_lines([BEGIN], 1_000) == ["+0.000 s  actions/execute a.b  not answered"]
    bare = changed(END, action=None, ok=False, code="TIMEOUT", duration_ms=None)
    assert call_lines([bare], 1_000) == ["+0.250 s  actions/execute  TIMEOUT"]
    assert call_lines([changed(bare, code=None)], 1_000) == ["+0.250 s  actions/execute  failed"]
    assert call_lines([changed(bare, method=None)], 1_000) == ["+0.250 s  (no method)  TIMEOUT"]


def test_calls_of_earlier_tests_are_left_out_and_the_last_ones_are_kept() -> None:
    assert call_lines([BEGIN, END], 1_251) == []
    many = [changed(END, seq=n, call=f"c{n}", at=2_000 + n) for n in range(50)]
    lines = call_lines(many, 1_000)
    assert len(lines) == 20
    assert lines[-1].startswith("+1.049 s")


def test_the_log_is_shown_from_where_the_test_began() -> None:
    bridge = Bridge((BEGIN, END), ["old", *(f"line {n}" for n in range(150))])
    assert sections(bridge, 1)[0] == (
        "bascule bridge log",
        "\n".join(f"line {n}" for n in range(50, 150)),
    )
    assert [title for title, _ in sections(bridge, 1)] == ["bascule bridge log", "bascule calls"]


def test_what_is_empty_is_left_out() -> None:
    assert sections(Bridge((), ["old"]), 1) == []


def test_a_bridge_that_cannot_be_asked_is_said() -> None:
    ((title, text),) = sections(Bridge(BridgeFailure("NO_BRIDGE", "The bridge has ended."), []))
    assert title == "bascule calls"
    assert "The bridge has ended." in text
