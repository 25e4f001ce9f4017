"""The client's end of a terminal's channel against peers that are scripted down to the bytes."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from bridge.client.async_bridge_connection import AsyncBridgeConnection
from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.terminal_channel import TerminalChannel
from bridge.contract.error_codes import Outcome
from bridge.contract.web_socket import CLOSE, PING, PONG, TEXT, FrameReader, accept_of, frame
from tests.python.support.fake_bridge import PATIENCE_SECONDS, fake_bridge
from tests.python.support.raw_channel import BINARY
from tests.python.support.scripted_peer import answers, read_request, response, scripted_peer

TOKEN = "t" * 43
REQUEST = b'{"id":1,"method":"m"}'


class Peer:
    """A bridge's end, after the handshake."""

    def __init__(self, opened: socket.socket) -> None:
        self.opened = opened
        self.handshake = read_request(opened)
        self.reader = FrameReader(4_000_000, masked=True)
        self.messages: list[tuple[int, bytes]] = []

    def accept(self, *, key: bytes | None = None, protocol: bytes = b"bascule.terminal.1") -> None:
        lines = dict(
            line.split(b": ", 1) for line in self.handshake.split(b"\r\n\r\n")[0].split(b"\r\n")[1:]
        )
        answer = accept_of(key or lines[b"Sec-WebSocket-Key"])
        self.opened.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: %b\r\nSec-WebSocket-Protocol: %b\r\n\r\n" % (answer, protocol)
        )

    def message(self) -> tuple[int, bytes]:
        while not self.messages:
            data = self.opened.recv(65_536)
            if not data:
                return CLOSE, b""
            self.messages += self.reader.feed(data)
        return self.messages.pop(0)

    def frame(self) -> Any:
        opcode, data = self.message()
        assert opcode == TEXT, opcode
        return json.loads(data)

    def send(self, value: Any) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.opened.sendall(frame(TEXT, data))


Script = Callable[[Peer], object]


def channel(script: Script) -> Callable[[socket.socket], None]:
    """Return what a connection does that is asked for a channel and opens it."""

    def run(opened: socket.socket) -> None:
        peer = Peer(opened)
        peer.accept()
        script(peer)

    return run


def connect(port: int, runs: Callable[[], bool] = lambda: True) -> AsyncBridgeConnection:
    return AsyncBridgeConnection(BridgeAddress("127.0.0.1", port), TOKEN, runs, channel=True)


async def respond(
    connection: AsyncBridgeConnection, request: bytes = REQUEST, seconds: float = PATIENCE_SECONDS
) -> bytes:
    deadline = asyncio.get_running_loop().time() + seconds
    return await connection.respond("s", request, None, deadline)


async def failure(
    connection: AsyncBridgeConnection, request: bytes = REQUEST, seconds: float = PATIENCE_SECONDS
) -> tuple[str, Outcome | None]:
    with pytest.raises(BridgeFailure) as caught:
        await respond(connection, request, seconds)
    assert TOKEN not in str(caught.value)
    return caught.value.code, caught.value.outcome


def echo(peer: Peer, calls: int) -> None:
    left = calls
    while left:
        frame = peer.frame()
        left -= len(frame["calls"])
        results = [{"ref": call["ref"], "response": call["request"]} for call in frame["calls"]]
        peer.send({"answers": results})


async def test_the_handshake_carries_the_token_in_its_header_and_no_origin() -> None:
    seen: list[bytes] = []

    def script(peer: Peer) -> None:
        seen.append(peer.handshake)
        echo(peer, 1)

    with scripted_peer(channel(script)) as peer:
        connection = connect(peer.port)
        assert json.loads(await respond(connection)) == json.loads(REQUEST)
        connection.close()
        first, *headers = seen[0].removesuffix(b"\r\n\r\n").split(b"\r\n")
        names = [header.split(b": ")[0] for header in headers]
        assert first == b"GET /terminal HTTP/1.1"
        assert b"Authorization: Bearer " + TOKEN.encode() in headers
        assert f"Host: 127.0.0.1:{peer.port}".encode() in headers
        assert b"Origin" not in names
        assert TOKEN not in repr(connection)


