"""The one predicate that says whether a caller sees a tool."""

from __future__ import annotations

import pytest

from bridge.tools import LOCAL_SESSION, SessionContext, is_visible
from tests.python.support.tool_packages import block, defined, tool


@pytest.mark.parametrize(
    ("required", "granted", "seen"),
    [
        ([], [], True),
        ([], ["a"], True),
        (["a"], ["a"], True),
        (["a"], ["a", "b"], True),
        (["a"], [], False),
        (["a"], ["b"], False),
        (["a", "b"], ["a"], False),
        (["a", "b"], ["b", "a"], True),
        (["a.b"], ["a"], False),
        (["a"], ["A"], False),
        (["a", "b"], ["*"], True),
        (["a.b"], ["a.*"], False),
    ],
)
def test_every_feature_that_a_tool_requires_must_be_granted(
    required: list[str], granted: list[str], seen: bool
) -> None:
    gated = defined(tool(block(requires={"features": required})))
    session = SessionContext(user_id="u", granted_features=frozenset(granted))
    assert is_visible(gated, session) is seen


def test_escalations_gate_nothing() -> None:
    noted = defined(tool(block(requires={"escalations": ["drive.write"]})))
    required = defined(tool(block(requires={"features": ["drive.write"]})))
    session = SessionContext(user_id="u")
    assert is_visible(noted, session)
    assert not is_visible(required, session)


def test_whoever_runs_packages_on_his_own_machine_sees_all() -> None:
    assert is_visible(defined(tool(block(requires={"features": ["a", "b"]}))), LOCAL_SESSION)
