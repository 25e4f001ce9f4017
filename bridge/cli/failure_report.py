"""What people and shells are told of a call that failed: what, whether it may have run, what next.

Contract: exit codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, TextIO

from bridge.cli.terminal_text import printable
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode, ExitCode, Outcome

__all__ = ["exit_code", "failure_lines", "report_failure"]

_OUTCOMES: Final[Mapping[Outcome, str]] = MappingProxyType(
    {
        Outcome.NOT_DELIVERED: "The call was not delivered: trying it again is safe.",
        Outcome.UNKNOWN: "The call may have run: inspect the state before trying it again.",
    }
)
_NOBODY_THERE: Final = frozenset(
    {BridgeErrorCode.NOT_ATTACHED, ClientErrorCode.NO_BRIDGE, ClientErrorCode.UNREACHABLE}
)


def exit_code(failure: BridgeFailure) -> ExitCode:
    """Return the exit status for a failure. What may have run is told before anything else."""
    if failure.outcome is Outcome.UNKNOWN:
        return ExitCode.OUTCOME_UNKNOWN
    return ExitCode.NO_BRIDGE if failure.code in _NOBODY_THERE else ExitCode.REFUSED


def failure_lines(failure: BridgeFailure) -> Iterator[str]:
    """Yield the lines that tell of a failure, safe to print."""
    yield printable(f"{failure.message} [{failure.code}]")
    outcome = None if failure.outcome is None else _OUTCOMES[failure.outcome]
    if outcome is not None:
        yield outcome
    # A bridge's hint opens with the same sentence; once is enough.
    hint = (failure.hint or "").removeprefix(outcome or "").strip()
    if hint:
        yield from (printable(line) for line in hint.splitlines())


def report_failure(failure: BridgeFailure, out: TextIO) -> ExitCode:
    """Print a failure, and return the exit status for it."""
    first, *more = failure_lines(failure)
    print(f"bascule: {first}", file=out)
    for line in more:
        print(f"  {line}", file=out)
    return exit_code(failure)
