"""What a handler says of a call that it refused, read as anything else that a handler gives.

It may have put anything into a `CallRefused`, and have classes of its own of them.
"""

from __future__ import annotations

from typing import Final, NamedTuple, get_args

from bridge.tools.content_blocks import read_text
from bridge.tools.handler import CallRefused
from bridge.tools.tool_result import FailureCode

__all__ = ["Refusal", "read_refusal"]

_CODES: Final[dict[str, FailureCode]] = {code: code for code in get_args(FailureCode)}


class Refusal(NamedTuple):
    """What may be told of a refused call."""

    code: FailureCode
    message: str
    logged: bool
    """Whether there is something for whoever wrote the handler."""


def read_refusal(error: CallRefused) -> Refusal | None:
    """Return what it says; None where that cannot be told: an exception like any other then.

    Half characters are replaced. Raises nothing.
    """
    try:
        given: tuple[object, ...] = (error.code, error.message, error.log)
        code, message, log = given
        known = _CODES.get(code) if isinstance(code, str) else None
        if known is None or not isinstance(message, str):
            return None
        (block,) = read_text(message)
        return Refusal(known, block["text"], isinstance(log, str) and bool(log))
    except BaseException:  # noqa: BLE001 - a class of a handler's own may do anything when it is read
        return None
