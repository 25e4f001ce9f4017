"""Stands between a client and a server on pipes and writes down every line of both.

A program that needs the standard library only and starts fast: `tee.py DIRECTORY COMMAND ...`.
Clients start a server more than once, so each run writes a file of its own. It passes on bytes as
they come, whole lines or not, and ends as the server ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any


class _Record:
    def __init__(self, path: str) -> None:
        self._file = Path(path).open("x", encoding="ascii")  # noqa: SIM115 - open to the end
        self._lock = threading.Lock()
        self._rest = {"client": b"", "server": b""}

    def take(self, sender: str, data: bytes) -> None:
        """Write down what has become a whole line; at the end of the data the rest as well."""
        *lines, self._rest[sender] = (self._rest[sender] + data).split(b"\n")
        for line in lines:
            self._write({"from": sender, "line": line.decode("latin-1")})
        if not data and self._rest[sender]:
            self._write({"from": sender, "rest": self._rest[sender].decode("latin-1")})

    def _write(self, entry: dict[str, Any]) -> None:
        with self._lock:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()


def _copy(source: int, target: int, record: _Record, sender: str) -> None:
    data = b"more"
    while data:
        try:
            data = os.read(source, 65_536)
        except OSError:
            data = b""
        # Written down first: whoever reads the record has then seen the answer for certain.
        record.take(sender, data)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(target, view) :]
        except OSError:
            # The other side has gone; what still comes is written down all the same.
            continue
    try:
        os.close(target)
    except OSError:
        return


def _number(stream: IO[bytes] | None) -> int:
    assert stream is not None
    return os.dup(stream.fileno())


def main() -> int:
    """Run the server to its end, and return its status."""
    directory, *command = sys.argv[1:]
    record = _Record(f"{directory}/{time.monotonic_ns()}-{os.getpid()}.ndjson")
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: child.send_signal(number))
    to_server, from_server = _number(child.stdin), _number(child.stdout)
    for pipe in (child.stdin, child.stdout):
        assert pipe is not None
        pipe.close()
    threading.Thread(target=_copy, args=(0, to_server, record, "client"), daemon=True).start()
    back = threading.Thread(target=_copy, args=(from_server, 1, record, "server"))
    back.start()
    status = child.wait()
    back.join()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    os._exit(main())
