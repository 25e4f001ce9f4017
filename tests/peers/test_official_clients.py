"""Official clients in all their modes, on every way to an app: what they are told and given."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from bridge.contract.error_codes import AppErrorCode
from tests.peers.support.conversation import (
    CALLS_TOGETHER,
    MISSING,
    SHORT_TASK,
    STRANGE,
    Conversation,
)
from tests.peers.support.fixture_app import (
    APP,
    BIG,
    BIG_BYTES,
    NOISE,
    PNG,
    RESOURCES,
    STATIC_TEXT,
)
from tests.peers.support.wire_rules import MODERN

TOOLS = [
    "actions_search",
    "actions_describe",
    "actions_execute",
    "actions_batch",
    "state_inspect",
    "task_status",
    "task_cancel",
    "resource_read",
    "view_render",
]


def failure(conversation: Conversation, step: str) -> Any:
    """Return the error of a tool's result, after a look at how it is told."""
    result = conversation.result(step)
    assert result["isError"] is True, result
    error = result["structuredContent"]["error"]
    text = result["content"][0]["text"]
    assert text.startswith(error["message"])
    # Clients show a model only the text of what failed.
    assert json.loads(text[text.index("\n") :].strip().splitlines()[-1])["error"] == error
    return error


def test_each_mode_ends_with_the_revision_that_it_is_for(conversation: Conversation) -> None:
    assert conversation.told["protocolVersion"] == conversation.kind.revision


def test_the_server_says_who_it_is_what_it_can_and_how_it_is_used(
    conversation: Conversation,
) -> None:
    told = conversation.told
    # A pinned client asks nobody; the others were told at the beginning.
    if conversation.kind.mode == MODERN:
        return
    assert told["serverInfo"]["name"] == conversation.way.server_name
    assert set(told["capabilities"]) == {"tools", "resources"}
    assert "actions_search" in told["instructions"]


def test_the_nine_tools_are_listed_in_order(conversation: Conversation) -> None:
    listed = conversation.result("tools")["tools"]
    assert [tool["name"] for tool in listed] == TOOLS
    for tool in listed:
        assert tool["inputSchema"]["type"] == "object"
        assert tool["outputSchema"]["type"] == "object"
        assert tool["description"]


def test_actions_are_found_and_described(conversation: Conversation) -> None:
    names = [action["name"] for action in conversation.structured("search")["actions"]]
    assert names == [
        "note.read",
        "note.set",
        "ui.render",
    ]
    assert len(conversation.structured("search all")["actions"]) == 7
    described = conversation.structured("describe")["action"]
    assert described["name"] == "note.set"
    assert described["inputSchema"]["required"] == ["text"]


def test_the_state_is_inspected(conversation: Conversation) -> None:
    seen = conversation.structured("inspect")
    assert seen["asked"] == {"about": "the note"}
    assert isinstance(seen["revision"], int)


def test_an_action_runs_and_any_text_comes_through(conversation: Conversation) -> None:
    before = conversation.structured("describe")["revision"]
    done = conversation.structured("execute")
    assert done == {"status": "completed", "output": {"text": STRANGE}, "revision": before + 1}


def test_a_batch_is_all_or_nothing_and_seen_afterwards(conversation: Conversation) -> None:
    batch = conversation.structured("batch")
    assert batch["atomic"] is True
    assert batch["committed"] is True
    assert [item["output"] for item in batch["results"]] == [{"text": "a"}, {"text": "b"}]
    assert conversation.structured("read")["output"] == {"text": "b"}


def test_a_view_comes_as_a_picture(conversation: Conversation) -> None:
    result = conversation.result("render")
    assert result["structuredContent"]["mimeType"] == "image/png"
    pictures = [block for block in result["content"] if block["type"] == "image"]
    assert [base64.b64decode(picture["data"]) for picture in pictures] == [PNG]


def test_a_large_resource_is_read_in_parts(conversation: Conversation) -> None:
    part = conversation.structured("part")
    assert base64.b64decode(part["data"]) == BIG[250_000:250_010]
    assert (part["size"], part["nextOffset"]) == (BIG_BYTES, 250_010)


def test_text_and_structured_content_of_a_result_are_the_same(conversation: Conversation) -> None:
    for step in ("search", "describe", "execute", "inspect", "batch", "waited", "part"):
        result = conversation.result(step)
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        assert json.loads("".join(texts)) == result["structuredContent"], step


def test_an_unknown_tool_is_an_error_of_the_protocol(conversation: Conversation) -> None:
    assert conversation.error("unknown tool")["code"] == -32602


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ("stale", "STALE_REVISION"),
        ("unknown action", "UNKNOWN_ACTION"),
        ("bad arguments", "INVALID_INPUT"),
        ("bad input", "INVALID_INPUT"),
        ("refused", "UNAVAILABLE"),
        ("failed", "HOST_ERROR"),
        ("no task", "UNKNOWN_TASK"),
    ],
)
def test_what_fails_in_the_app_is_a_result_that_says_so(
    conversation: Conversation, step: str, code: str
) -> None:
    error = failure(conversation, step)
    assert error["data"]["code"] == code
    assert error["code"] == AppErrorCode[code]


