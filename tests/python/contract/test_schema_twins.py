"""Both languages give one list of problems: verdicts, paths, words and order."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.contract.schema import SchemaError, compile  # noqa: A004 - the contract names it
from bridge.contract.strict_json import dumps, loads
from tests.python.support.json_schemas import SCHEMAS, VALUES
from tests.python.support.vectors import ROOT


@pytest.fixture(scope="module")
def twin() -> Iterator[subprocess.Popen[bytes]]:
    script = ROOT / "tests" / "javascript" / "support" / "schema_peer.js"
    process = subprocess.Popen(["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield process
    assert process.stdin is not None
    process.stdin.close()
    process.wait(10)
    assert process.stdout is not None
    process.stdout.close()


def ask(twin: subprocess.Popen[bytes], line: bytes) -> dict[str, Any]:
    assert twin.stdin is not None
    assert twin.stdout is not None
    twin.stdin.write(line + b"\n")
    twin.stdin.flush()
    answer: dict[str, Any] = json.loads(twin.stdout.readline())
    return answer


def ours(line: bytes) -> dict[str, Any]:
    question: Any = loads(line)
    try:
        validator = compile(question["schema"])
    except SchemaError as error:
        return {"refused": str(error)}
    return {
        "problems": [
            [{"path": each.path, "message": each.message} for each in validator.errors(value)]
            for value in question["values"]
        ]
    }


def test_both_languages_find_the_same_problems(twin: subprocess.Popen[bytes]) -> None:
    judged = 0

    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=5))
    def compare(schema: object, values: list[object]) -> None:
        nonlocal judged
        line = dumps({"schema": schema, "values": values})
        answer = ours(line)
        judged += "problems" in answer
        assert answer == ask(twin, line), line

    compare()
    assert judged > 60, "most schemas were refused: nothing was compared"


PIECES = [
    *("a", "b", "1", "_", " ", "\n", "é", "😀", "-", "^", "$", ".", "|", "(", ")", "(?:", "(?<n>"),
    *("(?<m>", "(?=", "(?<!", "(?i:", "*", "+", "?", "{2}", "{1,2}", "{0,}", "{2,1}", "{", "}"),
    *("[", "]", "[^", "[a-c]", "[^a]", "[\\d-", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\b"),
    *("\\B", "\\n", "\\0", "\\00", "\\1", "\\k<n>", "\\cA", "\\c", "\\x61", "\\x6", "\\u0061"),
    *("\\u{61}", "\\u{1F600}", "\\u{110000}", "\\ud83d\\ude00", "\\ud83d", "\\p{L}", "\\P{Lu}"),
    *("\\p{Foo}", "\\p{Script=Greek}", "\\p", "\\-", "\\/", "\\.", "\\\\", "\\a", "\\é", ":", "="),
]
TEXTS = [
    "",
    "a",
    "ab",
    "aab",
    "a b",
    "1",
    "é",
    "😀a",
    "a\nb",
    "_",
    "-",
    "αβ",
    "A",
    "\u2028",
    "\\",
    "]",
]


def test_both_languages_take_the_same_patterns(twin: subprocess.Popen[bytes]) -> None:
    taken = 0

    @settings(max_examples=400, deadline=None)
    @given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join))
    def compare(pattern: str) -> None:
        nonlocal taken
        line = dumps({"schema": {"pattern": pattern}, "values": TEXTS})
        answer, theirs = ours(line), ask(twin, line)
        taken += "problems" in answer
        # Why a pattern is refused may be told by another of its faults.
        assert answer.get("problems") == theirs.get("problems"), pattern

    compare()
    assert taken > 60, "most patterns were refused: nothing was compared"
