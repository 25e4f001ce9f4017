"""The commanding half of a caller in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from types import TracebackType
from typing import Any, Self

from scripts.benchmarks.caller import Job, Measured

__all__ = ["CallerProcess"]


class CallerProcess:
    """Runs `python -m MODULE` and gives it jobs. A context manager.

    `ready` is what it said once it was set up. Raises `RuntimeError` where it ended early; its own
    traceback is on standard error.
    """

    def __init__(self, module: str, set_up: dict[str, Any]) -> None:
        self._module = module
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"scripts.benchmarks.{module}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self.ready: Any = self._ask(set_up)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def measure(self, job: Job) -> Measured:
        """Run one job to its end."""
        measured: Measured = self._ask(job)
        return measured

    def _ask(self, message: object) -> Any:  # noqa: ANN401 - as the caller said it
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self._module} ended")
        return json.loads(answer)