async def test_the_token_is_not_sent_where_its_process_has_ended() -> None:
    heard: list[bytes] = []
    script = lambda opened: heard.append(opened.recv(1_000))  # noqa: E731 - as short as it gets
    with scripted_peer(script, script) as peer:
        connection = connect(peer.port, lambda: False)
        assert await failure(connection) == (ClientErrorCode.NO_BRIDGE, Outcome.NOT_DELIVERED)
        assert await asyncio.to_thread(peer.ended.wait, PATIENCE_SECONDS)
        assert heard == [b"", b""]


async def test_calls_of_one_turn_leave_in_one_frame_and_bytes_pass_untouched() -> None:
    frames: list[bytes] = []

    def script(peer: Peer) -> None:
        echo(peer, 1)
        _, data = peer.message()
        frames.append(data)
        answer = b'{"ref":3,"response":{"id":1.0,\n"x" :1e0}}'
        peer.send(b'{"answers":[' + answer + b',{"ref":2,"response":null}]}')
        peer.message()

    with scripted_peer(channel(script)) as peer:
        connection = connect(peer.port)
        await respond(connection)
        until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        taken, answer = await asyncio.gather(
            connection.notify("a", b'{"method" : "n"}', 1.5, until, opening=b'{"id":"o"}'),
            connection.respond("s", b'{"id":1.0}', None, until),
        )
        assert (taken, answer) == (None, b'{"id":1.0, "x" :1e0}')
        assert frames == [
            b'{"calls":[{"ref":2,"session":"a","timeoutMs":1500,"request":{"method" : "n"},'
            b'"opening":{"id":"o"}},{"ref":3,"session":"s","request":{"id":1.0}}]}'
        ]
        connection.close()


async def test_an_opening_is_sent_until_the_bridge_has_had_it_on_this_channel() -> None:
    openings: list[Any] = []

    def script(peer: Peer) -> None:
        for _ in range(5):
            (call,) = peer.frame()["calls"]
            openings.append((call["session"], call.get("opening")))
            peer.send({"answers": [{"ref": call["ref"], "response": {}}]})

    with scripted_peer(channel(script)) as peer:
        connection = connect(peer.port)
        until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        for session, opening in (
            ("s", b"[1]"), ("s", b"[1]"), ("s", b"[2]"), ("t", b"[2]"), ("t", b"[2]")
        ):  # fmt: skip
            await connection.respond(session, REQUEST, None, until, opening=opening)
        connection.close()
    assert openings == [("s", [1]), ("s", None), ("s", [2]), ("t", [2]), ("t", None)]


@pytest.mark.parametrize(
    "status", [404, 401, 403, 400, 503], ids=lambda status: f"refused with {status}"
)
async def test_an_older_bridge_or_a_full_one_is_called_by_requests(status: int) -> None:
    paths: list[str] = []

    def refuse(opened: socket.socket) -> None:
        paths.append(read_request(opened).split(b" ")[1].decode())
        opened.sendall(response(b'{"error":{"code":"NOT_FOUND","message":"No."}}', status))

    with scripted_peer(refuse, answers(b"1", b"2", b"3")) as peer:
        connection = connect(peer.port)
        # It is not asked for with every call.
        assert [await respond(connection) for _ in range(3)] == [b"1", b"2", b"3"]
        connection.close()
        assert (paths, peer.accepted) == (["/terminal"], 2)


@pytest.mark.parametrize(
    "answer",
    [
        {"key": b"AAAAAAAAAAAAAAAAAAAAAA=="},
        {"protocol": b"bascule.1"},
        b"",
        b"HTTP/1.1 101 \r\n\r\n",
        b"x" * 20_000,
        b"SSH-2.0-x\r\n\r\n",
    ],
)
async def test_who_does_not_open_the_channel_properly_is_sent_no_calls_by_it(answer: Any) -> None:
    heard: list[bytes] = []

    def wrong(opened: socket.socket) -> None:
        peer = Peer(opened)
        if isinstance(answer, dict):
            peer.accept(**answer)
        else:
            opened.sendall(answer)
            if not answer:
                return
        heard.append(opened.recv(1_000))

    with scripted_peer(wrong, answers(b"1")) as peer:
        connection = connect(peer.port)
        assert await respond(connection) == b"1"
        connection.close()
        assert b"".join(heard) == b""


