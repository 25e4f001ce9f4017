"""`watch`: what is shown of others' calls, and how it ends."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path
from typing import Any

from bridge.cli.output.call_board import CallBoard
from bridge.cli.output.call_words import color_of
from bridge.client.control_results import CallEvent
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import pipe, running_command
from tests.python.support.fake_app import KEPT, SLUG, FakeApp, fake_app
from tests.python.support.fake_bridge import (
    PATIENCE_SECONDS,
    Answer,
    Bytes,
    FakeBridge,
    Received,
    error,
)
from tests.python.support.terminal import Terminal, run_on_terminal

BEGIN = {"phase": "begin", "session": "s\x1b[2J", "method": "actions/execute", "at": 1_000}
END = {"phase": "end", "session": "s\x1b[2J", "method": "actions/execute", "at": 1_250}


def event(seq: int, call: int, template: dict[str, Any], **more: Any) -> dict[str, Any]:
    return template | {"seq": seq, "call": call} | more


EVENTS = [
    event(1, 1, BEGIN, action="doc.read"),
    event(2, 2, BEGIN, action="doc.insert"),
    event(3, 1, END, action="doc.read", ok=True, durationMs=250.25),
    event(4, 2, END, action="doc.insert", ok=False, code="STALE_REVISION", durationMs=3),
    event(5, 3, BEGIN, method="agent/info"),
]


def scripted(
    app: FakeApp, bridge: FakeBridge, *news: list[dict[str, Any]], missed: int = 0
) -> threading.Event:
    """Let the bridge tell its news one after another, then wait as a bridge does."""
    waiting, told = list(news), threading.Event()

    def script(request: Received) -> Answer | Bytes:
        if request.path != "/calls":
            return app.answer(request)
        asked = request.json()
        if asked["after"] is None:
            events: list[dict[str, Any]] = []
        elif waiting:
            events = waiting.pop(0)
        else:
            told.wait(PATIENCE_SECONDS)
            return error("CLOSING")
        after = events[-1]["seq"] if events else 7
        body = {"now": 2_000, "next": after, "missed": missed, "events": events}
        return Answer(body=json.dumps(body).encode(), headers=KEPT)

    bridge.script = script
    return told


def test_a_pipe_gets_a_line_for_each_call_that_ended(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (app, bridge):
        told = scripted(app, bridge, EVENTS[:2], EVENTS[2:])
        with running_command(tmp_path, "watch", SLUG) as child:
            lines = [pipe(child.stdout).readline().decode() for _ in range(2)]
            child.send_signal(signal.SIGINT)
            assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
            told.set()
            assert pipe(child.stderr).read() == b""
        asked = [received.json()["after"] for received in bridge.of("/calls")]
    first, second = (line.rstrip("\n").split("\t") for line in lines)
    assert first[1:] == ["250.2", "ok", "s\\x1b[2J", "doc.read"]
    assert second[1:] == ["3.0", "STALE_REVISION", "s\\x1b[2J", "doc.insert"]
    assert asked[:3] == [None, 7, 2]


def test_all_begins_with_what_the_bridge_still_knows(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (app, bridge):
        told = scripted(app, bridge, EVENTS, missed=3)
        with running_command(tmp_path, "watch", SLUG, "--all") as child:
            pipe(child.stdout).readline()
            told.set()
            assert child.wait(PATIENCE_SECONDS) == ExitCode.REFUSED
            assert b"3 events were missed" in pipe(child.stderr).read()
        assert bridge.of("/calls")[0].json()["after"] == 0


def test_json_is_an_object_for_each_event(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (app, bridge):
        told = scripted(app, bridge, EVENTS)
        with running_command(tmp_path, "watch", SLUG, "--json", "--all") as child:
            lines = [json.loads(pipe(child.stdout).readline()) for _ in EVENTS]
            child.send_signal(signal.SIGINT)
            assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
            told.set()
    assert lines == [event | {"call": str(event["call"])} for event in EVENTS]


def test_a_terminal_gets_a_table_that_changes(tmp_path: Path) -> None:
    def use(terminal: Terminal) -> None:
        shown = terminal.read_until(lambda text: "1 running" in text)
        assert "\x1b[2J" not in shown
        for part in ("doc.read", "250.2", "STALE_REVISION", "agent/info", "s\\x1b[2J (3)"):
            assert part in shown
        terminal.child.send_signal(signal.SIGINT)

    with fake_app(tmp_path) as (app, bridge):
        told = scripted(app, bridge, EVENTS)
        assert run_on_terminal(tmp_path, use, "watch", SLUG, "--all") == ExitCode.DONE
        told.set()


def test_a_bridge_that_ends_is_told(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (app, bridge):
        scripted(app, bridge).set()
        with running_command(tmp_path, "watch", SLUG) as child:
            assert child.wait(PATIENCE_SECONDS) == ExitCode.REFUSED
            assert b"CLOSING" in pipe(child.stderr).read()


def call_event(seq: int, phase: Any, call: str, **more: Any) -> CallEvent:
    values = {"session": "s", "method": "m", "action": None, "at": seq, "ok": None, "code": None,
              "duration_ms": None} | more  # fmt: skip
    return CallEvent(seq=seq, phase=phase, call=call, **values)


def test_the_board_keeps_what_runs_what_ended_and_who_called() -> None:
    board = CallBoard(keep=2)
    board.take([call_event(n, "begin", str(n), session=f"s{n % 2}") for n in range(4)])
    assert list(board.running) == ["0", "1", "2", "3"]
    assert board.sessions == {"s0": 2, "s1": 2}
    ended = board.take([call_event(n + 9, "end", str(n), ok=True) for n in range(3)])
    assert [line.outcome for line in ended] == ["ok", "ok", "ok"]
    assert [line.call for line in board.ended] == ["2", "1"]
    assert list(board.running) == ["3"]


def test_a_call_that_goes_on_is_told_by_what_it_waits_for() -> None:
    board = CallBoard()
    why = {"1": None, "2": "consent", "3": "task", "4": "consent"}
    ended = board.take(
        [call_event(9, "end", call, ok=call != "4", deferred=why[call]) for call in why]
    )
    assert [line.outcome for line in ended] == ["ok", "waits for a yes", "goes on", "failed"]
    assert [color_of(line) for line in ended] == ["green", "yellow", "yellow", "red"]


def test_a_call_that_the_owner_is_asked_for_is_a_line_that_says_so(tmp_path: Path) -> None:
    asks = event(2, 1, END, action="doc.export", ok=True, durationMs=3, deferred="consent")
    for options in ((), ("--json",)):
        with fake_app(tmp_path) as (app, bridge):
            told = scripted(app, bridge, [asks])
            with running_command(tmp_path, "watch", SLUG, *options) as child:
                line = pipe(child.stdout).readline().decode()
                child.send_signal(signal.SIGINT)
                assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
                told.set()
        assert ('"deferred":"consent"' if options else "\twaits for a yes\t") in line


def test_the_board_forgets_what_ended_unseen() -> None:
    board = CallBoard()
    board.take([call_event(1, "begin", "a")])
    (line,) = board.take([call_event(9, "end", "b", code="TIMEOUT", ok=False)], missed=4)
    assert (board.running, board.missed) == ({}, 4)
    assert (line.began_at, line.outcome) == (None, "TIMEOUT")


def test_the_board_is_bounded() -> None:
    board = CallBoard()
    board.take([call_event(n, "begin", str(n), session=str(n)) for n in range(1_000)])
    assert (len(board.running), len(board.sessions)) == (256, 64)
    assert list(board.sessions)[-1] == "999"
