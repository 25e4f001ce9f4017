"""The real command line as child processes: a bridge, and calls to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.client.bridge_runner import StartedBridge, start_bridge

BASCULE = [sys.executable, "-m", "bridge.cli.main"]
ROOT = Path(__file__).parents[3]


def environment(runtime: Path, **more: str) -> dict[str, str]:
    """Return an environment in which the commands see only this test's bridges."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("BASCULE_T")}
    return kept | {"XDG_RUNTIME_DIR": str(runtime), "PYTHONPATH": str(ROOT)} | more


@dataclass(frozen=True)
class RealBridge:
    """One running `bascule browser-bridge`, and the commands that are used with it."""

    started: StartedBridge

    @property
    def process(self) -> subprocess.Popen[bytes]:
        return self.started.process

    @property
    def url(self) -> str:
        return self.started.url

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def token(self) -> str:
        return self.started.token

    @property
    def origin(self) -> str:
        return self.started.origin

    @property
    def page(self) -> str:
        return self.started.page

    @property
    def runtime(self) -> Path:
        return self.started.runtime

    @property
    def link(self) -> str:
        """The attach link of the bridge's page."""
        return self.started.link()

    def call(
        self, method: str, params: object = None, *, session: str | None = None, timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Run `bascule browser-call`."""
        arguments = ["browser-call"]
        if session is not None:
            arguments += ["--session", session]
        arguments.append(method)
        if params is not None:
            arguments.append(json.dumps(params, ensure_ascii=False))
        return self.run(arguments, timeout=timeout)

    def run(
        self, arguments: Sequence[str], *, timeout: float = 60, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run any command of the command line in this bridge's environment."""
        return subprocess.run(
            [*BASCULE, *arguments],
            env=environment(self.runtime),
            capture_output=True,
            input=stdin if stdin is not None else "",
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )

    def start(self, arguments: Sequence[str]) -> subprocess.Popen[str]:
        """Start a command without waiting for its end."""
        return subprocess.Popen(
            [*BASCULE, *arguments],
            env=environment(self.runtime),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def start_call(self, method: str, params: object) -> subprocess.Popen[str]:
        """Start a `browser-call` without waiting for its end."""
        return self.start(["browser-call", method, json.dumps(params)])

    def result(self, method: str, params: object = None, **more: Any) -> Any:
        """Call, and return the result of a call that must succeed."""
        done = self.call(method, params, **more)
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
        return json.loads(done.stdout)["result"]

    def execute(self, action: str, input_: object = None, **more: Any) -> Any:
        """Execute an action at the revision that is read first. Returns the whole result."""
        revision = self.result("agent/info", **more).get("revision")
        params: dict[str, object] = {"action": action}
        if input_ is not None:
            params["input"] = input_
        if revision is not None:
            params["expectedRevision"] = revision
        return self.result("actions/execute", params, **more)


@contextmanager
def run_bridge(
    origin: str, page: str, runtime: Path, *more: str, port: int = 0
) -> Iterator[RealBridge]:
    """Run a bridge, and end it whatever happens."""
    with start_bridge(origin, runtime, page=page, port=port, options=more) as started:
        yield RealBridge(started)
