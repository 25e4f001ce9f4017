"""What each method of control protocol 1 takes and gives."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest

from bridge.contract.control_methods import CONTROL_METHODS
from bridge.contract.limits import MAX_LIST_BYTES
from bridge.contract.mcp_messages import MODERN
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.dispatcher.host import Resource, Unavailability
from bridge.dispatcher.methods import METHODS
from bridge.dispatcher.rpc_session import RpcSession
from tests.python.support.dispatchers import (
    ANY_INPUT,
    APP,
    HandRuntime,
    Notes,
    ScriptedHost,
    ask,
    dispatcher_of,
    line_of,
)

_P = "io.modelcontextprotocol/"
MODERN_META = {_P + "protocolVersion": MODERN, _P + "clientCapabilities": {}}


def notes() -> Dispatcher:
    dispatcher = Dispatcher(Notes(), app=APP)
    dispatcher.set_enabled(True)
    return dispatcher


def test_who_runs_none_of_the_methods_knows_them_all() -> None:
    assert set(METHODS) == CONTROL_METHODS


def test_agent_info_names_the_app_whole_its_limits_and_every_method() -> None:
    name = "Ünïcode — 文書 " * 20
    dispatcher = Dispatcher(ScriptedHost(), app=AppName(name, "1.2"))
    result = ask(dispatcher, "agent/info")["result"]
    assert result["app"] == {"name": name, "version": "1.2"}
    assert result["methods"] == [
        "agent/info",
        "actions/list",
        "actions/describe",
        "actions/execute",
        "actions/batch",
        "state/inspect",
        "tasks/get",
        "tasks/cancel",
        "resources/read",
        "view/render",
    ]
    assert result["limits"] == {
        "maxEncodedBytes": 1_048_576,
        "maxDepth": 32,
        "maxValues": 16_384,
        "maxMembers": 4_096,
        "maxStringBytes": 262_144,
        "maxNumberChars": 1_024,
        "maxIdBytes": 256,
        "maxActionNameChars": 128,
        "maxListLimit": 100,
        "defaultListLimit": 50,
        "maxBatchCalls": 128,
        "maxResourceChunkBytes": 65_536,
        "maxSessions": 16,
        "maxTurnSeconds": 5,
        "maxCallSeconds": 30,
    }
    assert "revision" not in result


def many(count: int) -> Dispatcher:
    specs = tuple(ActionSpec.read(f"a{n}", "A") for n in range(count, 0, -1))
    return dispatcher_of(actions=specs)


def names(result: Any) -> list[str]:
    return [action["name"] for action in result["actions"]]


def test_actions_come_in_host_order_fifty_at_a_time_and_go_on_at_a_cursor() -> None:
    dispatcher = many(60)
    first = ask(dispatcher, "actions/list")["result"]
    rest = ask(dispatcher, "actions/list", {"cursor": first["nextCursor"]})["result"]
    assert names(first) + names(rest) == [f"a{n}" for n in range(60, 0, -1)]
    assert len(names(first)) == 50
    assert "nextCursor" not in rest


def test_a_list_of_actions_that_ends_with_its_page_has_no_cursor() -> None:
    assert "nextCursor" not in ask(many(50), "actions/list")["result"]


@pytest.mark.parametrize(
    ("params", "number"),
    [
        ({"limit": 0}, -32602),
        ({"limit": 1.5}, -32602),
        ({"limit": "5"}, -32602),
        ({"limit": None}, -32602),
        ({"limit": True}, -32602),
        ({"limit": 101}, 1015),
        ({"cursor": "0"}, -32602),
        ({"cursor": "-1"}, -32602),
        ({"cursor": "x"}, -32602),
        ({"cursor": "٣"}, -32602),
        ({"cursor": "1234567890"}, -32602),
        ({"cursor": 1}, -32602),
        ({"query": 1}, -32602),
    ],
)
def test_bad_parameters_of_a_list_are_refused(params: Any, number: int) -> None:
    assert ask(many(1), "actions/list", params)["error"]["code"] == number


def test_a_limit_of_1_and_of_100_is_taken() -> None:
    dispatcher = many(101)
    assert len(names(ask(dispatcher, "actions/list", {"limit": 1})["result"])) == 1
    assert len(names(ask(dispatcher, "actions/list", {"limit": 100})["result"])) == 100
    assert names(ask(dispatcher, "actions/list", {"cursor": "999999999"})["result"]) == []


ODD = "\u2028\x01é😀"
WRITTEN_ODD = 6 + 6 + 2 + 4


def described(*descriptions: str) -> Dispatcher:
    specs = tuple(ActionSpec.read(f"a{n}", text) for n, text in enumerate(descriptions))
    return dispatcher_of(actions=specs)


def test_a_page_of_actions_ends_with_the_last_that_fits_to_the_byte() -> None:
    around = len('{"name":"a0","description":"","kind":"read","available":true}')
    left = MAX_LIST_BYTES - 2 * around - 100_000 - WRITTEN_ODD
    texts = ["x" * 100_000, ODD + "x" * left, "last"]
    full = ask(described(*texts), "actions/list")["result"]
    assert (names(full), full["nextCursor"]) == (["a0", "a1"], "2")
    texts[1] += "x"
    short = ask(described(*texts), "actions/list")["result"]
    assert (names(short), short["nextCursor"]) == (["a0"], "1")
    rest = ask(described(*texts), "actions/list", {"cursor": "1"})["result"]
    assert names(rest) == ["a1", "a2"]
    assert "nextCursor" not in rest


def test_a_hundred_long_descriptions_are_listed_in_either_protocol() -> None:
    app = described(*["x" * 12_000] * 100)
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = ask(app, "actions/list", {"limit": 100, **cursor})["result"]
        found += names(page)
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == [f"a{n}" for n in range(100)]
    call = {"name": "actions_search", "arguments": {"limit": 100}}
    told = ask(app, "tools/call", {**call, "_meta": MODERN_META})["result"]
    assert len(told["structuredContent"]["actions"]) == 21
    # A page is so short that a model which is shown texts alone reads all of it.
    text = "".join(block["text"] for block in told["content"])
    assert json.loads(text) == told["structuredContent"]


def test_an_action_that_fits_no_page_is_refused_there_and_keeps_no_other_from_being_listed() -> (
    None
):
    app = described("first", "x" * 262_145, "last")
    first = ask(app, "actions/list")["result"]
    assert (names(first), first["nextCursor"]) == (["a0"], "1")
    error = ask(app, "actions/list", {"cursor": "1"})["error"]
    assert error["data"] == {
        "code": "LIMIT_EXCEEDED",
        "limit": "stringBytes",
        "maximum": 262_144,
    }
    assert names(ask(app, "actions/list", {"cursor": "2"})["result"]) == ["a2"]


def test_every_word_of_a_query_occurs_and_only_the_case_of_ascii_letters_is_disregarded() -> None:
    specs = (ActionSpec.read("doc.text", "Été chaud"), ActionSpec.read("doc.image", "K"))
    dispatcher = dispatcher_of(actions=specs)

    def found(query: str) -> list[str]:
        return names(ask(dispatcher, "actions/list", {"query": query})["result"])

    assert found("DOC") == ["doc.text", "doc.image"]
    assert found("\tchaud \n DOC\r") == ["doc.text"]
    assert found("ÉTé") == ["doc.text"]
    assert found("été") == []
    assert found("\u212a") == []
    assert found("doc\u00a0text") == []


def test_a_list_tells_why_an_action_is_not_available() -> None:
    dispatcher = dispatcher_of(
        availability=lambda name: Unavailability("AWAY", "Away.") if name == "b" else None
    )
    assert ask(dispatcher, "actions/list")["result"]["actions"] == [
        {"name": "a", "description": "A", "kind": "read", "available": True},
        {
            "name": "b",
            "description": "B",
            "kind": "read",
            "available": False,
            "unavailable": {"code": "AWAY", "reason": "Away."},
        },
    ]


def test_a_description_has_all_that_the_app_said_and_the_actions_own_revision() -> None:
    answer = ask(notes(), "actions/describe", {"action": "note.set"})["result"]
    assert answer["revision"] == 7
    assert answer["action"] == {
        "name": "note.set",
        "description": "Set the note",
        "kind": "write",
        "available": True,
        "inputSchema": Notes.TEXT,
        "outputSchema": Notes.TEXT,
        "capabilities": 0,
        "undo": True,
        "transaction": "note",
        "commandId": 100,
    }
    beep = ask(notes(), "actions/describe", {"action": "beep"})["result"]
    assert "revision" not in beep
    assert not {"transaction", "commandId"} & set(beep["action"])


def test_an_inspection_is_the_hosts_own_and_bounded() -> None:
    size = 262_144
    dispatcher = dispatcher_of(inspect=lambda query: {"text": "x" * size, "query": query})
    answer = ask(dispatcher, "state/inspect", {"sinceRevision": 12})["result"]
    assert answer["query"] == {"sinceRevision": 12}
    size += 1
    error = ask(dispatcher, "state/inspect")["error"]
    assert (error["data"]["code"], error["data"]["limit"]) == ("LIMIT_EXCEEDED", "stringBytes")


def test_a_host_without_inspection_and_one_that_inspects_no_object() -> None:
    error = ask(dispatcher_of(), "state/inspect")["error"]
    assert error["data"]["availability"]["code"] == "NO_INSPECTION"
    wrong = dispatcher_of(inspect=lambda _query: [])
    assert ask(wrong, "state/inspect")["error"]["data"]["code"] == "INVALID_OUTPUT"


def test_a_resource_is_read_in_chunks_to_its_end() -> None:
    dispatcher = notes()
    whole, offset = b"", 0
    while True:
        params = {"uri": "note:zeros", "offset": offset}
        part = ask(dispatcher, "resources/read", params)["result"]
        assert (part["uri"], part["mimeType"], part["size"]) == (
            "note:zeros",
            "text/plain",
            200_000,
        )
        assert part["offset"] == offset
        whole += b64decode(part["data"])
        if "nextOffset" not in part:
            break
        offset = part["nextOffset"]
    assert whole == bytes(200_000)


def test_an_empty_resource_and_one_that_there_is_not() -> None:
    dispatcher = notes()
    empty = ask(dispatcher, "resources/read", {"uri": "note:text"})["result"]
    assert (empty["size"], empty["data"], "nextOffset" in empty) == (0, "", False)
    past = ask(dispatcher, "resources/read", {"uri": "note:zeros", "offset": 10**30})["result"]
    assert (past["data"], "nextOffset" in past) == ("", False)
    error = ask(dispatcher, "resources/read", {"uri": "/etc/passwd"})["error"]
    assert error["data"]["code"] == "UNKNOWN_RESOURCE"
    error = ask(dispatcher_of(), "resources/read", {"uri": "note:text"})["error"]
    assert error["data"]["code"] == "UNKNOWN_RESOURCE"


@pytest.mark.parametrize(
    ("params", "number"),
    [
        ({}, -32602),
        ({"uri": 1}, -32602),
        ({"uri": "note:text", "offset": -1}, -32602),
        ({"uri": "note:text", "offset": "0"}, -32602),
        ({"uri": "note:text", "limit": 0}, -32602),
        ({"uri": "note:text", "limit": 65_537}, 1015),
    ],
)
def test_bad_parameters_of_a_resource_are_refused(params: Any, number: int) -> None:
    assert ask(notes(), "resources/read", params)["error"]["code"] == number


def test_a_chunk_has_65536_bytes_at_most_and_one_at_least() -> None:
    dispatcher = notes()
    for limit in (1, 65_536):
        params = {"uri": "note:zeros", "limit": limit}
        part = ask(dispatcher, "resources/read", params)["result"]
        assert (len(b64decode(part["data"])), part["nextOffset"]) == (limit, limit)


@pytest.mark.parametrize(
    "answer",
    [
        Resource("text/plain", 10, bytes(11)),
        Resource("text/plain", 100, bytes(6)),
        Resource("text/plain", 100, b""),
        Resource("text/plain", -1, b""),
        Resource("text/plain", True, b"x"),
        Resource(5, 1, b"x"),  # type: ignore[arg-type]
        Resource("text/plain", 1, "x"),  # type: ignore[arg-type]
        5,
        ("text/plain", 1),
    ],
)
def test_a_host_that_lies_about_a_resource_is_a_host_error(answer: object) -> None:
    dispatcher = dispatcher_of(read_resource=lambda _uri, _offset, _limit: answer)
    error = ask(dispatcher, "resources/read", {"uri": "x", "limit": 5})["error"]
    assert error["data"]["code"] == "HOST_ERROR"


async def test_a_resource_may_take_its_time() -> None:
    async def read() -> Resource:
        return Resource("text/plain", 2, b"ab")

    dispatcher = dispatcher_of(
        read_resource=lambda _uri, _offset, _limit: read(), runtime=HandRuntime()
    )
    answer = await RpcSession(dispatcher).receive(line_of("resources/read", {"uri": "x"}))
    assert answer is not None
    assert '"data":"YWI="' in answer


def rendering(output: object) -> Dispatcher:
    spec = ActionSpec.read("ui.render", "Render", output_schema=True, **ANY_INPUT)
    return dispatcher_of(lambda _a, data, _c: output or data, actions=(spec,))


def test_rendering_runs_the_apps_own_action_with_the_params_as_its_input() -> None:
    image = {"resource": "view:1", "mimeType": "image/png", "width": 4, "height": 2}
    assert ask(rendering(image), "view/render")["result"] == {**image, "protocolVersion": "1"}
    params = {"width": 5, "protocolVersion": "1"}
    assert ask(rendering(None), "view/render", params)["result"]["width"] == 5
    error = ask(dispatcher_of(), "view/render")["error"]
    assert error["data"]["code"] == "UNKNOWN_ACTION"
    error = ask(rendering([1]), "view/render")["error"]
    assert error["data"]["code"] == "INVALID_OUTPUT"


def test_every_result_carries_protocol_version_1_and_the_hosts_revision() -> None:
    class Rendered(Notes):
        SPECS = (*Notes.SPECS, ActionSpec.read("ui.render", "Render", **ANY_INPUT))

        def inspect(self, query: dict[str, Any]) -> dict[str, Any]:
            return {}

    dispatcher = Dispatcher(Rendered(), app=APP)
    dispatcher.set_enabled(True)
    task = dispatcher.tasks.create("later")
    for method in METHODS:
        params: dict[str, Any] = {"action": "note.read", "id": task.id, "uri": "note:text"}
        result = ask(dispatcher, method, params | {"calls": [params]})["result"]
        assert (result["protocolVersion"], result["revision"]) == ("1", 7), method
