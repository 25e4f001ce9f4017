"""Exchanges over kept connections, blocking and not: what is reused, repeated, and never is."""

from __future__ import annotations

import asyncio
import gc
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol

import pytest

from bridge.client.async_http_connection import AsyncHttpConnection
from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode, DeadlineExceeded
from bridge.client.http_connection import HttpConnection, always
from bridge.client.http_response import HttpResponse
from bridge.contract.error_codes import Outcome
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.scripted_peer import (
    answers,
    hangs_up_after_request,
    read_request,
    response,
    scripted_peer,
)

REQUEST = b"POST /rpc HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"
LARGE = b"POST /rpc HTTP/1.1\r\nContent-Length: 16000000\r\n\r\n" + b"x" * 16_000_000

FORKS = """
import os, sys, time
from bridge.client.bridge_address import BridgeAddress
from bridge.client.http_connection import HttpConnection
connection = HttpConnection(BridgeAddress("127.0.0.1", int(sys.argv[1])))
def say():
    request = b"POST /rpc HTTP/1.1\\r\\nContent-Length: 2\\r\\n\\r\\n{}"
    print(connection.exchange(request, time.monotonic() + 10).body.decode(), flush=True)
say()
# As if a thread of the parent were in the middle of an exchange.
connection._kept._turn.acquire()
if os.fork() == 0:
    say()
    say()
    connection.close()
    os._exit(0)
os.wait()
connection._kept._turn.release()
say()
"""


class Connection(Protocol):
    async def exchange(
        self, request: bytes, seconds: float = PATIENCE_SECONDS, *, repeatable: bool = False
    ) -> HttpResponse: ...

    def close(self) -> None: ...


class Blocking:
    def __init__(self, port: int, runs: Callable[[], bool] = always) -> None:
        self.connection = HttpConnection(BridgeAddress("127.0.0.1", port), runs)

    async def exchange(
        self, request: bytes, seconds: float = PATIENCE_SECONDS, *, repeatable: bool = False
    ) -> HttpResponse:
        deadline = time.monotonic() + seconds
        return await asyncio.to_thread(
            self.connection.exchange, request, deadline, repeatable=repeatable
        )

    def close(self) -> None:
        self.connection.close()


class Asynchronous:
    def __init__(self, port: int, runs: Callable[[], bool] = always) -> None:
        self.connection = AsyncHttpConnection(BridgeAddress("127.0.0.1", port), runs)

    async def exchange(
        self, request: bytes, seconds: float = PATIENCE_SECONDS, *, repeatable: bool = False
    ) -> HttpResponse:
        deadline = asyncio.get_running_loop().time() + seconds
        return await self.connection.exchange(request, deadline, repeatable=repeatable)

    def close(self) -> None:
        self.connection.close()


Connect = Callable[..., Connection]


@pytest.fixture(params=[Blocking, Asynchronous], ids=["blocking", "asynchronous"])
def connect(request: pytest.FixtureRequest) -> Connect:
    kind: Connect = request.param
    return kind


async def failure(connection: Connection, request: bytes = REQUEST) -> BridgeFailure:
    with pytest.raises(BridgeFailure) as caught:
        await connection.exchange(request)
    return caught.value


async def test_exchanges_share_one_connection(connect: Connect) -> None:
    with scripted_peer(answers(b"1", b"2", b"3")) as peer:
        connection = connect(peer.port)
        bodies = [(await connection.exchange(REQUEST)).body for _ in range(3)]
        connection.close()
        assert bodies == [b"1", b"2", b"3"]
        assert peer.accepted == 1


