"""Standard streams that somebody else has made unblocking, and clients that do not read theirs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from bridge.cli.gateways.mcp_input import ByteInput
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import COMMAND, environment, pipe
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.mcp_requests import legacy
from tests.python.support.vectors import ROOT

DRAWING = [sys.executable, "-m", "bridge.demo.drawing"]
SERVERS = {
    "gateway": [*COMMAND, "browser-stdio", "--protocol", "mcp"],
    "headless": [*COMMAND, "headless", *DRAWING, "--protocol", "mcp"],
    "app": [*DRAWING, "--agent-mcp"],
}
REQUESTS = 60
"""Their answers are several times what a pipe holds."""
SENT = b"".join(legacy(number, "tools/list") + b"\n" for number in range(REQUESTS))


@contextmanager
def server(
    tmp_path: Path, command: Sequence[str], unblocking: Sequence[int] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server whose own ends of some of its streams do not block."""
    for_input, to_server = os.pipe()
    from_server, for_output = os.pipe()
    for number, end in enumerate((for_input, for_output)):
        os.set_blocking(end, number not in unblocking)
    child = subprocess.Popen(
        command,
        stdin=for_input,
        stdout=for_output,
        stderr=subprocess.PIPE,
        env=environment(tmp_path, PYTHONPATH=str(ROOT)),
    )
    os.close(for_input)
    os.close(for_output)
    child.stdin, child.stdout = os.fdopen(to_server, "wb", 0), os.fdopen(from_server, "rb")
    try:
        with child:
            yield child
            child.wait(PATIENCE_SECONDS)
    finally:
        child.kill()


@pytest.mark.parametrize("command", SERVERS.values(), ids=SERVERS)
def test_streams_that_do_not_block_lose_no_line(tmp_path: Path, command: list[str]) -> None:
    with server(tmp_path, command, (0, 1)) as child:
        first, rest = SENT[:20], SENT[20:]
        pipe(child.stdin).write(first)
        pipe(child.stdin).write(rest)
        answers = [json.loads(pipe(child.stdout).readline()) for _ in range(REQUESTS)]
        pipe(child.stdin).close()
        assert (child.wait(PATIENCE_SECONDS), pipe(child.stderr).read()) == (ExitCode.DONE, b"")
    assert [answer["id"] for answer in answers] == list(range(REQUESTS))
    assert all("result" in answer for answer in answers)


@pytest.mark.parametrize("name", ["gateway", "headless"])
def test_the_end_of_the_input_ends_it_though_nobody_reads_the_answers(
    tmp_path: Path, name: str
) -> None:
    with server(tmp_path, SERVERS[name]) as child:
        pipe(child.stdin).write(SENT)
        # Its answers do not fit, and it has begun to write them.
        assert pipe(child.stdout).read(1) == b"{"
        pipe(child.stdin).close()
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert pipe(child.stderr).read() == b""


async def test_an_input_that_another_reader_has_emptied_has_not_ended() -> None:
    source, target = os.pipe()
    os.set_blocking(source, False)
    taken: list[bytes] = []
    came, over = asyncio.Event(), asyncio.Event()

    def take(data: bytes) -> None:
        taken.append(data)
        came.set()
        if not data or data == b"second":
            over.set()

    # Both are told of the same bytes, and the one that is called first has them.
    other = os.dup(source)
    readers = [ByteInput(each, take) for each in (source, other)]
    for reader in readers:
        reader.want(True)
    os.write(target, b"first")
    async with asyncio.timeout(PATIENCE_SECONDS):
        await came.wait()
        os.write(target, b"second")
        await over.wait()
    assert taken == [b"first", b"second"]
    for reader in readers:
        reader.close()
    for end in (source, other, target):
        os.close(end)


PRINTING = """
import os
from bridge.cli.gateways.own_stdout import borrowed_stdout
with borrowed_stdout() as own:
    print("kept back")
    os.write(own, b"a line\\n")
"""


def test_what_was_printed_and_kept_back_does_not_follow_the_lines(tmp_path: Path) -> None:
    # Standard output to a pipe is written late unless Python is told otherwise.
    variables = environment(tmp_path, PYTHONPATH=str(ROOT)) | {"PYTHONUNBUFFERED": ""}
    done = subprocess.run(
        [sys.executable, "-c", PRINTING], capture_output=True, check=True, env=variables
    )
    assert (done.stdout, done.stderr) == (b"a line\n", b"kept back\n")
