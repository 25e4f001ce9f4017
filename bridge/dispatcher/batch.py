"""Several calls in one request, one after the other, each with its own turn and its own end.

What was done stays done: atomic batches are `transaction.py`. Contract: batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bridge.dispatcher.call_checks import ExternalCall
from bridge.dispatcher.eventually import Eventually, Later, called
from bridge.dispatcher.host_call import Executed
from bridge.dispatcher.runtime import Runtime

__all__ = ["SKIPPED", "BatchItem", "BatchResult", "OrderedBatch"]


class BatchItem(NamedTuple):
    """How one call of a batch ended. Neither executed nor failed: it was skipped."""

    executed: Executed | None = None
    error: Exception | None = None


SKIPPED = BatchItem()


@dataclass(frozen=True, slots=True)
class BatchResult:
    """How a batch ended."""

    atomic: bool
    committed: bool
    """Whether all of it was done as one unit; never so for a batch that is not atomic."""
    items: tuple[BatchItem, ...]
    """As many as there were calls."""


class OrderedBatch:
    """One batch that is not atomic.

    `execute` runs a call with all of its checks, at the time when the batch has come to it, and
    `on_error` is told what a call failed with.
    """

    def __init__(
        self,
        execute: Callable[[ExternalCall], Eventually[Executed]],
        on_error: Callable[[Exception], None],
        runtime: Runtime,
    ) -> None:
        self._execute = execute
        self._on_error = on_error
        self._whole: Later[BatchResult] = Later(runtime)
        self._items: list[BatchItem] = []

    def run(self, calls: Sequence[ExternalCall], *, stop_on_error: bool) -> Eventually[BatchResult]:
        """Run the calls. Fails never: what goes wrong is told in the results."""
        self._go_on(calls, stop_on_error)
        return self._whole.result() if self._whole.settled else self._whole

    def _go_on(self, calls: Sequence[ExternalCall], stop_on_error: bool) -> None:
        items = self._items
        while len(items) < len(calls):
            if stop_on_error and items and items[-1].error is not None:
                items += [SKIPPED] * (len(calls) - len(items))
                break
            call = calls[len(items)]
            try:
                executed = called(self._execute, call)
                if isinstance(executed, Later) and not executed.settled:
                    executed.when_settled(self._resume(executed, calls, stop_on_error))
                    return
            except Exception as error:  # noqa: BLE001 - whatever it is, it is this call's end
                self._failed(error)
            else:
                self._ended(executed)
        self._whole.settle(BatchResult(atomic=False, committed=False, items=tuple(items)))

    def _resume(
        self, executed: Later[Executed], calls: Sequence[ExternalCall], stop_on_error: bool
    ) -> Callable[[], None]:
        def resume() -> None:
            self._ended(executed)
            self._go_on(calls, stop_on_error)

        return resume

    def _ended(self, executed: Eventually[Executed]) -> None:
        try:
            value = executed.result() if isinstance(executed, Later) else executed
            self._items.append(BatchItem(value))
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        self._on_error(error)
        self._items.append(BatchItem(error=error))
