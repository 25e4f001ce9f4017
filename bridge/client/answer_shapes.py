"""Reads the members of answers: each by its type, or a failure that names the member."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import Outcome
from bridge.contract.strict_json import JsonValue

__all__ = ["flag", "integer", "items", "misshapen", "obj", "optional", "text"]

Members = Mapping[str, JsonValue]


def misshapen(what: str) -> BridgeFailure:
    """Say that an answer is not what the protocol says. It came from a call that ran."""
    return BridgeFailure(
        ClientErrorCode.BAD_ANSWER,
        f"The app answered with something that the protocol does not know: {what}.",
        outcome=Outcome.UNKNOWN,
    )


def text(members: Members, name: str) -> str:
    """Return a string."""
    value = members.get(name)
    if not isinstance(value, str):
        raise misshapen(f"{name} is not a string")
    return value


def integer(members: Members, name: str) -> int:
    """Return an integer, with its token where it has one."""
    value = members.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise misshapen(f"{name} is not an integer")
    return value


def flag(members: Members, name: str) -> bool:
    """Return true or false."""
    value = members.get(name)
    if not isinstance(value, bool):
        raise misshapen(f"{name} is neither true nor false")
    return value


def obj(members: Members, name: str) -> Members:
    """Return an object."""
    value = members.get(name)
    if not isinstance(value, dict):
        raise misshapen(f"{name} is not an object")
    return value


def items(members: Members, name: str) -> list[JsonValue]:
    """Return an array."""
    value = members.get(name)
    if not isinstance(value, list):
        raise misshapen(f"{name} is not an array")
    return value


def optional(members: Members, name: str) -> bool:
    """Say whether a member that may be left out is there; null is the same as not there."""
    return members.get(name) is not None
