"""Who calls: the identity that gates and handlers see.

It comes from a verified ticket, or from whoever started a program on his own machine; never from
a call's arguments, whose schemas may not even name what stands here. Signs and verifies nothing:
`session_ticket` does. Contract: package tools, sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, TypeGuard

from bridge.contract.json_numbers import FloatToken, IntToken, NumberToken

__all__ = ["EVERY_FEATURE", "LOCAL_SESSION", "RESERVED_INPUT_KEYS", "SessionContext"]

EVERY_FEATURE: Final = "*"
"""A grant of all features there are: for whoever runs packages on his own machine."""

_WIRE_NAMES: Final[Mapping[str, str]] = {
    "user_id": "userId",
    "project_id": "projectId",
    "agent_id": "agentId",
    "conversation_id": "conversationId",
    "request_id": "requestId",
    "tool_use_id": "toolUseId",
    "delegate_run_id": "delegateRunId",
    "delegate_mode": "delegateMode",
    "role": "role",
    "priority": "priority",
    "granted_features": "grantedFeatures",
    "spend_limits": "spendLimits",
    "llm_rate_limit_rpm": "llmRateLimitRpm",
    "agent_access": "agentAccess",
    "agent_ownership": "agentOwnership",
}

RESERVED_INPUT_KEYS: Final = frozenset({*_WIRE_NAMES.values(), "session"})
"""What no tool may call a top-level member of its input."""

_MAX_TEXT_CHARS: Final = 256
_MAX_FEATURES: Final = 256
_MAX_SPEND_LIMITS: Final = 64
_TEXTS: Final = frozenset(_WIRE_NAMES) - {"granted_features", "spend_limits", "llm_rate_limit_rpm"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """One caller, checked. Only `user_id` is mandatory; what is not known is None.

    Texts are of 1 to 256 characters. Raises `ValueError` for anything else, so that no
    half-formed identity is ever passed on. Contract: package tools, sessions.
    """

    user_id: str
    project_id: str | None = None
    agent_id: str | None = None
    conversation_id: str | None = None
    request_id: str | None = None
    tool_use_id: str | None = None
    delegate_run_id: str | None = None
    delegate_mode: str | None = None
    role: str | None = None
    priority: str | None = None
    granted_features: frozenset[str] = field(default_factory=frozenset)
    """What `requires.features` is compared with."""
    spend_limits: Mapping[str, float] | None = None
    """By what is spent, in whole and fractional units of it; not changeable."""
    llm_rate_limit_rpm: int | None = None
    """Requests a minute to a model's provider."""
    agent_access: str | None = None
    agent_ownership: str | None = None

    def __post_init__(self) -> None:
        for name in _TEXTS:
            text = getattr(self, name)
            if not _is_text(text) and (text is not None or name == "user_id"):
                raise ValueError(f"{_WIRE_NAMES[name]} is not a text of 1 to 256 characters")
        if not _are_features(self.granted_features):
            raise ValueError("grantedFeatures is not a frozen set of at most 256 names")
        rate = self.llm_rate_limit_rpm
        if rate is not None and (type(rate) is not int or rate < 0):
            raise ValueError("llmRateLimitRpm is not a count")
        if self.spend_limits is not None:
            frozen = MappingProxyType(_checked_limits(self.spend_limits))
            object.__setattr__(self, "spend_limits", frozen)

    def to_wire(self) -> dict[str, Any]:
        """Return it as JSON, with the wire's names; what is None is left out.

        The same session always gives the same members in the same order.
        """
        wire: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, frozenset):
                value = sorted(value)
            elif isinstance(value, Mapping):
                value = dict(value)
            if value is not None:
                wire[_WIRE_NAMES[each.name]] = value
        return wire

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> SessionContext:
        """Read what `to_wire` gives. Raises `ValueError` for anything else.

        Only for what was verified: this checks shapes and believes every word.
        """
        known = {name: key for key, name in _WIRE_NAMES.items()}
        if not wire.keys() <= known.keys():
            raise ValueError("a session has members that are not known")
        values = {known[name]: value for name, value in wire.items()}
        if any(value is None for value in values.values()) or "user_id" not in values:
            raise ValueError("a session lacks what it has to say")
        features = values.get("granted_features", [])
        if not isinstance(features, list) or not all(map(_is_text, features)):
            raise ValueError("grantedFeatures is not a list of names")
        return cls(**{**values, "granted_features": frozenset(features)})


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _MAX_TEXT_CHARS


def _are_features(value: object) -> bool:
    return (
        isinstance(value, frozenset) and len(value) <= _MAX_FEATURES and all(map(_is_text, value))
    )


def _checked_limits(limits: Any) -> dict[str, float]:  # noqa: ANN401 - it is what is checked
    if not isinstance(limits, Mapping) or len(limits) > _MAX_SPEND_LIMITS:
        raise ValueError("spendLimits is not an object of at most 64 members")
    amounts = {name: _plain(amount) for name, amount in limits.items()}
    if not all(_is_text(name) and _is_amount(amount) for name, amount in amounts.items()):
        raise ValueError("spendLimits has a member that is no amount")
    return amounts


def _is_amount(value: object) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value < float("inf")


def _plain(amount: Any) -> Any:  # noqa: ANN401 - it is what is checked
    """Return what was signed: what was written with a point or an exponent was a float."""
    return (
        float(amount.token) if isinstance(amount, IntToken | FloatToken | NumberToken) else amount
    )


LOCAL_SESSION: Final = SessionContext(user_id="local", granted_features=frozenset({EVERY_FEATURE}))
"""Whoever runs packages on his own machine: he could grant himself whatever there is."""
