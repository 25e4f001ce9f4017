"""What other servers list and answer: a stranger's word, whatever it says."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.strict_json import loads
from bridge.tools import outside_server
from bridge.tools.imported_tools import import_tools
from bridge.tools.mapped_name import mapped_name
from bridge.tools.outside_server import (
    OutsideCommand,
    OutsideHandler,
    OutsideServerError,
    started_server,
)
from bridge.tools.package_host import PackageHost
from bridge.tools.result_limits import RUN_LIMITS
from bridge.tools.session_context import LOCAL_SESSION
from bridge.tools.tool_result import failure_code, for_model
from bridge.tools.tool_runner import ToolRunner, runnable_tools

SERVER = Path(__file__).parents[1] / "support" / "outside_tools.py"
PATIENCE_SECONDS = 30
TAKES = {"type": "object", "properties": {"a": {"type": "integer"}}}


def listed(name: str = "read_note", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "Reads a note.", "inputSchema": TAKES, **more}


def command(*words: str) -> OutsideCommand:
    return OutsideCommand("notes", (sys.executable, str(SERVER), *words))


def test_a_listed_tool_becomes_a_definition() -> None:
    output = {"type": "object", "properties": {"text": {"type": "string"}}}
    imported = import_tools([listed(title="Read", outputSchema=output)], server="notes")
    (tool,) = imported.tools
    assert imported.warnings == ()
    assert tool.name_there == "read_note"
    defined = tool.definition
    assert (defined.name, defined.title, defined.description) == (
        "read_note",
        "Read",
        "Reads a note.",
    )
    assert defined.input.errors({"a": 1}) == []
    assert defined.input.errors({"a": "1"}) != []
    assert defined.output is not None
    assert defined.output.errors({"text": 1}) != []


@pytest.mark.parametrize(
    "claimed",
    [
        {},
        {"readOnlyHint": True, "destructiveHint": False},
        {"category": "read", "cancellable": True, "idempotentHint": True, "openWorldHint": False},
    ],
)
def test_whatever_a_server_claims_its_tools_are_unknown_and_destructive(claimed: Any) -> None:
    (tool,) = import_tools([listed(annotations=claimed)], server="notes").tools
    said = tool.definition.annotations
    assert said.category == "unknown"
    assert said.is_destructive
    assert not said.is_read_only
    assert not said.cancellable
    assert said.idempotent is None


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("read_note", "read_note"),
        ("a" * 64, "a" * 64),
        ("a" * 65, "a" * 64),
        ("readNote", "read_note"),
        ("Read-Note", "read_note"),
        ("notes.read/all", "notes_read_all"),
        ("read__note", "read__note"),
        ("HTTPGet", "httpget"),
        ("-read-", "read"),
        ("a" * 63 + "-b", "a" * 63),
        ("1password", None),
        ("", None),
        ("読む", None),
        ("__proto__", "proto"),
        ("x" * 100_000, "x" * 64),
    ],
)
def test_names_are_mapped_to_the_pattern(there: str, here: str | None) -> None:
    assert mapped_name(there) == here


def test_a_name_that_is_changed_is_told_and_called_by_its_own() -> None:
    imported = import_tools([listed("readNote")], server="notes")
    assert [(each.definition.name, each.name_there) for each in imported.tools] == [
        ("read_note", "readNote")
    ]
    assert imported.warnings == ('notes: the tool "readNote" is offered as read_note.',)


@pytest.mark.parametrize(
    ("taken", "offered"),
    [
        ((), ["other", "read_note", "my_notes_read_note"]),
        (("other",), ["my_notes_other", "read_note", "my_notes_read_note"]),
        (("other", "my_notes_other"), ["read_note", "my_notes_read_note"]),
    ],
)
def test_a_name_that_is_taken_gets_its_server_s_before_it_or_is_left_out(
    taken: tuple[str, ...], offered: list[str]
) -> None:
    both = [listed("other"), listed("readNote"), listed("read_note")]
    imported = import_tools(both, server="My Notes", taken=taken)
    assert [each.definition.name for each in imported.tools] == offered
    # Called by its own name all the same.
    assert imported.tools[-1].name_there == "read_note"
    told = "\n".join(imported.warnings)
    assert 'the tool "read_note" is my_notes_read_note: there is another read_note.' in told
    assert ("left out" in told) is (len(offered) == 2)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        True,
        {},
        {"type": "array"},
        {"type": "object", "properties": 3},
        {"type": "object", "properties": {"a": {"$ref": "https://example.com/schema"}}},
        {"type": "object", "properties": {"a": {"pattern": "(a"}}},
        {"type": "object", "properties": {"a": {"pattern": "(?=a)a"}}},
        {"type": "object", "x": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]},
        {"type": "object", "$schema": "http://json-schema.org/draft-04/schema#"},
        {"type": "object", "\ud800": 1},
    ],
)
def test_a_tool_whose_input_cannot_be_checked_is_left_out(schema: Any) -> None:
    tools = [listed("bad", inputSchema=schema), listed("good")]
    imported = import_tools(tools, server="notes")
    assert [each.name_there for each in imported.tools] == ["good"]
    (warning,) = imported.warnings
    assert warning.startswith('notes: the tool "bad" is left out')
    assert warning.isprintable()


def test_an_unusable_output_schema_costs_the_check_and_not_the_tool() -> None:
    remote = {"type": "object", "$ref": "https://example.com/"}
    imported = import_tools([listed(outputSchema=remote)], server="notes")
    assert imported.tools[0].definition.output is None
    assert imported.warnings == (
        'notes: what "read_note" gives goes unchecked: its schema is unusable.',
    )


def test_words_of_a_stranger_are_short() -> None:
    (tool,) = import_tools([listed(description="x" * 100_000, title="y" * 9_999)], server="n").tools
    assert len(tool.definition.description) == 8_192
    assert len(tool.definition.title) == 200


def test_a_flood_of_tools_is_cut() -> None:
    imported = import_tools((listed(f"tool_{n}") for n in range(513)), server="notes")
    assert len(imported.tools) == 512
    assert imported.warnings == ("notes: only the first 512 tools are imported.",)
    assert import_tools((listed(f"t_{n}") for n in range(512)), server="notes").warnings == ()


async def call(runner: ToolRunner, name: str, **arguments: Any) -> dict[str, Any]:
    return for_model(await runner.call(name, arguments, LOCAL_SESSION))


async def test_a_version_that_is_none_is_not_passed_on() -> None:
    async with started_server(command("--odd-version")) as server:
        assert server.package().version == "0"


async def test_an_outside_tool_is_called_checked_and_bounded() -> None:
    async with started_server(command()) as server:
        assert server.version == "3"
        package = server.package()
        assert (package.name, package.tier) == ("notes", "project")
        runner = ToolRunner(runnable_tools(package, server.handlers()))
        given = await call(runner, "echo", a=1, n=None)
        assert given["structuredContent"] == {"a": 1, "n": None}
        assert "_meta" not in given
        assert (await call(runner, "echo", a="one"))["isError"] is True
        (link,) = (await call(runner, "link"))["content"]
        assert (link["type"], link["resource"]["uri"]) == ("resource", "file:///note")
        assert (await call(runner, "noise"))["content"][0]["text"] == "heard"
        flood = (await call(runner, "flood"))["content"][0]["text"]
        assert 0 < len(flood) < 1_000_000


async def test_errors_of_an_outside_server_are_results() -> None:
    async with started_server(command()) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        own = await call(runner, "fail")
        assert own == {"content": [{"type": "text", "text": "no such note"}], "isError": True}
        for name, told in (("stumble", "half of it"), ("murmur", "hm"), ("reject", "wrong")):
            words = (await call(runner, name))["content"][0]["text"]
            assert words == (
                "The server notes answered with an error; it may have done its work, or part of"
                f" it: {told}"
            )
        broken = (await call(runner, "nonsense"))["content"][0]["text"]
        assert broken.startswith("The server notes did not answer as it has to; it may have done")
        # And it is there still.
        assert (await call(runner, "echo", a=2))["structuredContent"] == {"a": 2}


async def test_an_outside_server_that_refuses_a_call_as_it_reads_it_has_run_nothing() -> None:
    async with started_server(command()) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        refused = await runner.call("refuse", {}, LOCAL_SESSION)
        assert failure_code(refused) == "UNAVAILABLE"
        words = "The server notes refused the call; nothing was run: not today"
        assert refused.content[0]["text"] == words


async def test_blocks_that_the_official_client_does_not_know_cost_no_result() -> None:
    async with started_server(command()) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        newer = await call(runner, "newer")
        assert "isError" not in newer
        text, video, link, last = newer["content"]
        assert (text["text"], last) == ("before", {"type": "text", "text": "after"})
        assert video["resource"] == {
            "uri": "attachment:video",
            "mimeType": "video/mp4",
            "blob": "AA==",
        }
        assert link["resource"] == {"uri": "file:///note", "text": "file:///note"}
        assert (await call(runner, "bare"))["structuredContent"] == {"n": 1}


async def test_an_answer_that_is_too_long_is_told_as_that_and_takes_no_place() -> None:
    async with started_server(command()) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        for _ in range(RUN_LIMITS.max_left_running + 1):
            huge = await runner.call("huge", {}, LOCAL_SESSION)
            assert failure_code(huge) is None
            assert huge.content[0]["text"] == (
                "The server notes answered with an error; it may have done its work, or part of"
                " it: its answer is longer than 4,194,304 characters, and was dropped"
            )
        assert (await call(runner, "echo", a=1))["structuredContent"] == {"a": 1}


async def test_a_call_that_is_never_answered_is_given_up_and_the_server_told() -> None:
    async with started_server(command()) as server:
        handlers = {**server.handlers(), "silent": OutsideHandler(server, "silent", 0.05)}
        runner = ToolRunner(runnable_tools(server.package(), handlers))
        silent = await runner.call("silent", {}, LOCAL_SESSION)
        assert failure_code(silent) == "TIMED_OUT"
        assert silent.content[0]["text"] == (
            "The server notes did not answer within 0.05 seconds; it may have done its work, or"
            " part of it."
        )
        told = (await call(runner, "cancelled"))["structuredContent"]
        assert len(told["ignored"]) == 1
        assert told["cancelled"] == told["ignored"]


async def test_a_call_that_was_not_sent_in_time_has_run_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changed = asyncio.Event()
    async with started_server(command(), when_changed=lambda _: changed.set()) as server:
        handlers = {**server.handlers(), "echo": OutsideHandler(server, "echo", 0.05)}
        runner = ToolRunner(runnable_tools(server.package(), handlers))
        await call(runner, "no_list")
        await changed.wait()
        late = await runner.call("echo", {}, LOCAL_SESSION)
        assert failure_code(late) == "UNAVAILABLE"
        assert late.content[0]["text"] == (
            "The server notes did not answer within 0.05 seconds; nothing was run."
        )
        # Where the list alone does not come, the server itself says whether it has the tool.
        monkeypatch.setattr(outside_server, "_LIST_AGAIN_SECONDS", 0.05)
        told = (await call(runner, "cancelled"))["structuredContent"]
        assert told["called"] == ["no_list", "cancelled"]


async def test_a_server_that_ends_while_it_is_asked_for_its_list_has_run_nothing() -> None:
    changed = asyncio.Event()
    async with started_server(command(), when_changed=lambda _: changed.set()) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        await call(runner, "die_listing")
        await changed.wait()
        ended = await runner.call("echo", {}, LOCAL_SESSION)
        assert failure_code(ended) == "UNAVAILABLE"
        assert "Nothing was run." in ended.content[0]["text"]


async def test_a_tool_that_is_misshapen_costs_its_server_no_other() -> None:
    async with started_server(command("--lists-nonsense")) as server:
        names = [tool.definition.name for tool in server.imported.tools]
        assert names[:3] == ["odd_hint", "odd_words", "echo"]
        unusable, *nameless = server.imported.warnings[:3]
        assert unusable.startswith('notes: the tool "no_schema" is left out: its schema cannot be')
        assert nameless == ["notes: a tool without a name is left out."] * 2
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        assert (await call(runner, "echo", a=1))["structuredContent"] == {"a": 1}


async def test_a_number_that_the_server_would_not_be_sent_is_refused() -> None:
    async with started_server(command()) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        arguments: Any = loads(b'{"n": 1e400}')
        refused = await runner.call("echo", arguments, LOCAL_SESSION)
        assert failure_code(refused) == "INVALID_INPUT"
        assert refused.content[0]["text"] == (
            "The number 1e400 is too large to be sent to the server; nothing was run."
        )
        arguments = loads(b'{"n": 1e30, "m": 1e3}')
        sent = await runner.call("echo", arguments, LOCAL_SESSION)
        assert for_model(sent)["structuredContent"] == {"n": 10**30, "m": 1000}


async def test_a_server_that_dies_answers_with_errors_and_is_not_started_again() -> None:
    async with started_server(command()) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        assert "isError" not in await call(runner, "echo", a=1)
        died = await runner.call("die", {}, LOCAL_SESSION)
        assert failure_code(died) is None
        assert "The server notes has ended. What was going on" in died.content[0]["text"]
        later = await runner.call("echo", {}, LOCAL_SESSION)
        assert failure_code(later) == "UNAVAILABLE"
        assert later.content[0]["text"] == (
            "The server notes has ended. It is not started again by itself. Nothing was run."
        )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("/no/such/program",), "does not start"),
        ((sys.executable, "-c", "pass"), "does not start"),
        ((sys.executable, str(SERVER), "--lists-nothing"), "does not list its tools"),
    ],
)
async def test_a_server_that_cannot_be_imported_from_says_so(
    words: tuple[str, ...], told: str
) -> None:
    with pytest.raises(OutsideServerError, match=told):
        async with started_server(OutsideCommand("notes", words)):
            pytest.fail("it has started")


async def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(OutsideServerError, match=r"pip install 'bascule\[mcp\]'"):
        async with started_server(command()):
            pytest.fail("it has started")
    # Nothing else of the room needs it.
    importlib.reload(importlib.import_module("bridge.tools.imported_tools"))


async def test_a_server_gets_nothing_of_the_environment_but_what_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "1")
    told = command()._replace(environment={"FOR_THE_SERVER": "2"})
    async with started_server(told) as server:
        given = await call(
            ToolRunner(runnable_tools(server.package(), server.handlers())), "environment"
        )
    assert "FOR_THE_SERVER" in given["structuredContent"]["names"]
    assert "SECRET_OF_OURS" not in given["structuredContent"]["names"]


async def test_the_end_of_a_server_is_told_once_and_its_tools_are_unavailable() -> None:
    ended: list[str] = []
    async with started_server(command(), when_ended=ended.append) as server:
        tools = [
            each._replace(unavailable=server.ended)
            for each in runnable_tools(server.package(), server.handlers())
        ]
        runner = ToolRunner(tools)
        host = PackageHost(runner)
        assert host.availability("echo") is None
        assert (await call(runner, "die"))["isError"] is True
        assert ended == ["notes"]
        unavailable = host.availability("echo")
        assert unavailable is not None
        assert "The server notes has ended." in unavailable.reason
        assert (await call(runner, "echo"))["isError"] is True
    assert ended == ["notes"]
    # One that is ended with its context has not ended by itself.
    async with started_server(command(), when_ended=ended.append):
        pass
    assert ended == ["notes"]


async def test_a_tool_that_its_server_has_taken_back_or_changed_is_refused() -> None:
    changed: list[str] = []
    async with started_server(command(), when_changed=changed.append) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        assert "isError" not in await call(runner, "link")
        assert "isError" not in await call(runner, "echo", a=1)
        assert changed == []
        for _ in range(2):
            assert (await call(runner, "change"))["content"][0]["text"] == "changed"
        assert changed == ["notes"]
        for name, why in (("link", "taken this tool from its list"), ("echo", "takes or gives")):
            refused = await runner.call(name, {}, LOCAL_SESSION)
            assert failure_code(refused) == "UNAVAILABLE"
            words = refused.content[0]["text"]
            assert why in words
            assert "nothing was run" in words
            assert "when this service is started again" in words
        # The others are called as before, and what is new is not offered.
        assert (await call(runner, "read_note", a=1))["structuredContent"] == {"a": 1}
        unknown = await runner.call("brand_new", {}, LOCAL_SESSION)
        assert failure_code(unknown) == "UNKNOWN_TOOL"


async def test_a_server_of_the_newest_revision_is_asked_to_tell_of_changes() -> None:
    changed = asyncio.Event()
    program = SERVER.with_name("outside_newest.py")
    newest = OutsideCommand("newest", (sys.executable, str(program)))
    async with started_server(newest, when_changed=lambda _: changed.set()) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        assert (await call(runner, "gone"))["structuredContent"] == {"result": "here"}
        assert not changed.is_set()
        assert "isError" not in await call(runner, "change")
        async with asyncio.timeout(PATIENCE_SECONDS):
            await changed.wait()
        refused = await runner.call("gone", {}, LOCAL_SESSION)
        assert failure_code(refused) == "UNAVAILABLE"
        assert "The server newest has taken this tool from its list" in refused.content[0]["text"]


async def test_a_server_that_does_not_agree_to_tell_of_changes_is_imported_all_the_same() -> None:
    async with started_server(command("--says-it-tells")) as server:
        runner = ToolRunner(runnable_tools(server.package(), server.handlers()))
        assert (await call(runner, "echo", a=1))["structuredContent"] == {"a": 1}
        assert "isError" not in await call(runner, "change")
        assert (await call(runner, "echo", a=1))["isError"] is True
