"""Several calls as one unit: all of them are done, or nothing is. Contract: batches.

Everything is looked at before anything begins, and all of it happens within one turn, at once:
what would have to wait does not belong into a transaction.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError, contract_code, sendable_error
from bridge.dispatcher.batch import BatchItem, BatchResult
from bridge.dispatcher.call_checks import CallChecks, ExternalCall, action_named
from bridge.dispatcher.call_observers import CallEnd, CallObservers
from bridge.dispatcher.checked_host import CheckedHost
from bridge.dispatcher.eventually import called, discard
from bridge.dispatcher.host import CallContext
from bridge.dispatcher.host_call import Executed

__all__ = ["Transaction", "TransactionPowers"]


@dataclass(frozen=True, slots=True)
class TransactionPowers:
    """What a transaction needs of its dispatcher."""

    host: CheckedHost
    checks: CallChecks
    observers: CallObservers
    completed: Callable[[ActionSpec, object], Executed]
    """Checks what a host answered."""
    on_error: Callable[[BaseException], None]
    """Told what the host raised."""
    require_enabled: Callable[[], None]
    disable: Callable[[], None]
    """Shuts the way from outside."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    spec: ActionSpec
    data: Any
    session: str | None


class Transaction:
    """One atomic batch."""

    def __init__(self, powers: TransactionPowers) -> None:
        self._powers = powers
        self._host = powers.host
        self._told: list[CallEnd] = []
        self._failed = False

    def run(self, specs: Mapping[str, ActionSpec], calls: Sequence[ExternalCall]) -> BatchResult:
        """Do all of it, within the turn of the caller.

        Raises the error of the first call that may not run, with its `index`, before anything has
        begun; `ROLLED_BACK` with `index` and `cause` where a call failed and all is as it was; and
        `HOST_ERROR`, disabled, where the host could not put it back.
        """
        prepared, domain = self._prepare(specs, calls)
        if domain is None:
            return self._do(prepared, None)
        # Read first: these are what a rollback has to restore.
        revisions = self._revisions(prepared)
        self._host.begin_transaction(domain)
        return self._do(prepared, (domain, revisions))

    def _prepare(
        self, specs: Mapping[str, ActionSpec], calls: Sequence[ExternalCall]
    ) -> tuple[list[_Prepared], str | None]:
        prepared: list[_Prepared] = []
        domain: str | None = None
        for index, call in enumerate(calls):
            try:
                spec = action_named(specs, call.action)
                data = self._powers.checks.run(spec, call, external=True)
                if spec.kind == "write":
                    domain = self._domain(spec, domain)
            except Exception as error:
                raise self._of_call(error, index) from error
            prepared.append(_Prepared(spec, data, call.session))
        return prepared, domain

    def _domain(self, spec: ActionSpec, domain: str | None) -> str:
        if spec.transaction is None:
            raise AppError(
                AppErrorCode.TRANSACTION_UNSUPPORTED,
                "The action cannot be part of an atomic batch.",
            )
        if domain is not None and spec.transaction != domain:
            raise AppError(
                AppErrorCode.TRANSACTION_DOMAIN,
                "All writes of an atomic batch belong to one transaction domain.",
            )
        if domain is None and not self._host.supports_transaction(spec.transaction):
            raise AppError(
                AppErrorCode.TRANSACTION_UNSUPPORTED,
                "The app cannot put this transaction domain back to what it was.",
            )
        return spec.transaction

    def _of_call(self, error: Exception, index: int) -> AppError:
        """Make of what a call failed with an error that names the call."""
        if isinstance(error, AppError) and contract_code(error) is not None:
            return AppError(error.code, error.message, {**error.data, "index": index})
        self._powers.on_error(error)
        wire = sendable_error(error)
        return AppError(AppErrorCode.HOST_ERROR, wire["message"], {"index": index})

    def _revisions(self, prepared: Sequence[_Prepared]) -> dict[str | None, int | None]:
        names: list[str | None] = [None]
        names += [call.spec.name for call in prepared if call.spec.kind == "write"]
        return {name: self._host.revision(name) for name in names}

    def _do(
        self,
        prepared: Sequence[_Prepared],
        begun: tuple[str, dict[str | None, int | None]] | None,
    ) -> BatchResult:
        index = 0
        try:
            executed: list[Executed] = []
            for index, call in enumerate(prepared):  # noqa: B007 - an error names it
                executed.append(called(self._execute, call))
            if begun is not None:
                self._host.commit_transaction(begun[0])
        except BaseException as error:
            self._failed = True
            if begun is not None:
                self._roll_back(*begun, error)
            if not isinstance(error, Exception):
                self._tell(error)
                raise
            self._powers.on_error(error)
            undone = AppError(
                AppErrorCode.ROLLED_BACK,
                "A call of the batch failed, and nothing of the batch was done.",
                {"index": index, "cause": sendable_error(error)},
            )
            self._tell(undone)
            raise undone from error
        self._tell(None)
        return BatchResult(
            atomic=True,
            committed=True,
            # Read when all is done: a client acts on the revision that it read last.
            items=tuple(
                BatchItem(Executed(how.output, None, self._host.revision(call.spec.name)))
                for how, call in zip(executed, prepared, strict=True)
            ),
        )

    def _execute(self, call: _Prepared) -> Executed:
        spec = call.spec
        self._told.append(self._powers.observers.begin(spec.name, spec.kind, call.session))
        # What the calls before it did may have changed what is allowed.
        self._powers.require_enabled()
        self._powers.checks.again(spec)
        context = CallContext(call.session, lambda: self._failed, lambda _reason, _message: None)
        answer = self._host.execute(spec.name, call.data, context)
        if type(answer) is not dict and isinstance(answer, Awaitable):
            # The state that it would work on is about to be put back.
            discard(answer)
            raise _deferred()
        executed = self._powers.completed(spec, answer)
        if executed.task is not None:
            executed.task.cancel()
            raise _deferred()
        return executed

    def _roll_back(
        self, domain: str, revisions: dict[str | None, int | None], cause: BaseException
    ) -> None:
        try:
            self._host.rollback_transaction(domain)
            if {name: self._host.revision(name) for name in revisions} != revisions:
                raise RuntimeError(f"rolling {domain} back did not restore its revision")
        except BaseException as error:
            self._powers.disable()
            if not isinstance(error, Exception):
                self._tell(error)
                raise
            self._powers.on_error(cause)
            self._powers.on_error(error)
            broken = AppError(
                AppErrorCode.HOST_ERROR,
                "A call of the batch failed and the app could not put back what was done; "
                "it takes no calls from outside until it is enabled again.",
            )
            self._tell(broken)
            raise broken from error

    def _tell(self, error: BaseException | None) -> None:
        """Tell who watches of the end of every call that was begun: they end together."""
        told, self._told = self._told, []
        for end in told:
            if error is None:
                end.done(False)
            else:
                end.failed(error)


def _deferred() -> AppError:
    return AppError(
        AppErrorCode.DEFERRED_IN_TRANSACTION,
        "The action takes its time, which an atomic batch does not have.",
    )
