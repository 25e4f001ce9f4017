"""What is checked before a host is called, in the contract's order.

Capability, input, revision required, revision stale, availability. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.checked_host import CheckedHost
from bridge.dispatcher.json_copy import to_plain
from bridge.dispatcher.not_json import first_not_json
from bridge.dispatcher.params import ABSENT, Absent

__all__ = ["CallChecks", "Expired", "ExternalCall", "action_named", "require_caller"]


Expired: TypeAlias = Callable[[], bool]
"""Whether a caller outside has gone by now."""


class ExternalCall(NamedTuple):
    """One call from outside."""

    action: str
    input: Any | Literal[Absent.ABSENT] = ABSENT
    """As parsed: numbers may still be tokens. Absent is `{}`, which None is not."""
    expected_revision: int | None = None
    session: str | None = None
    expired: Expired | None = None


def require_caller(expired: Expired | None) -> None:
    """Raise `AppError` `UNAVAILABLE` for a caller who has gone: nothing begins for nobody."""
    if expired is not None and expired():
        reason = "The caller's time ran out before its turn came; nothing was run."
        raise AppError(
            AppErrorCode.UNAVAILABLE,
            reason,
            {"availability": {"code": "EXPIRED", "reason": reason}},
        )


def action_named(specs: Mapping[str, ActionSpec], name: str) -> ActionSpec:
    """Find an action. Raises `AppError` `UNKNOWN_ACTION`."""
    spec = specs.get(name)
    if spec is None:
        raise AppError(AppErrorCode.UNKNOWN_ACTION, "The app has no action of this name.")
    return spec


class CallChecks:
    """The checks of one dispatcher's calls."""

    def __init__(self, host: CheckedHost) -> None:
        self._host = host

    def run(self, spec: ActionSpec, call: ExternalCall, *, external: bool) -> Any:  # noqa: ANN401
        """Return the input as a handler takes it. Raises `AppError` for the first that fails."""
        require_caller(call.expired)
        self._check_capability(spec)
        data = {} if call.input is ABSENT else call.input
        plain = self._checked_input(spec, data, external=external)
        if external:
            self._check_revision(spec, call.expected_revision)
        self._check_availability(spec)
        return plain

    def again(self, spec: ActionSpec) -> None:
        """Check again what the app itself can have changed since: within a batch, say."""
        self._check_capability(spec)
        self._check_availability(spec)

    def _check_availability(self, spec: ActionSpec) -> None:
        unavailable = self._host.unavailable(spec.name)
        if unavailable is not None:
            raise AppError(
                AppErrorCode.UNAVAILABLE,
                unavailable.reason,
                {"availability": {"code": unavailable.code, "reason": unavailable.reason}},
            )

    def _check_capability(self, spec: ActionSpec) -> None:
        if spec.capabilities == 0:
            return
        held = self._host.capabilities()
        if held & spec.capabilities != spec.capabilities:
            raise AppError(
                AppErrorCode.CAPABILITY_REQUIRED,
                "The app does not hold a capability that this needs.",
                {"required": spec.capabilities, "held": held},
            )

    def _checked_input(self, spec: ActionSpec, data: Any, *, external: bool) -> Any:  # noqa: ANN401
        if data == {} and type(data) is dict and spec.empty_input:
            return {}
        # What came from outside was parsed; what the app itself gives may be anything.
        wrong = None if external else first_not_json(data)
        if wrong is not None:
            errors = [{"path": wrong.path, "message": wrong.message}]
        else:
            if not external:
                data = to_plain(data)
            violations = spec.input.errors(data)
            errors = [{"path": path, "message": message} for path, message in violations]
        if errors:
            raise AppError(
                AppErrorCode.INVALID_INPUT,
                "The input does not match the action's schema.",
                {"errors": errors},
            )
        return to_plain(data) if external else data

    def _check_revision(self, spec: ActionSpec, expected: int | None) -> None:
        actual = self._host.revision(spec.name)
        if expected is None:
            if spec.kind == "write" and actual is not None:
                raise AppError(
                    AppErrorCode.REVISION_REQUIRED,
                    "A write needs expectedRevision: the revision of the last answer.",
                )
        elif actual is None or expected != actual:
            raise AppError(
                AppErrorCode.STALE_REVISION,
                "The state has changed since that revision; read it again.",
                {"expected": expected, "actual": actual},
            )