async def test_a_frame_that_was_not_taken_whole_was_not_delivered_and_goes_by_a_request() -> None:
    ready = threading.Event()

    def script(peer: Peer) -> None:
        echo(peer, 1)
        # Some of a long frame is read, and the rest is not.
        peer.opened.recv(10)
        ready.set()
        peer.opened.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00"
        )

    params = b'"' + b"x" * 1_000_000 + b'"'
    long = b'{"id":1,"params":' + params + b"}"
    with scripted_peer(channel(script), *[answers(b"again")] * 9) as peer:
        connection = connect(peer.port)
        await respond(connection)
        # More than the system takes unread, each in a frame of its own.
        calls = [asyncio.create_task(respond(connection, long)) for _ in range(9)]
        results = await asyncio.gather(*calls, return_exceptions=True)
    lost = [r for r in results if isinstance(r, BridgeFailure)]
    again = [r for r in results if r == b"again"]
    # Those of whole frames may have run; all others were sent anew, and none was sent twice.
    assert len(lost) + len(again) == 9
    assert {(r.code, r.outcome) for r in lost} <= {
        (ClientErrorCode.CONNECTION_LOST, Outcome.UNKNOWN)
    }
    assert again


async def test_what_was_sent_whole_may_have_run_and_the_next_call_opens_a_channel_anew() -> None:
    with scripted_peer(channel(lambda p: p.frame()), channel(lambda p: echo(p, 1))) as peer:
        connection = connect(peer.port)
        lost = await failure(connection)
        assert lost == (ClientErrorCode.CONNECTION_LOST, Outcome.UNKNOWN)
        assert json.loads(await respond(connection))["id"] == 1
        assert peer.accepted == 2
        connection.close()


@pytest.mark.parametrize(
    "sent",
    [
        frame(TEXT, b"x"),
        frame(TEXT, b"[]"),
        frame(TEXT, b"{}"),
        frame(TEXT, b'{"answers":[{}]}'),
        frame(TEXT, b'{"answers":[{"ref":1}]}'),
        frame(TEXT, b'{"answers":[{"ref":"1","response":{}}]}'),
        frame(TEXT, b'{"answers":[{"ref":1,"error":{"code":1,"message":"x"}}]}'),
        frame(TEXT, b'{"answers":[{"ref":1,"response":{]}]}'),
        frame(BINARY, b"{}"),
        frame(TEXT, b"{}", masked=True),
        b"\xc1\x02{}",
        b"\x81\x7f" + (2 * 1_048_576).to_bytes(8),
    ],
)
async def test_what_no_bridge_sends_ends_the_channel(sent: bytes) -> None:
    def script(peer: Peer) -> None:
        peer.frame()
        peer.opened.sendall(sent)
        peer.message()

    with scripted_peer(channel(script)) as peer:
        connection = connect(peer.port)
        wrong = await failure(connection)
        assert wrong == (ClientErrorCode.NOT_A_BRIDGE, Outcome.UNKNOWN)


async def test_answers_to_nothing_and_pings_are_taken_in_any_pieces() -> None:
    pongs: list[tuple[int, bytes]] = []

    def script(peer: Peer) -> None:
        (call,) = peer.frame()["calls"]
        answer = {"answers": [{"ref": 77, "response": 0}, {"ref": call["ref"], "response": 7}]}
        data = frame(PING, b"p") + frame(PONG, b"") + frame(TEXT, json.dumps(answer).encode())
        for byte in data:
            peer.opened.sendall(bytes((byte,)))
        pongs.append(peer.message())

    with scripted_peer(channel(script)) as peer:
        connection = connect(peer.port)
        assert await respond(connection) == b"7"
        assert await asyncio.to_thread(peer.ended.wait, PATIENCE_SECONDS)
        connection.close()
        assert pongs == [(PONG, b"p")]


async def test_errors_come_as_the_bridge_says_them() -> None:
    error = {"status": 504, "code": "TIMEOUT", "message": "Late.", "hint": "Look.", "x": [1]}

    def script(peer: Peer) -> None:
        for more in ({"outcome": "not_delivered"}, {}, {"outcome": "new"}):
            (call,) = peer.frame()["calls"]
            peer.send({"answers": [{"ref": call["ref"], "error": error | more}]})

    with scripted_peer(channel(script)) as peer:
        connection = connect(peer.port)
        outcomes = [await failure(connection) for _ in range(3)]
        connection.close()
    assert outcomes == [
        ("TIMEOUT", Outcome.NOT_DELIVERED), ("TIMEOUT", Outcome.UNKNOWN),
        ("TIMEOUT", Outcome.UNKNOWN),
    ]  # fmt: skip


