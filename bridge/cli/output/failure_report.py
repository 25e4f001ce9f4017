"""What people and shells are told of a call that failed: what, whether it may have run, what next.

Contract: exit codes, errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TextIO, cast

from bridge.cli.output.terminal_text import printable
from bridge.client.bridge_failure import BasculeError, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode, ExitCode, Outcome

if TYPE_CHECKING:
    from bridge.client.action_error import ActionError

__all__ = ["error_members", "exit_code", "failure_lines", "hint_alone", "report_failure"]

_OUTCOMES: Final[Mapping[Outcome, str]] = MappingProxyType(
    {
        Outcome.NOT_DELIVERED: "The call was not delivered: trying it again is safe.",
        Outcome.UNKNOWN: "The call may have run: inspect the state before trying it again.",
    }
)
_NOBODY_THERE: Final = frozenset(
    {BridgeErrorCode.NOT_ATTACHED, ClientErrorCode.NO_BRIDGE, ClientErrorCode.UNREACHABLE}
)
_NEXT_STEPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "DISABLED": "The app has switched its actions off: look at its page.",
        "UNKNOWN_ACTION": "`bascule actions APP` lists what there is.",
        "INVALID_INPUT": "`bascule describe APP ACTION` shows what it takes.",
        "REVISION_REQUIRED": "A write names the revision that its caller has seen: add "
        "--expected-revision N, or --expected-revision latest to write over whatever is there.",
        "STALE_REVISION": "Look at what has changed (`bascule inspect APP`, or one of its reads), "
        "then try again with that revision, or with --expected-revision latest.",
        "UNKNOWN_TASK": "The app forgets tasks some time after they ended.",
    }
)


def exit_code(failure: BasculeError) -> ExitCode:
    """Return the exit status for a failure. What may have run is told before anything else."""
    if _is_app_error(failure):
        return ExitCode.APP_ERROR
    if failure.outcome is Outcome.UNKNOWN:
        return ExitCode.OUTCOME_UNKNOWN
    return ExitCode.NO_BRIDGE if failure.code in _NOBODY_THERE else ExitCode.REFUSED


def failure_lines(failure: BasculeError) -> Iterator[str]:
    """Yield the lines that tell of a failure, safe to print."""
    if _is_app_error(failure):
        error = cast("ActionError", failure)
        yield printable(f"{error.message} [{error.code_told}]")
        yield from map(printable, error.details())
    else:
        yield printable(f"{failure.message} [{failure.code}]")
    outcome = None if failure.outcome is None else _OUTCOMES[failure.outcome]
    if outcome is not None:
        yield outcome
    # A bridge's hint opens with the same sentence; once is enough.
    hint = hint_alone(failure)
    if not failure.hint and _is_app_error(failure):
        hint = _NEXT_STEPS.get(failure.code, "")
    if hint:
        yield from (printable(line) for line in hint.splitlines())


def hint_alone(failure: BasculeError) -> str:
    """Return what to do next, without what a bridge says before it of what may have been done.

    Whoever only looked has done nothing, and has no outcome to tell.
    """
    hint = failure.hint or ""
    for outcome in _OUTCOMES.values():
        hint = hint.removeprefix(outcome)
    return hint.strip()


def report_failure(failure: BasculeError, out: TextIO) -> ExitCode:
    """Print a failure, and return the exit status for it."""
    first, *more = failure_lines(failure)
    print(f"bascule: {first}", file=out)
    for line in more:
        print(f"  {line}", file=out)
    return exit_code(failure)


def error_members(failure: BasculeError, number: int) -> dict[str, object]:
    """Return a failure as the members of a JSON-RPC error; `number` is for what no app said."""
    if _is_app_error(failure):
        error = cast("ActionError", failure)
        return {"code": error.number, "message": error.message, "data": error.data}
    data: dict[str, object] = {"code": str(failure.code)}
    if failure.outcome is not None:
        data["outcome"] = failure.outcome.value
    if failure.hint is not None:
        data["hint"] = failure.hint
    return {"code": number, "message": failure.message, "data": data}


def _is_app_error(failure: BasculeError) -> bool:
    # By its members: the module of its class is only loaded where an app answered with an error.
    return hasattr(failure, "number")
