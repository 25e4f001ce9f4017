"""The language-neutral vectors of control protocol 1 and of MCP, on the Python twin."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.contract.error_codes import AppErrorCode, JsonRpcErrorNumber
from bridge.contract.mcp_messages import McpErrorNumber
from bridge.dispatcher.mcp_catalog import TOOLS
from bridge.dispatcher.methods import METHODS
from tests.python.support.vector_runner import VectorError, run_vector
from tests.python.support.vectors import control_vectors

FILES = control_vectors()
VECTORS = [vector for vectors in FILES.values() for vector in vectors]
CASES = [
    pytest.param(vector, id=f"{file.removesuffix('.json')}: {vector['name']}")
    for file, vectors in FILES.items()
    for vector in vectors
]
OF_CARRIERS = {McpErrorNumber.HEADER_MISMATCH, McpErrorNumber.MISSING_CAPABILITY}
"""Over HTTP only, and of clients without a capability, of which nothing here needs any."""
LINE = '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"note.read"}}'


@pytest.mark.parametrize("vector", CASES)
def test_the_python_twin_keeps_the_vector(vector: dict[str, Any]) -> None:
    run_vector(vector)


def errors(value: object) -> list[dict[str, Any]]:
    """Find all errors that the vectors expect."""
    if isinstance(value, list):
        return [error for member in value for error in errors(member)]
    if not isinstance(value, dict):
        return []
    named = (value.get(name) for name in ("error", "cause"))
    # A schema may speak of an error as well.
    own = [error for error in named if isinstance(error, dict) and "code" in error]
    return own + [error for member in value.values() for error in errors(member)]


def test_the_vectors_show_every_method_every_tool_and_every_error() -> None:
    text = str(VECTORS)
    assert [tool["name"] for tool in TOOLS if f'"name":"{tool["name"]}"' not in text] == []
    assert [name for name in METHODS if f'"{name}"' not in text] == []
    found = errors(VECTORS)
    numbers = {int(error["code"]) for error in found}
    codes = [*AppErrorCode, *JsonRpcErrorNumber, *McpErrorNumber]
    assert numbers == {int(code) for code in codes if code not in OF_CARRIERS}
    names = {(error["code"], error["data"]["code"]) for error in found if error["code"] > 0}
    assert names == {(code.value, code.name) for code in AppErrorCode}


@pytest.mark.parametrize(
    ("step", "what"),
    [
        ({"line": LINE, "expect": {"jsonrpc": "2.0", "id": 1, "result": {}}}, "expected"),
        ({"line": LINE, "silent": True}, "there is an answer"),
        ({"line": LINE, "pending": "one"}, "one is answered"),
        ({"line": LINE, "text": "{}"}, "the answer is"),
        ({"line": LINE, "expect": "*", "executed": []}, "the host was asked"),
        ({"line": LINE, "expect": "*", "id": "2"}, "the id"),
        ({"local": "note.read", "gives": {}}, "expected"),
        ({"local": "note.read", "raises": "DISABLED"}, "does not throw"),
        ({"enabled": False}, "enabled is true"),
    ],
)
def test_a_vector_that_does_not_hold_is_found(step: dict[str, Any], what: str) -> None:
    with pytest.raises(VectorError, match=what):
        run_vector({"name": "wrong", "steps": [step]})
