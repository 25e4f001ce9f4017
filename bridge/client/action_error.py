"""An error that the app answered: the call came to its end there, and failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import JsonRpcErrorNumber, Outcome
from bridge.contract.number_text import NumberText

if TYPE_CHECKING:
    from bridge.contract.strict_json import JsonValue

__all__ = ["ActionError"]

_MAY_HAVE_RUN: Final = frozenset({"HOST_ERROR", "INVALID_OUTPUT", "LIMIT_EXCEEDED"})
"""The app's handler had begun, or may have: only what it did or gave was wrong."""
_MAX_ERRORS_TOLD: Final = 10
_MAX_DIGITS: Final = 15
"""No time to wait is longer, and no app can have thousands of digits reckoned with."""
_JSON_RPC_CODES: Final[Mapping[int, str]] = MappingProxyType(
    {number.value: number.name for number in JsonRpcErrorNumber}
)


class ActionError(BasculeError):
    """The app answered with an error.

    `code` is the application error's `data.code`, or the name of one of JSON-RPC's own errors,
    such as METHOD_NOT_FOUND. `number` is the JSON-RPC error's, `data` its members. `outcome` is
    None, since the checks of a call come before it runs, except for errors that come after:
    HOST_ERROR, INVALID_OUTPUT and LIMIT_EXCEEDED, where `data.readOnly` does not say that the
    action changes nothing. Contract: errors.
    """

    def __init__(self, number: int, message: str, data: Mapping[str, JsonValue]) -> None:
        told = data.get("code")
        code = told if isinstance(told, str) else _JSON_RPC_CODES.get(number, "UNKNOWN_ERROR")
        # An app that knows that the action only reads says so.
        changes = data.get("readOnly") is not True
        outcome = Outcome.UNKNOWN if code in _MAY_HAVE_RUN and changes else None
        super().__init__(code, message, outcome=outcome)
        self.number = number
        self.data = data

    def __str__(self) -> str:
        """Return what the app said and its details, as a traceback should show it."""
        told = f"{self.message} [{self.code_told}]"
        return " ".join([told, *(f"({line})" for line in self.details())])

    @property
    def code_told(self) -> str:
        """The code that says most: why it is not available, where the message is that reason."""
        availability = self.data.get("availability")
        if isinstance(availability, Mapping) and availability.get("reason") == self.message:
            return str(availability.get("code") or self.code)
        return self.code

    def details(self) -> list[str]:
        """Return in sentences what the error's members tell.

        The first places of an input that do not fit, the revision that the app is at, why an
        action is not available, the limit that was passed, when to try again. All of it is the
        app's own text, and what the message says already is left out.
        """
        return list(_details(self.data, self.message))


def _details(data: Mapping[str, JsonValue], message: str) -> Iterator[str]:
    errors = data.get("errors")
    for error in errors[:_MAX_ERRORS_TOLD] if isinstance(errors, list) else []:
        if isinstance(error, Mapping):
            yield f"{error.get('path') or 'input'}: {error.get('message')}"
    availability = data.get("availability")
    if isinstance(availability, Mapping) and availability.get("code"):
        reason = availability.get("reason")
        # A refusal's reason is its message: once is enough.
        yield from () if reason == message else (f"{reason} [{availability.get('code')}]",)
    if "expected" in data and "actual" in data:
        yield f"Revision {data['expected']} was expected; it is at {data['actual']}."
    if "limit" in data and "maximum" in data:
        yield f"The limit {data['limit']} is {data['maximum']}."
    later = _whole_number(data.get("retryAfterMs"))
    if later > 0:
        yield f"Try again in {-(-later // 1_000)} s."


def _whole_number(value: object) -> int:
    """Return an integer of either reader, 0 for anything else: commands keep its characters."""
    if isinstance(value, NumberText) and value.isdecimal() and len(value) <= _MAX_DIGITS:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
