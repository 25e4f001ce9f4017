"""Both dispatchers give the same line for the same line, whatever the line is.

The same bytes, save that the order of members whose names are array indices has no meaning: there
JavaScript puts them first. What is wrong with a line that is no JSON is told in words of its own.
What was found to differ has become a vector.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings

from bridge.contract.strict_json import StrictJsonError, dumps, loads
from tests.python.support.conversation import converse
from tests.python.support.json_lines import STEPS
from tests.python.support.mcp_lines import MCP_STEPS
from tests.python.support.vector_runner import built
from tests.python.support.vectors import ROOT, control_vectors

# A number asks for that many conversations, other ones at each run.
EXAMPLES = os.environ.get("BASCULE_TWIN_EXAMPLES")
INDEX_NAME = re.compile(r'"\d+\\*":')
HAPPENS = ("enable", "modal", "advance", "tick", "resources")
KNOWN = {*HAPPENS, "line", "line_build", "session", "expect", "text", "id", "silent", "pending"} | {
    "answer",
    "executed",
    "enabled",
    "notified",
}
DISCOVER = (
    '{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{'
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
    '"io.modelcontextprotocol/clientCapabilities":{}}}}'
)
READ = '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"note.read"}}'


@pytest.fixture(scope="module")
def twin() -> Iterator[subprocess.Popen[bytes]]:
    script = ROOT / "tests" / "javascript" / "support" / "dispatcher_peer.js"
    process = subprocess.Popen(["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield process
    assert process.stdin is not None
    process.stdin.close()
    process.wait(10)
    assert process.stdout is not None
    process.stdout.close()


def ask(twin: subprocess.Popen[bytes], steps: list[dict[str, Any]]) -> dict[str, Any]:
    assert twin.stdin is not None
    assert twin.stdout is not None
    twin.stdin.write(json.dumps(steps).encode() + b"\n")
    twin.stdin.flush()
    answer: dict[str, Any] = json.loads(twin.stdout.readline())
    return answer


def in_order(value: Any) -> Any:
    """Order members, where that has no meaning."""
    if isinstance(value, dict):
        return {name: in_order(value[name]) for name in sorted(value)}
    if isinstance(value, str) and INDEX_NAME.search(value):
        return text_in_order(value)
    return [in_order(member) for member in value] if isinstance(value, list) else value


def text_in_order(text: str) -> str:
    """Order members in a tool's text: JSON, after a message where it is an error."""
    message, line, json_text = text.rpartition("\n")
    try:
        return message + line + dumps(in_order(loads(json_text.encode()))).decode()
    except StrictJsonError:
        return text


def comparable(line: str | None) -> str | None:
    """Return a line without what may differ."""
    if line is None:
        return None
    message: Any = loads(line.encode())
    if message.get("error", {}).get("code") == -32700:
        message["error"]["message"] = "*"
        return dumps(message).decode()
    return dumps(in_order(message)).decode() if INDEX_NAME.search(line) else line


def compared(told: dict[str, Any]) -> dict[str, Any]:
    arrived = [[[at, comparable(line)] for at, line in step] for step in told["arrived"]]
    return {**told, "arrived": arrived}


@pytest.mark.slow
def test_both_languages_give_the_same_lines(twin: subprocess.Popen[bytes]) -> None:
    answered = 0

    @settings(
        max_examples=int(EXAMPLES or 400),
        derandomize=EXAMPLES is None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @example([{"line": READ, "session": "a"}])
    @given(STEPS)
    def compare(steps: list[dict[str, Any]]) -> None:
        nonlocal answered
        ours = compared(converse(steps))
        answered += '"result"' in str(ours)
        assert ours == compared(ask(twin, steps))

    compare()
    assert answered > int(EXAMPLES or 400) // 4, "most lines were refused: nothing was compared"


@pytest.mark.slow
def test_both_languages_give_the_same_lines_of_mcp(twin: subprocess.Popen[bytes]) -> None:
    served = 0

    @settings(
        max_examples=int(EXAMPLES or 400),
        derandomize=EXAMPLES is None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @example([{"line": DISCOVER, "session": "a"}])
    @given(MCP_STEPS)
    def compare(steps: list[dict[str, Any]]) -> None:
        nonlocal served
        ours = compared(converse(steps))
        served += "structuredContent" in str(ours)
        assert ours == compared(ask(twin, steps))

    compare()
    assert served > int(EXAMPLES or 400) // 4, "hardly a tool was called: nothing was compared"


def conversation_of(vector: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Make a conversation of a vector, where it has nothing but lines and what happens."""
    steps: list[dict[str, Any]] = []
    if vector.get("mcp"):
        steps.append({"line": DISCOVER, "session": "only"})
    for step in vector["steps"]:
        if not KNOWN.issuperset(step):
            return None
        happens = {name: step[name] for name in HAPPENS if name in step}
        if happens:
            steps.append(happens)
        if "line" in step or "line_build" in step:
            line = step["line"] if "line" in step else built(step["line_build"])
            steps.append({"line": line, "session": step.get("session", "only")})
    return None if vector.get("disabled") else steps


def test_both_languages_answer_the_vectors_in_the_same_words(
    twin: subprocess.Popen[bytes],
) -> None:
    conversations = {
        vector["name"]: conversation_of(vector)
        for vectors in control_vectors().values()
        for vector in vectors
    }
    told = {name: steps for name, steps in conversations.items() if steps is not None}
    assert len(told) > len(conversations) * 3 // 4, "most vectors were left out"
    differing = [
        name
        for name, steps in told.items()
        if compared(converse(steps)) != compared(ask(twin, steps))
    ]
    assert differing == []


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ('{"a":1,"b":2}', '{"b":2,"a":1}'),
        ('{"a":1}', '{"a":1.0}'),
        ('{"error":{"code":-32600,"message":"a"}}', '{"error":{"code":-32600,"message":"b"}}'),
        ('{"1":{"a":1}}', '{"1":{"a":2}}'),
        (r'{"a":"{\"1\":1,\"b\":2}"}', r'{"a":"{\"b\":3,\"1\":1}"}'),
        (None, "{}"),
    ],
)
def test_a_difference_is_found(ours: str | None, theirs: str | None) -> None:
    assert comparable(ours) != comparable(theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ('{"b":{"10":1,"2":2}}', '{"b":{"2":2,"10":1}}'),
        (r'{"a":"it\n{\"1\":1,\"b\":2}"}', r'{"a":"it\n{\"b\":2,\"1\":1}"}'),
        ('{"error":{"code":-32700,"message":"a"}}', '{"error":{"code":-32700,"message":"b"}}'),
    ],
)
def test_what_may_differ_may(ours: str | None, theirs: str | None) -> None:
    assert comparable(ours) == comparable(theirs)
