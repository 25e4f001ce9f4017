"""What a host gave, held against what the action promises."""

from __future__ import annotations

from typing import Any

from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.json_copy import json_copy, output_error
from bridge.dispatcher.plain_json import quick_copy

__all__ = ["checked_output", "judge_output", "plain_output"]


def checked_output(spec: ActionSpec, output: object) -> Any:  # noqa: ANN401 - any JSON
    """Take what a host gave as it will be sent. It is after the fact: the action has run.

    Returns a copy: what the app does to its own meanwhile changes no answer. Raises `AppError`
    `INVALID_OUTPUT` or `LIMIT_EXCEEDED`.
    """
    plain = plain_output(output)
    judge_output(spec, plain)
    return plain


def plain_output(output: object) -> Any:  # noqa: ANN401 - any JSON
    """Copy what a host gave. Raises `AppError` where it cannot be sent."""
    plain = quick_copy(output)
    if plain is not None:
        return plain
    try:
        return json_copy(output)
    except Exception as error:  # noqa: BLE001 - it may do anything when it is read
        raise output_error(error, output) from None


def judge_output(spec: ActionSpec, output: object) -> None:
    """Raise `AppError` `INVALID_OUTPUT` for what breaks the action's schema."""
    errors = spec.output.errors(output)
    if errors:
        raise AppError(
            AppErrorCode.INVALID_OUTPUT,
            "The action ran, but what it gave breaks its schema.",
            {"errors": [{"path": path, "message": message} for path, message in errors]},
        )
