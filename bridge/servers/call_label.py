"""What a call names itself, for people who watch (Contract: calls). Decides nothing."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.broker.events import CallLabel

__all__ = ["call_label"]


def call_label(request: Mapping[str, object], longest: int) -> CallLabel:
    """Read the names in a request, each of at most `longest` characters.

    One that is not sound has no name.
    """
    method, params = request.get("method"), request.get("params")
    if not isinstance(method, str) or len(method) > longest:
        return CallLabel()
    action = None
    if method == "actions/execute":
        action = _member(params, "action")
    elif method == "tools/call" and _member(params, "name") == "actions_execute":
        action = _member(_member(params, "arguments"), "action")
    if not isinstance(action, str) or len(action) > longest:
        return CallLabel(method)
    return CallLabel(method, action)


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None
