"""An error that the app answered: the call came to its end there, and failed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import JsonRpcErrorNumber, Outcome

if TYPE_CHECKING:
    from bridge.contract.strict_json import JsonValue

__all__ = ["ActionError"]

_MAY_HAVE_RUN: Final = frozenset({"HOST_ERROR", "INVALID_OUTPUT", "LIMIT_EXCEEDED"})
"""The app's handler had begun, or may have: only what it did or gave was wrong."""
_JSON_RPC_CODES: Final[Mapping[int, str]] = MappingProxyType(
    {number.value: number.name for number in JsonRpcErrorNumber}
)


class ActionError(BasculeError):
    """The app answered with an error.

    `code` is the application error's `data.code`, or the name of one of JSON-RPC's own errors,
    such as METHOD_NOT_FOUND. `number` is the JSON-RPC error's, `data` its members. `outcome` is
    None, since the checks of a call come before it runs, except for errors that come after:
    HOST_ERROR, INVALID_OUTPUT and LIMIT_EXCEEDED. Contract: errors.
    """

    def __init__(self, number: int, message: str, data: Mapping[str, JsonValue]) -> None:
        told = data.get("code")
        code = told if isinstance(told, str) else _JSON_RPC_CODES.get(number, "UNKNOWN_ERROR")
        outcome = Outcome.UNKNOWN if code in _MAY_HAVE_RUN else None
        super().__init__(code, message, outcome=outcome)
        self.number = number
        self.data = data