async def test_a_cancelled_call_is_told_of_and_one_that_was_not_sent_is_not() -> None:
    frames: list[Any] = []
    came = threading.Event()

    def script(peer: Peer) -> None:
        echo(peer, 1)
        frames.append(peer.frame())
        came.set()
        frames.append(peer.frame())
        peer.send({"answers": [{"ref": call["ref"], "response": 1} for call in frames[0]["calls"]]})
        peer.message()

    with scripted_peer(channel(script)) as peer:
        connection = connect(peer.port)
        await respond(connection)
        ended: asyncio.Queue[Any] = asyncio.Queue()
        until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        hang_up = [
            connection.begin("s", REQUEST, None, until, ended.put_nowait)
            or pytest.fail("not begun")
            for _ in range(3)
        ]
        hang_up[0]()
        assert await asyncio.to_thread(came.wait, PATIENCE_SECONDS)
        hang_up[1]()
        hang_up[1]()
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await ended.get() == b"1"
        assert [[call["ref"] for call in frames[0]["calls"]], frames[1]] == [[3, 4], {"gone": [3]}]
        assert ended.empty()
        connection.close()


async def test_a_late_answer_reaches_nobody_and_the_bridge_is_told_that_the_call_is_gone() -> None:
    gone: list[Any] = []

    def script(peer: Peer) -> None:
        peer.frame()
        gone.append(peer.frame())
        peer.send({"answers": [{"ref": 1, "response": "late"}]})
        echo(peer, 1)

    with scripted_peer(channel(script)) as peer:
        connection = connect(peer.port)
        late = await failure(connection, REQUEST, 0.05)
        assert late == (ClientErrorCode.DEADLINE_EXCEEDED, Outcome.UNKNOWN)
        assert json.loads(await respond(connection))["id"] == 1
        connection.close()
    assert gone == [{"gone": [1]}]


async def test_a_peer_that_does_not_answer_the_handshake_costs_no_more_than_the_deadline() -> None:
    done = threading.Event()

    def silent(_: socket.socket) -> None:
        done.wait(PATIENCE_SECONDS)

    with scripted_peer(silent) as peer:
        connection = connect(peer.port)
        late = await failure(connection, REQUEST, 0.05)
        assert late == (ClientErrorCode.DEADLINE_EXCEEDED, Outcome.NOT_DELIVERED)
        connection.close()
        done.set()
        await asyncio.sleep(0)


async def test_nothing_is_begun_before_the_channel_is_open_or_without_it() -> None:
    with fake_bridge() as bridge:
        plain = AsyncBridgeConnection(
            BridgeAddress("127.0.0.1", bridge.port), bridge.token, lambda: True
        )
        until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        for connection in (plain, connect(bridge.port)):
            assert connection.begin("s", REQUEST, None, until, print) is None
        await plain.respond("s", REQUEST, None, until)
        assert [received.path for received in bridge.received] == ["/rpc"]
        plain.close()


async def test_a_turn_that_is_given_as_its_waiter_gives_up_is_the_next_one_s() -> None:
    loop = asyncio.get_running_loop()
    opened = TerminalChannel(loop)
    far = loop.time() + PATIENCE_SECONDS

    def ask() -> int:
        return opened.call("s", REQUEST, None, far, lambda _: None)

    def has_room() -> bool:
        return opened.has_room

    refs = [ask() for _ in range(32)]
    assert not has_room()
    # One whose time is up, one that is cancelled early, and two that have what is left.
    late = asyncio.create_task(opened.room(loop.time()))
    early, second, third = (asyncio.create_task(opened.room(far)) for _ in range(3))
    await asyncio.sleep(0)
    early.cancel()
    # Its deadline passes and its turn comes in one step.
    opened.hang_up(refs.pop())
    with pytest.raises(BridgeFailure):
        await late
    async with asyncio.timeout(PATIENCE_SECONDS):
        await second
    refs.append(ask())
    assert not third.done()
    opened.hang_up(refs.pop())
    async with asyncio.timeout(PATIENCE_SECONDS):
        await third
    assert early.cancelled()
    opened.hang_up(refs.pop())
    assert has_room(), "nobody who has gone stands before others"
    for ref in refs:
        opened.hang_up(ref)
    opened.connection_lost(None)