async def test_a_connection_that_the_peer_ends_with_its_answer_is_not_used_again(
    connect: Connect,
) -> None:
    def last(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(response(b"1", 200, b"Connection: close"))

    with scripted_peer(last, answers(b"2")) as peer:
        connection = connect(peer.port)
        assert (await connection.exchange(REQUEST)).body == b"1"
        assert (await connection.exchange(REQUEST)).body == b"2"
        connection.close()


async def test_a_connection_that_was_closed_while_idle_is_opened_anew(connect: Connect) -> None:
    closed = threading.Event()

    def closes(peer: socket.socket) -> None:
        answers(b"1")(peer)
        peer.close()
        closed.set()

    with scripted_peer(closes, answers(b"2")) as peer:
        connection = connect(peer.port)
        assert (await connection.exchange(REQUEST)).body == b"1"
        assert await asyncio.to_thread(closed.wait, PATIENCE_SECONDS)
        assert (await connection.exchange(REQUEST)).body == b"2"
        connection.close()
        assert peer.accepted == 2


async def test_a_connection_that_was_long_idle_is_not_trusted(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("http_connection", "async_http_connection"):
        monkeypatch.setattr(f"bridge.client.{module}.REUSE_SECONDS", -1.0)
    with scripted_peer(answers(b"1", b"never"), answers(b"2")) as peer:
        connection = connect(peer.port)
        assert (await connection.exchange(REQUEST)).body == b"1"
        assert (await connection.exchange(REQUEST)).body == b"2"
        connection.close()


async def test_a_connection_on_which_something_unasked_came_is_not_used(connect: Connect) -> None:
    sent = threading.Event()

    def talks(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(response(b"1"))
        read_request(peer)
        peer.sendall(response(b"2") + response(b"forged"))
        sent.set()
        read_request(peer)

    with scripted_peer(talks, answers(b"3")) as peer:
        connection = connect(peer.port)
        assert (await connection.exchange(REQUEST)).body == b"1"
        assert (await connection.exchange(REQUEST)).body == b"2"
        assert await asyncio.to_thread(sent.wait, PATIENCE_SECONDS)
        assert (await connection.exchange(REQUEST)).body == b"3"
        connection.close()


@pytest.mark.parametrize("kept", [False, True], ids=["new", "kept"])
async def test_what_may_have_run_is_never_sent_twice(connect: Connect, *, kept: bool) -> None:
    def takes_a_second(peer: socket.socket) -> None:
        if kept:
            answers(b"1")(peer)
        read_request(peer)

    with scripted_peer(takes_a_second, answers(b"again")) as peer:
        connection = connect(peer.port)
        if kept:
            await connection.exchange(REQUEST)
        failed = await failure(connection)
        assert (failed.code, failed.outcome) == (ClientErrorCode.CONNECTION_LOST, Outcome.UNKNOWN)
        assert peer.accepted == 1
        # The connection is of use afterwards.
        assert (await connection.exchange(REQUEST)).body == b"again"
        connection.close()


async def test_what_changes_nothing_is_sent_again_on_a_new_connection(connect: Connect) -> None:
    def takes_a_second(peer: socket.socket) -> None:
        answers(b"1")(peer)
        read_request(peer)

    with scripted_peer(takes_a_second, answers(b"2")) as peer:
        connection = connect(peer.port)
        await connection.exchange(REQUEST)
        assert (await connection.exchange(REQUEST, repeatable=True)).body == b"2"
        connection.close()
        assert peer.accepted == 2


async def test_it_is_sent_again_once_only(connect: Connect) -> None:
    def takes_a_second(peer: socket.socket) -> None:
        answers(b"1")(peer)
        read_request(peer)

    with scripted_peer(takes_a_second, hangs_up_after_request, answers(b"3")) as peer:
        connection = connect(peer.port)
        await connection.exchange(REQUEST)
        with pytest.raises(BridgeFailure):
            await connection.exchange(REQUEST, repeatable=True)
        connection.close()
        assert peer.accepted == 2


async def test_an_answer_that_breaks_off_leaves_the_outcome_unknown(connect: Connect) -> None:
    def breaks_off(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(response(b"12345")[:-1])

    with scripted_peer(breaks_off) as peer:
        failed = await failure(connect(peer.port))
    assert (failed.code, failed.outcome) == (ClientErrorCode.CONNECTION_LOST, Outcome.UNKNOWN)


async def test_a_request_that_was_not_taken_whole_was_not_delivered(connect: Connect) -> None:
    def hangs_up(peer: socket.socket) -> None:
        peer.recv(1)
        # Resets at once, instead of taking what comes.
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    with scripted_peer(hangs_up) as peer:
        failed = await failure(connect(peer.port), LARGE)
    assert (failed.code, failed.outcome) == (ClientErrorCode.UNREACHABLE, Outcome.NOT_DELIVERED)


async def test_a_refusal_that_comes_before_all_was_sent_is_read(connect: Connect) -> None:
    def refuses(peer: socket.socket) -> None:
        peer.recv(1)
        peer.sendall(response(b"why", 503))
        peer.shutdown(socket.SHUT_WR)
        while peer.recv(65_536):
            pass

    with scripted_peer(refuses) as peer:
        connection = connect(peer.port)
        answer = await connection.exchange(LARGE)
        connection.close()
    assert (answer.status, answer.body) == (503, b"why")


async def test_the_deadline_bounds_the_whole_exchange_and_not_each_read(connect: Connect) -> None:
    """The peer sends a byte now and then, so that no single read ever waits for long."""
    stop = threading.Event()

    def trickles(peer: socket.socket) -> None:
        read_request(peer)
        for byte in response(b"x" * 10_000):
            try:
                peer.send(bytes([byte]))
            except OSError:
                return
            if stop.wait(0.01):
                return

    with scripted_peer(trickles) as peer:
        with pytest.raises(DeadlineExceeded) as caught:
            await connect(peer.port).exchange(REQUEST, 0.2)
        stop.set()
    assert caught.value.outcome is Outcome.UNKNOWN


async def test_a_deadline_that_passes_while_it_is_sent_means_not_delivered(
    connect: Connect,
) -> None:
    stop = threading.Event()

    def reads_nothing(peer: socket.socket) -> None:
        stop.wait(PATIENCE_SECONDS)

    with scripted_peer(reads_nothing) as peer:
        with pytest.raises(DeadlineExceeded) as caught:
            await connect(peer.port).exchange(LARGE, 0.2)
        stop.set()
    assert caught.value.outcome is Outcome.NOT_DELIVERED


async def test_a_deadline_that_has_passed_sends_nothing(connect: Connect) -> None:
    with scripted_peer(answers(b"1", b"2")) as peer:
        connection = connect(peer.port)
        for _ in range(2):
            with pytest.raises(DeadlineExceeded) as caught:
                await connection.exchange(REQUEST, 0.0)
            assert caught.value.outcome is Outcome.NOT_DELIVERED
        # It can be reached.
        assert (await connection.exchange(REQUEST)).body == b"1"
        connection.close()


async def test_whose_process_has_ended_is_sent_nothing(connect: Connect) -> None:
    received: list[bytes] = []

    def impostor(peer: socket.socket) -> None:
        received.append(read_request(peer))

    with scripted_peer(impostor) as peer:
        failed = await failure(connect(peer.port, lambda: False))
        assert await asyncio.to_thread(peer.ended.wait, PATIENCE_SECONDS)
    assert (failed.code, failed.outcome) == (ClientErrorCode.NO_BRIDGE, Outcome.NOT_DELIVERED)
    assert received == [b""]
    # It would have been sent the request if its process were the bridge's.
    with scripted_peer(impostor) as peer:
        await failure(connect(peer.port, lambda: True))
    assert received[1:] == [REQUEST]


async def test_the_process_is_looked_at_for_every_connection(connect: Connect) -> None:
    """A kept connection leads to the process that it led to; a new one may lead elsewhere."""
    looks: list[int] = []

    def runs() -> bool:
        looks.append(1)
        return len(looks) == 1

    with scripted_peer(answers(b"1", b"2"), answers(b"impostor")) as peer:
        connection = connect(peer.port, runs)
        await connection.exchange(REQUEST)
        await connection.exchange(REQUEST)
        assert len(looks) == 1
        connection.close()
        assert (await failure(connection)).code == ClientErrorCode.NO_BRIDGE
        assert len(looks) == 2


async def test_cancelling_an_exchange_hangs_up() -> None:
    asked, hung_up = threading.Event(), threading.Event()

    def waits(peer: socket.socket) -> None:
        read_request(peer)
        asked.set()
        if peer.recv(1) == b"":
            hung_up.set()

    with scripted_peer(waits, answers(b"2")) as peer:
        connection = Asynchronous(peer.port)
        exchange = asyncio.create_task(connection.exchange(REQUEST))
        assert await asyncio.to_thread(asked.wait, PATIENCE_SECONDS)
        exchange.cancel()
        with pytest.raises(asyncio.CancelledError):
            await exchange
        assert await asyncio.to_thread(hung_up.wait, PATIENCE_SECONDS)
        assert (await connection.exchange(REQUEST)).body == b"2"
        connection.close()


async def test_overlapping_exchanges_have_connections_of_their_own() -> None:
    both = threading.Barrier(3)
    threads: list[threading.Thread] = []

    def answers_when_both_came(peer: socket.socket) -> None:
        with peer:
            read_request(peer)
            both.wait(PATIENCE_SECONDS)
            peer.sendall(response())

    def aside(peer: socket.socket) -> None:
        threads.append(threading.Thread(target=answers_when_both_came, args=(peer.dup(),)))
        threads[-1].start()

    with scripted_peer(aside, aside) as peer:
        connection = Asynchronous(peer.port)
        exchanges = asyncio.gather(connection.exchange(REQUEST), connection.exchange(REQUEST))
        await asyncio.to_thread(both.wait, PATIENCE_SECONDS)
        assert [answer.status for answer in await exchanges] == [200, 200]
        connection.close()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)


def test_threads_take_turns_on_a_connection() -> None:
    with scripted_peer(answers(*[b"%d" % n for n in range(40)])) as peer:
        connection = HttpConnection(BridgeAddress("127.0.0.1", peer.port))
        bodies: list[bytes] = []

        def some() -> None:
            for _ in range(10):
                deadline = time.monotonic() + PATIENCE_SECONDS
                bodies.append(connection.exchange(REQUEST, deadline).body)

        threads = [threading.Thread(target=some) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        connection.close()
    assert sorted(map(int, bodies)) == list(range(40))
    assert peer.accepted == 1


def test_an_interrupt_hangs_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the late answer would be taken for the next request's."""

    class Interrupted(BaseException):
        pass

    def interrupted(*_: object) -> None:
        raise Interrupted

    with scripted_peer(answers(b"late"), answers(b"2")) as peer:
        connection = HttpConnection(BridgeAddress("127.0.0.1", peer.port))
        deadline = time.monotonic() + PATIENCE_SECONDS
        with monkeypatch.context() as patch:
            patch.setattr("bridge.client.http_connection.ResponseReader.feed", interrupted)
            with pytest.raises(Interrupted):
                connection.exchange(REQUEST, deadline)
        assert connection.exchange(REQUEST, deadline).body == b"2"
        connection.close()


def test_a_forked_process_reads_no_answer_of_its_parent_s() -> None:
    threads: list[threading.Thread] = []

    def aside(*bodies: bytes) -> Callable[[socket.socket], None]:
        def serve(peer: socket.socket) -> None:
            with peer:
                answers(*bodies)(peer)

        def script(peer: socket.socket) -> None:
            threads.append(threading.Thread(target=serve, args=(peer.dup(),)))
            threads[-1].start()

        return script

    with scripted_peer(aside(b"1", b"4"), aside(b"2", b"3")) as peer:
        run = subprocess.run(
            [sys.executable, "-c", FORKS, str(peer.port)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS * 2,
            check=False,
        )
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert (run.stdout.split(), run.stderr) == (["1", "2", "3", "4"], "")


def test_a_thread_that_waits_for_its_turn_waits_until_its_deadline_only() -> None:
    reached, leave = threading.Event(), threading.Event()

    def answers_late(peer: socket.socket) -> None:
        read_request(peer)
        reached.set()
        leave.wait(PATIENCE_SECONDS)
        peer.sendall(response(b"1"))

    with scripted_peer(answers_late) as peer:
        connection = HttpConnection(BridgeAddress("127.0.0.1", peer.port))
        slow = threading.Thread(
            target=connection.exchange, args=(REQUEST, time.monotonic() + PATIENCE_SECONDS)
        )
        slow.start()
        assert reached.wait(PATIENCE_SECONDS)
        with pytest.raises(DeadlineExceeded) as caught:
            connection.exchange(REQUEST, time.monotonic() + 0.05)
        assert caught.value.outcome is Outcome.NOT_DELIVERED
        assert slow.is_alive()
        leave.set()
        slow.join(PATIENCE_SECONDS)
        connection.close()


async def test_a_write_that_fails_at_once_leaves_nothing_behind_that_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As after a long computation, in which the loop could not see that the peer had gone."""
    gone = threading.Event()

    def resets(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(response(b"1"))
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        gone.set()

    with scripted_peer(resets, answers(b"2")) as peer:
        connection = Asynchronous(peer.port)
        assert (await connection.exchange(REQUEST)).body == b"1"
        # The loop stands still meanwhile.
        assert gone.wait(PATIENCE_SECONDS)
        assert (await connection.exchange(REQUEST)).body == b"2"
        connection.close()
        await asyncio.sleep(0)
    gc.collect()
    assert not caplog.records, caplog.text
