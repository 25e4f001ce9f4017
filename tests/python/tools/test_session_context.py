"""Sessions: what an identity may be, and how it is written."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from bridge.tools.session_context import (
    EVERY_FEATURE,
    LOCAL_SESSION,
    RESERVED_INPUT_KEYS,
    SessionContext,
)

FULL: dict[str, Any] = {
    "userId": "u",
    "projectId": "p",
    "agentId": "a",
    "conversationId": "c",
    "requestId": "r",
    "toolUseId": "t",
    "delegateRunId": "d",
    "delegateMode": "m",
    "role": "owner",
    "priority": "low",
    "grantedFeatures": ["a.read", "b.write"],
    "spendLimits": {"usd": 2.5},
    "llmRateLimitRpm": 60,
    "agentAccess": "private",
    "agentOwnership": "own",
}


def test_a_session_is_written_with_the_wires_names_and_read_back() -> None:
    session = SessionContext.from_wire(FULL)
    assert session.to_wire() == FULL
    assert SessionContext.from_wire(session.to_wire()) == session
    assert session.granted_features == frozenset({"a.read", "b.write"})


def test_the_wires_names_are_the_reserved_ones() -> None:
    assert FULL.keys() | {"session"} == RESERVED_INPUT_KEYS
    assert len(fields(SessionContext)) == len(FULL)


def test_only_the_user_is_mandatory() -> None:
    assert SessionContext(user_id="u").to_wire() == {"userId": "u", "grantedFeatures": []}
    assert SessionContext.from_wire({"userId": "u"}) == SessionContext(user_id="u")
    with pytest.raises(ValueError, match="lacks"):
        SessionContext.from_wire({"role": "owner"})


@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [
        ("userId", "", "u"),
        ("userId", 7, "7"),
        ("userId", None, "u"),
        ("projectId", None, "p"),
        ("role", ["owner"], "owner"),
        ("role", "a" * 257, "a" * 256),
        ("grantedFeatures", "a.read", ["a.read"]),
        ("grantedFeatures", {"a.read": True}, []),
        ("grantedFeatures", [7], ["7"]),
        ("grantedFeatures", [["a"]], ["a"]),
        ("grantedFeatures", [str(n) for n in range(257)], [str(n) for n in range(256)]),
        ("spendLimits", [], {}),
        ("spendLimits", {"usd": "2"}, {"usd": 2}),
        ("spendLimits", {"usd": -1}, {"usd": 0}),
        ("spendLimits", {"usd": True}, {"usd": 1}),
        ("spendLimits", {"usd": float("nan")}, {"usd": 0.5}),
        ("spendLimits", {"usd": float("inf")}, {"usd": 1e9}),
        ("spendLimits", {str(n): 1 for n in range(65)}, {str(n): 1 for n in range(64)}),
        ("llmRateLimitRpm", 1.5, 1),
        ("llmRateLimitRpm", -1, 0),
        ("llmRateLimitRpm", True, 1),
        ("admin", True, ...),
    ],
)
def test_an_identity_that_is_half_formed_is_refused(name: str, bad: Any, good: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
        SessionContext.from_wire({"userId": "u", name: bad})
    if good is not ...:
        written = SessionContext.from_wire({"userId": "u", name: good}).to_wire()[name]
        assert written == (sorted(good) if isinstance(good, list) else good)


def test_a_session_does_not_change() -> None:
    limits = {"usd": 1.0}
    session = SessionContext(user_id="u", spend_limits=limits)
    with pytest.raises(FrozenInstanceError):
        session.user_id = "v"  # type: ignore[misc]
    limits["usd"] = 99.0
    assert session.spend_limits == {"usd": 1.0}
    with pytest.raises(TypeError):
        session.spend_limits["usd"] = 99.0  # type: ignore[index]
    assert SessionContext(user_id="u", granted_features=frozenset({"b", "a"})).to_wire()[
        "grantedFeatures"
    ] == ["a", "b"]


def test_whoever_runs_packages_on_his_own_machine_has_every_feature() -> None:
    assert LOCAL_SESSION.to_wire() == {"userId": "local", "grantedFeatures": [EVERY_FEATURE]}
