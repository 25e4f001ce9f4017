"""The real command line as child processes, in a runtime directory of the test's own."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from bridge.client.process_identity import process_start
from bridge.client.runtime_directory import RuntimeDirectory
from bridge.contract.runtime_entry import RuntimeEntry, encode_entry, entry_name
from tests.python.support.fake_bridge import PATIENCE_SECONDS, FakeBridge

COMMAND = [sys.executable, "-m", "bridge.cli.main"]
Environ = Mapping[str, str]
NOTHING_MORE: Environ = MappingProxyType({})
ORIGIN = "http://127.0.0.1:8765"


def environment(runtime: Path, **more: str) -> dict[str, str]:
    """Return the environment of a child: ours, but with no bridge named in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BASCULE_")}
    # A proxy that nobody runs: whoever asked it would fail.
    proxies = {"http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    return {**kept, **proxies, "XDG_RUNTIME_DIR": str(runtime), **more}


def run_command(
    runtime: Path, *arguments: str, data: bytes = b"", environ: Environ = NOTHING_MORE
) -> subprocess.CompletedProcess[bytes]:
    """Run one command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=data,
        capture_output=True,
        env=environment(runtime, **environ),
        timeout=PATIENCE_SECONDS * 2,
        check=False,
    )


@contextmanager
def running_command(
    runtime: Path, *arguments: str, umask: int = -1, environ: Environ = NOTHING_MORE
) -> Iterator[subprocess.Popen[bytes]]:
    """Run one command with pipes for the length of the context."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(runtime, **environ),
        umask=umask,
    ) as child:
        try:
            yield child
        finally:
            if child.poll() is None:
                child.kill()


class BridgeCommand:
    """A running `browser-bridge` and what its first line said."""

    def __init__(self, child: subprocess.Popen[bytes], endpoint: dict[str, str]) -> None:
        self.child = child
        self.url = endpoint["url"]
        self.token = endpoint["token"]
        self.port = int(self.url.rpartition(":")[2])

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.child.send_signal(number)
        return self.child.wait(PATIENCE_SECONDS)


@contextmanager
def bridge_command(
    runtime: Path, *arguments: str, umask: int = -1, environ: Environ = NOTHING_MORE
) -> Iterator[BridgeCommand]:
    """Run `browser-bridge` for the length of the context."""
    with running_command(
        runtime, "browser-bridge", "--origin", ORIGIN, *arguments, umask=umask, environ=environ
    ) as child:
        line = pipe(child.stderr).readline()
        assert line.startswith(b"{"), line + pipe(child.stderr).read()
        yield BridgeCommand(child, json.loads(line))


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def entry_for(bridge: FakeBridge, **changes: Any) -> RuntimeEntry:
    """Return an entry that says that this very process is a bridge."""
    values = {
        "url": bridge.url,
        "token": bridge.token,
        "origin": ORIGIN,
        "page": f"{ORIGIN}/",
        "pid": os.getpid(),
        "process_start": process_start(os.getpid()),
        **changes,
    }
    return RuntimeEntry(**values)


def post_entry(runtime: Path, entry: RuntimeEntry) -> Path:
    """Put an entry into the runtime directory, and return its path."""
    with RuntimeDirectory.open(runtime / "bascule", create=True) as directory:
        name = entry_name(entry.pid)
        directory.write(name, encode_entry(entry))
        return directory.path / name


def ended_process() -> int:
    """Return the id of a process that ran just now and has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait(PATIENCE_SECONDS)
    return child.pid


@contextmanager
def process_to_kill(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that does nothing, for the length of the context."""
    code = "print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        pipe(child.stdout).readline()
        try:
            yield child
        finally:
            child.kill()


def is_gone(pid: int) -> bool:
    """Wait, with a bound, until a process has ended."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
        except FileNotFoundError:
            return True
        if state.split()[0] == "Z":
            return True
        os.sched_yield()
    return False


def fresh_token() -> str:
    return secrets.token_urlsafe(32)