def test_no_text_of_an_exception_leaks(conversation: Conversation) -> None:
    assert "secret" not in json.dumps(conversation.outcomes)
    # The control: what an app says on purpose does arrive.
    assert "shut today" in json.dumps(conversation.outcomes)


def test_a_task_is_told_of_at_once_and_waited_for(conversation: Conversation) -> None:
    deferred = conversation.structured("deferred")
    assert deferred["status"] == "deferred"
    assert deferred["task"]["state"] in {"queued", "running"}
    waited = conversation.structured("waited")["task"]
    assert (waited["state"], waited["output"]) == ("completed", {"counted": SHORT_TASK})
    assert waited["id"] == deferred["task"]["id"]


def test_whoever_waits_for_a_task_hears_how_it_goes_on(conversation: Conversation) -> None:
    progress = [told["progress"] for told in conversation.outcomes["waited"]["progress"]]
    assert progress
    assert progress == sorted(set(progress))


def test_a_wait_that_is_given_up_ends_the_wait_and_not_the_task(
    conversation: Conversation,
) -> None:
    assert conversation.outcomes["given up"].get("cancelled") is True
    assert conversation.structured("after it was given up")["task"]["state"] == "running"


def test_a_task_is_cancelled_by_its_own_tool(conversation: Conversation) -> None:
    assert conversation.structured("cancel")["task"]["state"] in {"cancelling", "cancelled"}
    assert conversation.structured("cancelled")["task"]["state"] == "cancelled"


def test_resources_and_templates_are_listed(conversation: Conversation) -> None:
    listed = conversation.result("resources")["resources"]
    assert [resource["uri"] for resource in listed] == list(RESOURCES)
    templates = conversation.result("templates")["resourceTemplates"]
    assert [template["uriTemplate"] for template in templates] == ["test://template/{id}/data"]


def test_small_resources_are_read_as_text_or_as_bytes(conversation: Conversation) -> None:
    def content(step: str) -> Any:
        contents = conversation.result(step)["contents"]
        assert len(contents) == 1
        return contents[0]

    text = {"uri": "test://static-text", "mimeType": "text/plain", "text": STATIC_TEXT}
    assert content("text") == text
    assert base64.b64decode(content("binary")["blob"]) == PNG
    assert content("umlauts")["text"] == "Grüße, 🌉"
    assert json.loads(content("from template")["text"])["id"] == "123"


def test_a_missing_resource_is_an_error_that_names_it(conversation: Conversation) -> None:
    error = conversation.error("missing")
    # The official npm client itself tells legacy's own number as this one.
    legacy = conversation.kind.program != "client.mjs" and conversation.kind.revision != MODERN
    assert error["code"] == (-32002 if legacy else -32602)
    assert error["data"] == {"uri": MISSING}


def test_a_large_resource_is_an_error_that_says_how_it_is_read(conversation: Conversation) -> None:
    error = conversation.error("large")
    assert error["code"] == -32602
    assert "resource_read" in error["message"]
    assert error["data"] == {"uri": "test://big", "size": BIG_BYTES}


def test_ping_is_of_the_legacy_revision_only(conversation: Conversation) -> None:
    outcome = conversation.outcomes["ping"]
    if conversation.kind.revision == MODERN:
        assert "result" not in outcome
    else:
        assert outcome["result"] == {}


def test_calls_in_flight_together_get_each_its_own_answer(conversation: Conversation) -> None:
    given = [
        conversation.structured(f"together {number}")["output"]["given"]
        for number in range(CALLS_TOGETHER)
    ]
    assert given == [{"number": number} for number in range(CALLS_TOGETHER)]


def test_every_line_that_was_sent_obeys_the_official_schemas_and_the_protocol(
    conversation: Conversation,
) -> None:
    sent = [line for conn in conversation.connections for line in conn.sent_by("server")]
    assert len(sent) > 30 + CALLS_TOGETHER
    assert conversation.faults() == []


def test_what_the_app_prints_reaches_no_client(conversation: Conversation) -> None:
    sent = [line.data for conn in conversation.connections for line in conn.sent_by("server")]
    assert not [line for line in sent if NOISE.encode() in line]
    if conversation.way.server_name == APP.name:
        # The control: it was printed, and went where it harms nobody.
        assert NOISE in conversation.complaints


def test_nobody_complains_on_standard_error(conversation: Conversation) -> None:
    # Clients log it as an error. What the app prints itself goes there, and nothing else.
    said = conversation.complaints.splitlines()
    assert [line for line in said if line != NOISE] == []


def test_the_name_of_the_server_is_in_every_modern_result(conversation: Conversation) -> None:
    if conversation.kind.revision != MODERN:
        return
    names = {
        line.message()["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]
        for connection in conversation.connections
        for line in connection.sent_by("server")
        if "result" in line.message()
    }
    # What the app answers itself has the app's name, whoever carries it.
    assert names <= {"bascule", APP.name}
