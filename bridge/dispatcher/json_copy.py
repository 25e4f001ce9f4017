"""Copies of an app's data, as they will be sent: what the app does to its own later is its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.json_numbers import NumberToken
from bridge.contract.limits import JSON_LIMITS, JsonLimits
from bridge.contract.strict_json import StrictJsonError, dumps
from bridge.dispatcher.app_error import AppError, limit_exceeded
from bridge.dispatcher.not_json import first_not_json

__all__ = ["json_copy", "output_error", "to_plain"]


def to_plain(value: Any) -> Any:  # noqa: ANN401, PLR0911 - any JSON, one case for each kind
    """Copy a tree of JSON with numbers that are computed with.

    A handler gets `dict`, `list`, `str`, `bool`, `None`, `int` for every integral number (`1e3`
    and `10.0` among them) and `float`; and a `NumberToken` only for what neither can hold
    (`1e400`), which `to_decimal()` makes a `Decimal`.
    """
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bool or kind is float:
        return value
    if isinstance(value, Mapping):
        return {to_plain(key): to_plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(member) for member in value]
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, NumberToken):
        return value
    raise StrictJsonError(f"cannot be written: a value of type {kind.__name__}")


def json_copy(value: object, limits: JsonLimits = JSON_LIMITS) -> Any:  # noqa: ANN401 - any JSON
    """Return a copy. Raises `StrictJsonError` where it is not JSON within the limits."""
    dumps(value, limits)
    return to_plain(value)


def output_error(error: Exception, output: object) -> Exception:
    """Say which application error it is that an output cannot be written.

    `output` is what could not be written, to name the place in it. The same error is returned
    where it is nothing of the writer's.
    """
    if not isinstance(error, StrictJsonError):
        return error
    if error.kind == "limit":
        return limit_exceeded(error)
    found = first_not_json(output)
    what = "" if found is None else f" ({found.path or 'all of it'} {found.message})"
    return AppError(
        AppErrorCode.INVALID_OUTPUT,
        f"What the app gave is not JSON{what}; what it did stays done.",
        {} if found is None else {"errors": [{"path": found.path, "message": found.message}]},
    )
