"""`check`: an endpoint that keeps the contract passes; one that breaks a rule fails that rule."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bridge.cli.conformance import probes_of_messages, probes_of_methods, probes_of_writes
from bridge.cli.conformance.probe import Probe, ProbePeer, Verdict, check
from bridge.cli.input.action_example import example_input
from bridge.cli.main import main
from bridge.cli.output.json_text import read
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import ExitCode
from bridge.dispatcher.rpc_session import RpcSession
from tests.python.support.note_app import SLUG, NoteApp, note_app

Captured = pytest.CaptureFixture[str]
Message = dict[str, Any]
LOOKS = (*probes_of_messages.PROBES, *probes_of_methods.PROBES)
ALL = (*LOOKS, *probes_of_writes.PROBES)


class MemoryPeer:
    """A dispatcher in memory. `twist` changes what it answers to a message."""

    def __init__(self, twist: Callable[[Any, Message], object] | None = None) -> None:
        self.app = NoteApp()
        self._twist = twist
        self._session = RpcSession(self.app.dispatcher, "s")

    def send(self, line: bytes) -> bytes | None:
        coroutine = self._session.receive(line)
        try:
            coroutine.send(None)
        except StopIteration as end:
            answer = end.value
        else:
            raise AssertionError("a synchronous host answers at once")
        if self._twist is None:
            return None if answer is None else answer.encode()
        twisted = self._twist(_message(line), json.loads(answer or "null"))
        return None if twisted is None else json.dumps(twisted).encode()

    def verdict(self, probe: Probe, *, raw: bool = True) -> Verdict:
        return check(probe, ProbePeer(self.send, raw=raw))


def _message(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def named(probe_id: str) -> Probe:
    return next(probe for probe in ALL if probe.id == probe_id)


@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.id)
def test_a_dispatcher_keeps_every_rule(probe: Probe) -> None:
    assert MemoryPeer().verdict(probe) == Verdict(probe, "pass", "")


def test_probes_have_names_of_their_own() -> None:
    assert len({probe.id for probe in ALL}) == len(ALL)


def on_result(method: str, **changed: Any) -> Callable[[Any, Message], object]:
    """Change members of the results of a method; None removes one."""

    def twist(message: Any, answer: Message) -> object:
        if isinstance(message, dict) and message.get("method") == method and "result" in answer:
            told = answer["result"] | changed
            answer["result"] = {name: value for name, value in told.items() if value is not None}
        return answer

    return twist


def on_error(number: int, **changed: Any) -> Callable[[Any, Any], object]:
    """Change members of errors of a number."""

    def twist(_message: Any, answer: Any) -> object:
        if answer is not None and answer.get("error", {}).get("code") == number:
            answer["error"] |= changed
        return answer

    return twist


def on_id(change: Callable[[Any], Any]) -> Callable[[Any, Any], object]:
    return lambda _message, answer: (
        None if answer is None else answer | {"id": change(answer["id"])}
    )


def answered_notification(message: Any, answer: Message | None) -> object:
    return answer or {"jsonrpc": "2.0", "id": None, "result": {}} if message else answer


def lenient(message: Any, answer: Message | None) -> object:
    """Answer what no strict JSON is as another error."""
    if message is None or isinstance(message, str):
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "?"}}
    return answer


def runs_everything(message: Any, answer: Message | None) -> object:
    if isinstance(message, dict) and message.get("method") == "actions/execute":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {"protocolVersion": "1"}}
    return answer


def finds_nothing(message: Any, answer: Message) -> object:
    if "query" in message["params"]:
        answer["result"]["actions"] = []
    return answer


BREAKERS: list[tuple[str, Callable[[Any, Any], object]]] = [
    ("id.string", on_id(lambda i: i.upper() if isinstance(i, str) else i)),
    ("id.large", on_id(lambda i: int(float(i)) if isinstance(i, int) else i)),
    ("method.unknown", on_error(-32601, code=-32600)),
    ("message.members", lambda _, answer: {"jsonrpc": "2.0", "id": 1, "error": {}}),
    ("params.shape", on_error(-32602, code=1003)),
    ("version.one", on_result("agent/info", protocolVersion=1)),
    ("version.other", on_error(1016, data={"code": "UNSUPPORTED_PROTOCOL_VERSION"})),
    ("notification", answered_notification),
    ("request.shape", on_id(lambda i: 0 if i is None else i)),
    ("request.array", on_error(-32600, message="no")),
    ("json.strict", lenient),
    ("limit.depth", on_error(1015, code=-32700)),
    ("limit.bytes", on_error(1015, data={"code": "LIMIT_EXCEEDED", "maximum": 7})),
    ("message.after", lambda _, __: None),
    ("info", on_result("agent/info", methods=["agent/info"])),
    ("list.shape", on_result("actions/list", actions=[{"name": "a b"}])),
    ("list.pages", on_result("actions/list", nextCursor=None)),
    ("list.query", finds_nothing),
    ("list.limit", on_error(1015, code=-32602)),
    ("describe", on_result("actions/describe", action={"name": "note.read"})),
    ("action.unknown", on_error(1002, data={})),
    ("input.invalid", on_error(1003, data={"code": "INVALID_INPUT"})),
    ("revision.read", runs_everything),
    ("batch.order", on_result("actions/batch", results=[])),
    ("batch.atomic", on_error(1002, data={"code": "UNKNOWN_ACTION"})),
    ("batch.limit", on_error(1015, code=-32602)),
    ("inspect", lambda _, answer: answer | {"result": []}),
    ("task.unknown", on_error(1013, code=1014)),
    ("resource.unknown", on_error(1014, code=1018)),
    ("resource.limit", on_error(1015, code=-32602)),
    ("render", on_result("view/render", width=None)),
    ("write.required", runs_everything),
    ("write.stale", runs_everything),
]


@pytest.mark.parametrize(("probe_id", "twist"), BREAKERS, ids=[name for name, _ in BREAKERS])
def test_a_broken_rule_is_found(probe_id: str, twist: Callable[[Any, Any], object]) -> None:
    verdict = MemoryPeer(twist).verdict(named(probe_id))
    assert verdict.outcome == "fail"
    assert verdict.detail


def test_every_rule_is_broken_once() -> None:
    assert [name for name, _ in BREAKERS] == [probe.id for probe in ALL]


def test_no_write_is_run_and_none_is_named_unless_it_is_asked_for() -> None:
    named_actions: list[str] = []

    def watch(message: Any, answer: Message) -> object:
        if isinstance(message, dict) and message.get("method") == "actions/execute":
            named_actions.append(message["params"].get("action"))
        return answer

    peer = MemoryPeer(watch)
    for probe in LOOKS:
        peer.verdict(probe)
    assert "note.set" not in named_actions
    for probe in probes_of_writes.PROBES:
        peer.verdict(probe)
    assert named_actions.count("note.set") == 2
    assert set(peer.app.ran) == {"ui.render"}
    assert peer.app.at == 7


def test_a_write_that_moved_the_revision_is_found() -> None:
    def moves(message: Any, answer: Message) -> object:
        if message["method"] == "actions/execute":
            peer.app.at += 1
        return answer

    peer = MemoryPeer(moves)
    assert "moved the revision" in peer.verdict(named("write.required")).detail


def test_what_a_bridge_does_not_pass_on_is_not_asked() -> None:
    for probe_id in ("json.strict", "request.array", "limit.bytes"):
        assert MemoryPeer().verdict(named(probe_id), raw=False).outcome == "skip"


def test_an_endpoint_that_goes_ends_the_check() -> None:
    def gone(_: bytes) -> bytes | None:
        raise BridgeFailure(ClientErrorCode.UNREACHABLE, "gone")

    with pytest.raises(BridgeFailure):
        check(named("info"), ProbePeer(gone, raw=True))

    def late(_: bytes) -> bytes | None:
        raise BridgeFailure(ClientErrorCode.DEADLINE_EXCEEDED, "late")

    assert check(named("info"), ProbePeer(late, raw=True)).outcome == "fail"


@pytest.mark.parametrize(
    ("schema", "made"),
    [
        (True, {}),
        ({"type": "object"}, {}),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"a": "a"},
        ),
        ({"properties": {"a": {"enum": [None, 1]}}, "required": ["a"]}, {"a": None}),
        ({"properties": {"a": {"type": "integer", "minimum": 5}}, "required": ["a"]}, {"a": "5"}),
        ({"properties": {"a": {"default": True}}, "required": ["a"]}, {"a": True}),
        (
            {"properties": {"a": {"minLength": 9, "type": "string"}}, "required": ["a"]},
            {"a": "a" * 9},
        ),
        ({"properties": {"a": {"pattern": "^b", "type": "string"}}, "required": ["a"]}, None),
        ({"type": "array"}, None),
        ({"required": ["a"]}, None),
        (False, None),
    ],
)
def test_an_input_is_made_up_only_where_the_schema_allows_it(schema: object, made: object) -> None:
    assert example_input({"inputSchema": read(json.dumps(schema))}) == made


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[NoteApp]:
    with note_app(monkeypatch) as (app, _, _):
        yield app


def test_a_native_app_is_checked(app: NoteApp, capfd: Captured) -> None:
    assert main(["check", SLUG]) == ExitCode.DONE
    out, err = capfd.readouterr()
    assert [line.split("\t")[:2] for line in out.splitlines()] == [[p.id, "pass"] for p in LOOKS]
    assert err == f"{len(LOOKS)} kept, 0 broken, 0 not asked.\n"
    assert main(["check", SLUG, "--write", "--json"]) == ExitCode.DONE
    assert [each["id"] for each in json.loads(capfd.readouterr().out)] == [p.id for p in ALL]


def test_a_native_app_that_breaks_a_rule_is_status_1(
    app: NoteApp, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    monkeypatch.setattr(NoteApp, "inspect", lambda *_: [])
    assert main(["check", SLUG]) == ExitCode.APP_ERROR
    out, err = capfd.readouterr()
    assert "inspect\tfail\t" in out
    assert "1 broken" in err
