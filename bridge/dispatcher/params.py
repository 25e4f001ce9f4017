"""Reads the parameters of a method.

Anything malformed, a count below its minimum included, is -32602; a count above its maximum is
`LIMIT_EXCEEDED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from bridge.contract.error_codes import AppErrorCode, JsonRpcErrorNumber
from bridge.dispatcher.app_error import AppError, RpcError

__all__ = [
    "ABSENT",
    "Absent",
    "Params",
    "invalid_params",
    "optional_boolean",
    "optional_count",
    "optional_integer",
    "optional_string",
    "required_objects",
    "required_string",
]

Params: TypeAlias = Mapping[str, Any]


class Absent(Enum):
    """Says that a member is not there, which is not the same as null."""

    ABSENT = "absent"


ABSENT: Final[Literal[Absent.ABSENT]] = Absent.ABSENT


def invalid_params(name: str, what: str) -> RpcError:
    """Make the error for a member that is not what it must be."""
    return RpcError(JsonRpcErrorNumber.INVALID_PARAMS, f"params.{name} must be {what}")


def required_string(params: Params, name: str) -> str:
    """Read a string."""
    value = params.get(name, ABSENT)
    if not isinstance(value, str):
        raise invalid_params(name, "a string")
    return value


def optional_string(params: Params, name: str) -> str | None:
    """Read a string, or None where it is absent."""
    return required_string(params, name) if name in params else None


def optional_integer(params: Params, name: str) -> int | None:
    """Read a whole number of any size, or None where it is absent."""
    if name not in params:
        return None
    value = params[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid_params(name, "an integer")
    return int(value)


def optional_count(params: Params, name: str, maximum: int) -> int | None:
    """Read a count from 1 to `maximum`, or None where it is absent."""
    value = optional_integer(params, name)
    if value is None:
        return None
    if value < 1:
        raise invalid_params(name, "at least 1")
    if value > maximum:
        raise AppError(
            AppErrorCode.LIMIT_EXCEEDED,
            f"params.{name} is at most {maximum}.",
            {"limit": name, "maximum": maximum},
        )
    return value


def required_objects(params: Params, name: str, maximum: int) -> list[Params]:
    """Read a list of 1 to `maximum` objects."""
    value = params.get(name, ABSENT)
    if not isinstance(value, list) or not value:
        raise invalid_params(name, "a list that is not empty")
    if len(value) > maximum:
        raise AppError(
            AppErrorCode.LIMIT_EXCEEDED,
            f"params.{name} holds at most {maximum}.",
            {"limit": name, "maximum": maximum},
        )
    if not all(isinstance(member, dict) for member in value):
        raise invalid_params(name, "a list of objects")
    return value


def optional_boolean(params: Params, name: str, *, default: bool) -> bool:
    """Read true or false."""
    value = params.get(name, default)
    if not isinstance(value, bool):
        raise invalid_params(name, "true or false")
    return value
