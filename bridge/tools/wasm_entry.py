"""A project package's `entry.wasm`: one line of JSON in, one out, a fresh instance for each call.

What it cannot do is in `wasm_machine`; here it is called, in a thread, and what it wrote is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from bridge.contract.limits import JSON_LIMITS
from bridge.contract.strict_json import StrictJsonError, dumps, loads
from bridge.tools.call_wait import Timer, loop_timer
from bridge.tools.entry_file import read_entry
from bridge.tools.handler import CallRefused, Handler, ToolCall
from bridge.tools.package import Package
from bridge.tools.result_limits import TIER_CEILING_SECONDS, WASM_LIMITS, WasmLimits
from bridge.tools.session_context import SessionContext
from bridge.tools.wasm_machine import WasmCode, WasmRun
from bridge.tools.wasm_pool import BUSY, WasmPool

__all__ = ["WasmEntry", "entry_handlers"]

_LINE_LIMITS: Final = JSON_LIMITS._replace(
    max_encoded_bytes=2 * JSON_LIMITS.max_encoded_bytes,
    max_values=2 * JSON_LIMITS.max_values,
    max_depth=JSON_LIMITS.max_depth + 1,
)
"""The largest arguments that there may be, and the session around them."""
_TIMED_OUT: Final = "The tool's entry took longer than it may, and was stopped."
_STOPPED: Final = "The call was interrupted, and the tool's entry stopped."
_TOO_LATE: Final = "The call's time was up before the tool's entry ran; nothing was run. Try again."
_GIVEN_UP: Final = "The call was interrupted before the tool's entry ran; nothing was run."


def entry_handlers(package: Package, limits: WasmLimits = WASM_LIMITS) -> Mapping[str, Handler]:
    """Read a project package's entry, which runs all of its tools.

    Raises `PackageError` where there is none that could run. Contract: package tools, WebAssembly.
    """
    entry = WasmEntry(WasmCode(read_entry(package.directory, limits), limits), limits=limits)
    return dict.fromkeys(package.tools, entry)


class WasmEntry:
    """Runs calls of a project's tools. Contract: package tools, WebAssembly.

    An instance has nothing that lasts, so a run can be stopped wherever it is: when its time is
    up, when a cancellable tool's signal fires, and when whoever awaits it is cancelled.
    """

    stops_by_itself: Final = True
    """It ends at its own ceiling, and says so better than whoever waits for it could."""

    def __init__(
        self,
        code: WasmCode,
        *,
        limits: WasmLimits = WASM_LIMITS,
        seconds: float = TIER_CEILING_SECONDS["project"],
        timer: Timer = loop_timer,
    ) -> None:
        self._code = code
        self._limits = limits
        self._seconds = seconds
        self._timer = timer
        self._waiting = 0

    async def run(
        self, arguments: dict[str, Any], session: SessionContext, call: ToolCall
    ) -> object:
        """Run one call. Raises `CallRefused` for whatever is wrong with it."""
        line = dumps(
            {
                "tool": call.tool,
                "arguments": arguments,
                "session": session.to_wire(),
                "call": {"requestId": call.request_id, "seconds": self._seconds},
            },
            _LINE_LIMITS,
        )
        run = WasmRun(line + b"\n", self._limits)
        late = CallRefused("TIMED_OUT", _TIMED_OUT)
        interrupted = CallRefused("INTERRUPTED", _STOPPED)
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()

        def stop(refusal: CallRefused) -> None:
            run.stop(refusal)
            with suppress(RuntimeError):  # A loop that is closed has nobody who waits.
                loop.call_soon_threadsafe(stopped.set)

        ends = (
            self._timer(self._seconds, lambda: stop(late)),
            call.signal.when_cancelled(lambda: stop(interrupted)),
        )
        try:
            await self._prepared(run, stopped)
            future = _POOL.submit(self._code, lambda: _value(self._code.run(run), run))
            return await asyncio.wrap_future(future)
        except CallRefused as refused:
            if run.refusal is not None and not run.begun:
                words = _TOO_LATE if run.refusal.code == "TIMED_OUT" else _GIVEN_UP
                raise CallRefused("UNAVAILABLE", words) from None
            refused.log = run.stderr.decode("utf-8", "replace")
            raise
        except asyncio.CancelledError:
            run.stop(interrupted)
            raise
        finally:
            for end in ends:
                end()

    async def _prepared(self, run: WasmRun, stopped: asyncio.Event) -> None:
        """Wait until there is something to run, in no thread that others' calls need."""
        future = self._code.prepared()
        if not future.done():
            if self._waiting >= self._limits.max_waiting:
                raise CallRefused("BUSY", BUSY)
            self._waiting += 1
            stopping = asyncio.create_task(stopped.wait())
            try:
                ends = (asyncio.wrap_future(future), stopping)
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._waiting -= 1
                stopping.cancel()
        if run.refusal is not None:
            raise run.refusal
        reason = future.result()
        if reason is not None:
            raise CallRefused("UNAVAILABLE", reason)


def _value(code: int, run: WasmRun) -> object:
    """Read what a run has written."""
    if code != 0:
        raise CallRefused("HANDLER_FAILED", f"The tool's entry ended with exit code {code}.")
    written = bytes(run.stdout).removesuffix(b"\n")
    if not written.strip():
        raise CallRefused("INVALID_OUTPUT", "The tool's entry wrote no line.")
    if b"\n" in written:
        raise CallRefused("INVALID_OUTPUT", "The tool's entry wrote more than one line.")
    try:
        return loads(
            written,
            JSON_LIMITS._replace(
                max_encoded_bytes=run.limits.max_output_bytes,
                max_string_bytes=run.limits.max_output_bytes,
                max_values=run.limits.max_output_values,
                max_members=run.limits.max_output_values,
            ),
        )
    except StrictJsonError as error:
        words = f"The tool's entry wrote what is not strict JSON: {error}"
        raise CallRefused("INVALID_OUTPUT", words) from None


_POOL: Final = WasmPool(WASM_LIMITS)
