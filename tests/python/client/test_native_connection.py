"""Exchanges with a native app, blocking and not: what is claimed of each way to fail."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import pytest

from bridge.client import BridgeFailure, ClientErrorCode, DeadlineExceeded, Outcome
from bridge.client.native_async_connection import AsyncNativeConnection
from bridge.client.native_connection import NativeConnection
from bridge.client.native_exchange import NativeExchange, is_notification
from bridge.contract.limits import JSON_LIMITS
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import INFO, running_app, short_directory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")
MAX = JSON_LIMITS.max_encoded_bytes
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{}}'
FULL = b'{"jsonrpc":"2.0","id":null,"error":{"code":1017,"message":"full"}}'
LARGE = b'{"a":"' + b"x" * 1_000_000 + b'"}'
Script = Callable[[socket.socket], None]


class Peer:
    """A socket whose connections are scripted one by one, down to the bytes."""

    def __init__(self, path: Path, scripts: tuple[Script, ...]) -> None:
        self.path = str(path)
        self.accepted = 0
        self._scripts = scripts
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.path)
        self._listening.listen()
        self._listening.settimeout(PATIENCE_SECONDS)
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            for script in self._scripts:
                opened, _ = self._listening.accept()
                opened.settimeout(PATIENCE_SECONDS)
                self.accepted += 1
                with opened:
                    script(opened)
        self.ended.set()

    def stop(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(PATIENCE_SECONDS)


class Connection(Protocol):
    async def respond(self, request: bytes, seconds: float = PATIENCE_SECONDS) -> bytes: ...

    def close(self) -> None: ...


class Blocking:
    def __init__(self, path: str) -> None:
        self.connection = NativeConnection(path)

    async def respond(self, request: bytes, seconds: float = PATIENCE_SECONDS) -> bytes:
        deadline = time.monotonic() + seconds
        return await asyncio.to_thread(self.connection.respond, "", request, None, deadline)

    def close(self) -> None:
        self.connection.close()


class Asynchronous:
    def __init__(self, path: str) -> None:
        self.connection = AsyncNativeConnection(path)

    async def respond(self, request: bytes, seconds: float = PATIENCE_SECONDS) -> bytes:
        deadline = asyncio.get_running_loop().time() + seconds
        return await self.connection.respond("", request, None, deadline)

    def close(self) -> None:
        self.connection.close()


Connect = Callable[[str], Connection]


@pytest.fixture(params=[Blocking, Asynchronous], ids=["blocking", "asynchronous"])
def connect(request: pytest.FixtureRequest) -> Connect:
    kind: Connect = request.param
    return kind


@pytest.fixture
def directory() -> Iterator[Path]:
    with short_directory() as path:
        yield path


@contextmanager
def peer(directory: Path, *scripts: Script) -> Iterator[Peer]:
    made = Peer(directory / "p", scripts)
    try:
        yield made
    finally:
        made.stop()


def read_line(opened: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        piece = opened.recv(65_536)
        if not piece:
            return data
        data += piece
    return data


def answers(*lines: bytes) -> Script:
    def script(opened: socket.socket) -> None:
        for line in lines:
            if not read_line(opened):
                return
            opened.sendall(line)

    return script


def takes_and_ends(opened: socket.socket) -> None:
    read_line(opened)


async def failure(
    connection: Connection, request: bytes = INFO, seconds: float = PATIENCE_SECONDS
) -> BridgeFailure:
    with pytest.raises(BridgeFailure) as caught:
        await connection.respond(request, seconds)
    return caught.value


async def test_exchanges_share_one_connection(directory: Path, connect: Connect) -> None:
    with peer(directory, answers(*[ANSWER + b"\n"] * 3)) as other:
        connection = connect(other.path)
        for _ in range(3):
            assert await connection.respond(INFO) == ANSWER
        connection.close()
        assert other.accepted == 1


async def test_an_answer_may_come_in_pieces(directory: Path, connect: Connect) -> None:
    def script(opened: socket.socket) -> None:
        read_line(opened)
        for byte in ANSWER + b"\r\n":
            opened.sendall(bytes([byte]))

    with peer(directory, script) as other:
        connection = connect(other.path)
        assert await connection.respond(INFO) == ANSWER
        connection.close()


async def test_line_breaks_in_a_request_are_written_as_spaces(
    directory: Path, connect: Connect
) -> None:
    got: list[bytes] = []

    def script(opened: socket.socket) -> None:
        got.append(read_line(opened))
        opened.sendall(ANSWER + b"\n")

    with peer(directory, script) as other:
        connection = connect(other.path)
        await connection.respond(b'\n{"id":\r\n1}\n')
        connection.close()
    assert got == [b'{"id":  1}\n']


async def test_nobody_there_means_that_nothing_was_delivered(
    directory: Path, connect: Connect
) -> None:
    told = await failure(connect(str(directory / "nobody")))
    assert (told.code, told.outcome) == (ClientErrorCode.UNREACHABLE, Outcome.NOT_DELIVERED)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(directory / "stale"))
    told = await failure(connect(str(directory / "stale")))
    assert (told.code, told.outcome) == (ClientErrorCode.UNREACHABLE, Outcome.NOT_DELIVERED)


async def test_no_answer_leaves_the_outcome_open(directory: Path, connect: Connect) -> None:
    with peer(directory, takes_and_ends) as other:
        told = await failure(connect(other.path))
    assert (told.code, told.outcome) == (ClientErrorCode.CONNECTION_LOST, Outcome.UNKNOWN)


async def test_half_an_answer_leaves_the_outcome_open(directory: Path, connect: Connect) -> None:
    with peer(directory, answers(ANSWER[:10])) as other:
        told = await failure(connect(other.path))
    assert (told.code, told.outcome) == (ClientErrorCode.CONNECTION_LOST, Outcome.UNKNOWN)


async def test_what_was_not_sent_whole_was_not_delivered(directory: Path, connect: Connect) -> None:
    def script(opened: socket.socket) -> None:
        opened.recv(10)

    with peer(directory, script) as other:
        told = await failure(connect(other.path), b'{"a":"' + b"x" * 1_000_000 + b'"}')
    assert (told.code, told.outcome) == (ClientErrorCode.UNREACHABLE, Outcome.NOT_DELIVERED)


@pytest.mark.parametrize("request_text", [INFO, LARGE], ids=["taken", "not taken"])
async def test_an_app_that_is_full_has_run_nothing(
    directory: Path, connect: Connect, request_text: bytes
) -> None:
    def script(opened: socket.socket) -> None:
        opened.sendall(FULL + b"\n")

    with peer(directory, script) as other:
        told = await failure(connect(other.path), request_text)
    assert (told.code, told.outcome) == ("SESSION_LIMIT", Outcome.NOT_DELIVERED)
    assert "close other clients" in (told.hint or "")


@pytest.mark.parametrize(
    "line",
    [
        FULL.replace(b"null", b"1"),
        FULL.replace(b'"id":null,', b""),
        FULL.replace(b"1017", b"-32600"),
        FULL.replace(b"full", b"x" * 5_000),
        b'{"jsonrpc":"2.0","id":null,"result":1017}',
        b"1017",
        b"{1017",
    ],
)
async def test_no_other_line_is_taken_for_that(
    directory: Path, connect: Connect, line: bytes
) -> None:
    with peer(directory, answers(line + b"\n")) as other:
        connection = connect(other.path)
        assert await connection.respond(INFO) == line
        connection.close()


async def test_an_answer_to_a_part_of_a_request_is_none(directory: Path, connect: Connect) -> None:
    def script(opened: socket.socket) -> None:
        # Nothing more is taken, and what was is no message.
        opened.recv(10)
        opened.sendall(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}\n')

    with peer(directory, script) as other:
        told = await failure(connect(other.path), LARGE)
    assert (told.code, told.outcome) == (ClientErrorCode.UNREACHABLE, Outcome.NOT_DELIVERED)


async def test_a_deadline_that_passes_says_what_it_left(directory: Path, connect: Connect) -> None:
    ended = threading.Event()

    def script(opened: socket.socket) -> None:
        read_line(opened)
        ended.wait(PATIENCE_SECONDS)

    with peer(directory, script) as other:
        connection = connect(other.path)
        told = await failure(connection, seconds=0.05)
        ended.set()
        assert isinstance(told, DeadlineExceeded)
        assert told.outcome == Outcome.UNKNOWN
        told = await failure(connection, seconds=0)
        assert isinstance(told, DeadlineExceeded)
        assert told.outcome == Outcome.NOT_DELIVERED


async def test_an_answer_that_came_too_late_is_nobody_else_s(
    directory: Path, connect: Connect
) -> None:
    late = threading.Event()

    def slow(opened: socket.socket) -> None:
        read_line(opened)
        late.wait(PATIENCE_SECONDS)
        with suppress(OSError):
            opened.sendall(b'"late"\n')

    with peer(directory, slow, answers(ANSWER + b"\n")) as other:
        connection = connect(other.path)
        await failure(connection, seconds=0.05)
        late.set()
        assert await connection.respond(INFO) == ANSWER
        connection.close()
        assert other.accepted == 2


async def test_a_connection_that_was_closed_while_idle_is_opened_anew(
    directory: Path, connect: Connect
) -> None:
    with peer(directory, answers(ANSWER + b"\n"), answers(ANSWER + b"\n")) as other:
        connection = connect(other.path)
        assert await connection.respond(INFO) == ANSWER
        assert await connection.respond(INFO) == ANSWER
        connection.close()
        assert other.accepted == 2


async def test_what_may_have_run_is_never_sent_twice(directory: Path, connect: Connect) -> None:
    def script(opened: socket.socket) -> None:
        read_line(opened)
        opened.sendall(ANSWER + b"\n")
        read_line(opened)

    with peer(directory, script, answers(ANSWER + b"\n")) as other:
        connection = connect(other.path)
        assert await connection.respond(INFO) == ANSWER
        told = await failure(connection)
        assert told.outcome == Outcome.UNKNOWN
        assert other.accepted == 1
        connection.close()


async def test_who_says_more_than_was_asked_is_not_kept(directory: Path, connect: Connect) -> None:
    more = answers(ANSWER + b"\n" + b'"more"\n')
    with peer(directory, more, answers(ANSWER + b"\n")) as other:
        connection = connect(other.path)
        assert await connection.respond(INFO) == ANSWER
        assert await connection.respond(INFO) == ANSWER
        connection.close()
        assert other.accepted == 2


async def test_a_line_that_is_too_long_is_no_answer(directory: Path, connect: Connect) -> None:
    def script(opened: socket.socket) -> None:
        read_line(opened)
        with suppress(OSError):
            for _ in range(3):
                opened.sendall(b"x" * MAX)

    with peer(directory, script) as other:
        told = await failure(connect(other.path))
    assert (told.code, told.outcome) == (ClientErrorCode.BAD_ANSWER, Outcome.UNKNOWN)


async def test_the_longest_answer_is_taken(directory: Path, connect: Connect) -> None:
    longest = b'"' + b"x" * (MAX - 2) + b'"'
    with peer(directory, answers(longest + b"\n")) as other:
        connection = connect(other.path)
        assert await connection.respond(INFO) == longest
        connection.close()


async def test_who_is_not_this_user_is_sent_nothing(
    directory: Path, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[bytes] = []

    def script(opened: socket.socket) -> None:
        got.append(opened.recv(100))

    monkeypatch.setattr("bridge.client.native_connection.peer_uid", lambda *_: os.getuid() + 1)
    with peer(directory, script) as other:
        told = await failure(connect(other.path))
        assert other.ended.wait(PATIENCE_SECONDS)
    assert (told.code, told.outcome) == (ClientErrorCode.UNREACHABLE, Outcome.NOT_DELIVERED)
    assert got == [b""], "the control: it was dialled, and hung up on"


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as other users"
)
async def test_a_socket_of_another_user_s_is_sent_nothing(
    directory: Path, connect: Connect
) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(directory / "p"))
    child = os.fork()
    if child == 0:
        # Who listens is who called `listen`, whoever made the socket.
        os.setgroups([])
        os.setuid(12_345)
        listening.listen()
        opened, _ = listening.accept()
        os._exit(len(opened.recv(100)))
    try:
        connection = connect(str(directory / "p"))
        for _ in range(10_000):
            told = await failure(connection)
            if "not known to be yours" in told.message:
                break
        assert (told.code, told.outcome) == (ClientErrorCode.UNREACHABLE, Outcome.NOT_DELIVERED)
        assert "not known to be yours" in told.message
    finally:
        _, status = await asyncio.to_thread(os.waitpid, child, 0)
        listening.close()
    assert os.waitstatus_to_exitcode(status) == 0


async def test_calls_that_overlap_have_a_connection_each() -> None:
    with short_directory() as directory, running_app(directory) as server:
        connection = AsyncNativeConnection(str(server.path))
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        got = await asyncio.gather(
            *(connection.respond("", INFO, None, deadline) for _ in range(20))
        )
        assert len(got) == 20
        assert server.connections <= 4
        connection.close()


def test_a_notification_is_not_waited_for() -> None:
    with (
        short_directory() as directory,
        running_app(directory) as server,
        NativeConnection(str(server.path)) as connection,
    ):
        assert connection.call("", b'{"jsonrpc":"2.0","method":"agent/info"}') is None
        answer = connection.call("", INFO, PATIENCE_SECONDS)
        assert answer is not None
        assert b'"id":1' in answer


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        (b'{"jsonrpc":"2.0","method":"x"}', True),
        (b'{"jsonrpc":"2.0","method":"x","params":7}', True),
        (b'{"jsonrpc":"2.0","method":"x","id":null}', False),
        (b'{"jsonrpc":"1.0","method":"x"}', False),
        (b'{"jsonrpc":"2.0","method":1}', False),
        (b"[]", False),
        (b"{", False),
    ],
)
def test_what_is_answered_is_known_before_it_is_sent(request_text: bytes, expected: bool) -> None:
    assert is_notification(request_text) is expected


def test_all_but_the_line_break_is_enough_to_run() -> None:
    exchange = NativeExchange(b"{}")
    outcomes = []
    for _ in b"{}\n":
        exchange.has_sent(1)
        outcomes.append(exchange.outcome)
    # The end of a connection ends a line.
    assert outcomes == [Outcome.NOT_DELIVERED, Outcome.UNKNOWN, Outcome.UNKNOWN]


def test_what_only_a_bridge_has_is_refused() -> None:
    connection = NativeConnection("/nowhere")
    with pytest.raises(BridgeFailure, match="without a bridge"):
        connection.status()
    with pytest.raises(BridgeFailure, match="without a bridge"):
        connection.calls(0, 0.0, 0.0)


def test_a_forked_process_has_a_connection_of_its_own() -> None:
    with short_directory() as directory, running_app(directory) as server:
        connection = NativeConnection(str(server.path))
        deadline = time.monotonic() + PATIENCE_SECONDS
        connection.respond("", INFO, None, deadline)
        before = connection._kept._socket
        child = os.fork()
        if child == 0:
            connection.close()
            os._exit(connection._kept._socket is not None)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert connection.respond("", INFO, None, deadline)
        assert connection._kept._socket is before
        connection.close()
