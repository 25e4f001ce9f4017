"""Runs `bascule browser-bridge` for a program's own use, such as a test run, and ends it.

The bridge is a process of its own, with a runtime directory of its own: it is not found by, and
does not find, what the user runs beside it. Contract: secrets.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

from bridge.client.app_client import AppClient
from bridge.client.connecting import connect
from bridge.client.process_identity import process_start
from bridge.contract.attach_link import attach_link
from bridge.contract.runtime_entry import RuntimeEntry

__all__ = ["BridgeStartError", "StartedBridge", "command_line", "own_environment", "start_bridge"]

_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 10.0
_PACKAGE_PARENT: Final = str(Path(__file__).parents[2])
_PROGRAM: Final = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from bridge.cli.main import main; sys.exit(main(sys.argv[1:]))"
)


class BridgeStartError(Exception):
    """The bridge did not start. The message has what it said."""


class StartedBridge:
    """A running bridge of one's own."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        endpoint: Mapping[str, str],
        page: str,
        runtime: Path,
    ) -> None:
        self.process = process
        self.url = endpoint["url"]
        self.origin = endpoint["origin"]
        self.token = endpoint["token"]
        self.page = page
        """The app's page, which the attach link leads to."""
        self.runtime = runtime
        """What `XDG_RUNTIME_DIR` has to be for commands to find this bridge."""
        pid = process.pid
        self._entry = RuntimeEntry(self.url, self.token, self.origin, page, pid, process_start(pid))
        self.log: list[str] = []
        """The lines that the bridge has logged so far, without the attach link."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r}, for {self.origin!r})"

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which commands see this bridge and no other."""
        return own_environment(self.runtime)

    def link(self, page: str | None = None) -> str:
        """Return the link that attaches a page: as secret as the token.

        `page` is an address, or a part of one that the bridge's page completes.
        """
        address = self.page if page is None else urljoin(self.page, page)
        return attach_link(address, self.url, self.token)

    def connect(self, *, session: str | None = None, timeout: float | None = None) -> AppClient:
        """Return a client of the app that is attached; see `connect`."""
        return connect(self._entry, session=session, timeout=timeout)

    def attached_app(self) -> str | None:
        """Return the name of the app that is attached now."""
        with self.connect() as client:
            app = client.status().get("app")
        return app if isinstance(app, str) else None

    def is_running(self) -> bool:
        """Say whether the bridge's process runs."""
        return self.process.poll() is None


def command_line(*arguments: str) -> list[str]:
    """Return the `bascule` command of this very installation, whatever `PATH` says."""
    # Of a working directory no module may be taken: projects, too, have folders called bridge.
    return [sys.executable, "-P", "-c", _PROGRAM, _PACKAGE_PARENT, *arguments]


def own_environment(runtime: Path) -> dict[str, str]:
    """Return our environment, but with another runtime directory and no bridge named in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BASCULE_")}
    return kept | {"XDG_RUNTIME_DIR": str(runtime), "LOCALAPPDATA": str(runtime)}


@contextmanager
def start_bridge(  # noqa: PLR0913 - all that a bridge can be told
    origin: str,
    runtime: Path,
    *,
    page: str | None = None,
    channel: bool = True,
    port: int = 0,
    options: Sequence[str] = (),
) -> Iterator[StartedBridge]:
    """Run a bridge for pages of an origin, for the length of the block.

    `runtime` is an existing folder for its secrets that only this user can use. Without a
    `channel` the page polls. It ends with this process, however that ends. Raises
    `BridgeStartError`.
    """
    arguments = ["browser-bridge", "--origin", origin, "--port", str(port), "-v"]
    arguments += ["--owner-pid", str(os.getpid()), *options]
    if page is not None:
        arguments += ["--page", page]
    if not channel:
        arguments.append("--no-channel")
    process = subprocess.Popen(  # noqa: S603 - our own command, without a shell
        command_line(*arguments),
        env=own_environment(runtime),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    lines = _Lines(process)
    try:
        endpoint = lines.endpoint()
        bridge = StartedBridge(process, endpoint, page or f"{origin}/", runtime)
        bridge.log = lines.log
        yield bridge
    finally:
        lines.stop()


class _Lines:
    """Reads what the bridge says, so that it never waits to be read."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._first: list[str] = []
        self._said_first = threading.Event()
        self.log: list[str] = []
        self._thread = threading.Thread(target=self._read, name="bridge log", daemon=True)
        self._thread.start()

    def endpoint(self) -> dict[str, str]:
        """Return what the first line says."""
        if not self._said_first.wait(_START_SECONDS):
            raise BridgeStartError("the bridge did not start in time")
        try:
            endpoint = json.loads(self._first[0])
            return {name: str(endpoint[name]) for name in ("url", "token", "origin")}
        except (IndexError, ValueError, TypeError, KeyError):
            # The reason may be on a line that is yet to come.
            self.stop(patience=_STOP_SECONDS)
            said = "\n".join([*self._first, *self.log]).strip()
            raise BridgeStartError(f"the bridge did not start: {said or 'it ended'}") from None

    def stop(self, patience: float = 0.0) -> None:
        """End the process, whatever it does, and read the rest.

        It is given so many seconds to end by itself.
        """
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_STOP_SECONDS)
        self._thread.join(_STOP_SECONDS)

    def _read(self) -> None:
        stream = self._process.stderr
        if stream is None:
            return
        with stream:
            for raw in stream:
                line = raw.decode(errors="replace").rstrip("\n")
                if not self._said_first.is_set():
                    self._first.append(line)
                    self._said_first.set()
                # The link is a secret, and what announces it is of no use without it.
                elif "#bascule=" not in line and not line.startswith("Attach the page by"):
                    self.log.append(line)
        self._said_first.set()
