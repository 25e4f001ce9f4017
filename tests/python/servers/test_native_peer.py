"""One connection: lines however they are cut, answers in order, nothing without a bound."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable, Generator, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.limits import JSON_LIMITS, NATIVE_LIMITS
from bridge.dispatcher.rpc_session import RpcSession
from bridge.servers.native_peer import NativePeer, Session
from tests.python.support.dispatchers import dispatcher_of
from tests.python.support.native_app import INFO, call_of, echo

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")
MAX = JSON_LIMITS.max_encoded_bytes


class Pair:
    """A peer, and the other end of its connection."""

    def __init__(self, session: Session | None = None) -> None:
        ours, self.other = socket.socketpair(socket.AF_UNIX)
        ours.setblocking(False)
        self.other.setblocking(False)
        self.now = 0.0
        self.peer = NativePeer(ours, session or RpcSession(echo(), "s"), lambda: self.now)

    def work(self) -> None:
        """Do all that can be done, as ticks do."""
        while True:
            if self.peer.closed:
                return
            if self.peer.wants_input:
                self.peer.read()
            self.peer.write()
            if not self.peer.has_work:
                return
            self.peer.handle_line()

    def says(self, data: bytes) -> None:
        """Send, however much it is."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self.other.send(rest) :]
            except BlockingIOError:
                self.work()

    def hears(self) -> bytes:
        """Return what has come."""
        got = b""
        while True:
            self.work()
            try:
                data = self.other.recv(1 << 20)
            except BlockingIOError:
                return got
            if not data:
                return got
            got += data

    def close(self) -> None:
        self.peer.close()
        self.peer.socket.close()
        self.other.close()


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair()
    yield made
    made.close()


def answers(data: bytes) -> list[Any]:
    assert data == b"" or data.endswith(b"\n")
    assert b"\r" not in data
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def ids(data: bytes) -> list[Any]:
    return [answer["id"] for answer in answers(data)]


STREAM = call_of(1, text="é🙂") + b"\r\n  \n" + call_of(2).replace(b"\n", b"\r\n") + b"{\n" + INFO


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_lines_may_be_split_anywhere(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    pair = Pair()
    try:
        got = b""
        for begin, end in pairwise(edges):
            pair.says(STREAM[begin:end])
            got += pair.hears()
        # The last line has no line break: the end of the stream ends it.
        pair.other.shutdown(socket.SHUT_WR)
        got += pair.hears()
        assert ids(got) == [1, 2, None, 1]
        assert answers(got)[0]["result"]["output"] == {"text": "é🙂"}
        assert pair.peer.closed
    finally:
        pair.close()


def test_a_byte_at_a_time_is_the_same(pair: Pair) -> None:
    got = b""
    for byte in STREAM + b"\n":
        pair.says(bytes([byte]))
        got += pair.hears()
    assert ids(got) == [1, 2, None, 1]
    assert not pair.peer.closed


def test_the_longest_line_is_answered_and_one_byte_more_is_refused(pair: Pair) -> None:
    line = INFO + b" " * (MAX - len(INFO))
    pair.says(line + b"\n" + line + b"\r\n" + line + b" \n" + INFO + b"\n")
    told = answers(pair.hears())
    assert [answer["id"] for answer in told] == [1, 1, None, 1]
    assert told[2]["error"]["data"] == {
        "code": "LIMIT_EXCEEDED",
        "limit": told[2]["error"]["data"]["limit"],
        "maximum": MAX,
    }


def test_a_line_without_end_takes_no_room(pair: Pair) -> None:
    for _ in range(8):
        pair.says(b"x" * (MAX // 2))
        assert pair.hears() == b""
    pair.says(b"\n" + INFO + b"\n")
    assert ids(pair.hears()) == [None, 1]


def test_notifications_and_blank_lines_are_not_answered(pair: Pair) -> None:
    pair.says(b'{"jsonrpc":"2.0","method":"agent/info"}\n\n \t\r\n' + INFO + b"\n")
    assert ids(pair.hears()) == [1]


def test_a_peer_that_has_said_all_is_still_answered(pair: Pair) -> None:
    pair.says(call_of(1) + call_of(2))
    pair.other.shutdown(socket.SHUT_WR)
    assert ids(pair.hears()) == [1, 2]
    assert pair.peer.closed


def test_a_peer_that_is_gone_is_closed(pair: Pair) -> None:
    pair.says(call_of(1, text="x" * 200_000))
    pair.other.close()
    pair.work()
    assert pair.peer.closed


def test_lines_are_handled_one_after_another() -> None:
    ends: list[Callable[[], None]] = []
    pair = Pair(Slow(ends))
    try:
        pair.says(b"one\ntwo\n")
        assert pair.hears() == b""
        assert pair.peer.waiting is not None
        assert len(ends) == 1, "the second waits for the first"
        ends[0]()
        pair.peer.step()
        assert pair.hears() == b"ONE\n"
        assert len(ends) == 2
        ends[1]()
        pair.peer.step()
        assert pair.hears() == b"TWO\n"
    finally:
        pair.close()


class Slow:
    """A session whose answers come when a test says so."""

    def __init__(self, ends: list[Callable[[], None]]) -> None:
        self._ends = ends

    async def receive(
        self, line: bytes | str, *, expired: Callable[[], bool] | None = None
    ) -> str | None:
        gate = Gate()
        self._ends.append(gate.open)
        await gate
        assert isinstance(line, bytes)
        return line.decode().upper()


class Gate:
    def __init__(self) -> None:
        self._open = False

    def open(self) -> None:
        self._open = True

    def __await__(self) -> Generator[Any, Any, None]:
        while not self._open:
            yield


def test_reading_stops_while_too_much_waits() -> None:
    ends: list[Callable[[], None]] = []
    pair = Pair(Slow(ends))
    try:
        pair.says(b"x\n" * (NATIVE_LIMITS.max_waiting_lines + 1))
        pair.work()
        assert not pair.peer.wants_input
        ends[0]()
        pair.peer.step()
        pair.work()
        assert not pair.peer.has_work
        assert pair.peer.wants_input, "one was taken up, so there is room for one"
    finally:
        pair.close()


def test_who_reads_nothing_is_owed_one_answer_at_most() -> None:
    handled: list[str] = []

    def execute(action: str, _given: Any, _context: Any) -> object:
        handled.append(action)
        return {"text": "x" * 250_000}

    pair = Pair(RpcSession(dispatcher_of(execute), "s"))
    try:
        pair.says(b"".join(call_of(number) for number in range(20)))
        pair.work()
        assert pair.peer.wants_output
        assert not pair.peer.has_work
        assert len(handled) < 20
        assert len(pair.peer._output) <= MAX + 1
        assert ids(pair.hears()) == list(range(20)), "the control: who reads gets all"
    finally:
        pair.close()


def test_who_takes_nothing_of_an_answer_is_cut_off_after_a_time(pair: Pair) -> None:
    texts = {f"t{n}": "x" * 200_000 for n in range(4)}
    pair.says(call_of(1, **texts))
    pair.work()
    assert pair.peer.wants_output
    assert pair.peer.cut_off_at() == NATIVE_LIMITS.max_unread_seconds
    pair.now = 7.0
    assert pair.other.recv(100_000)
    pair.peer.write()
    assert pair.peer.cut_off_at() == 7.0 + NATIVE_LIMITS.max_unread_seconds, "it reads, if slowly"
    assert pair.hears()
    assert pair.peer.cut_off_at() is None


def test_a_session_that_fails_ends_its_connection() -> None:
    class Fails:
        async def receive(
            self, line: bytes | str, *, expired: Callable[[], bool] | None = None
        ) -> str | None:
            raise RuntimeError("secret")

    pair = Pair(Fails())
    try:
        pair.says(b"x\n")
        assert pair.hears() == b""
        assert pair.peer.closed
    finally:
        pair.close()


@pytest.mark.parametrize(("hang_up", "expected"), [(False, False), (True, True)])
def test_only_who_is_really_gone_is_told_from_who_has_said_all(
    hang_up: bool, expected: bool
) -> None:
    asked: list[Callable[[], bool]] = []

    class Asks:
        async def receive(
            self, line: bytes | str, *, expired: Callable[[], bool] | None = None
        ) -> str | None:
            assert expired is not None
            asked.append(expired)
            await Gate()
            return None

    pair = Pair(Asks())
    try:
        pair.says(b"x\n")
        pair.other.shutdown(socket.SHUT_WR)
        pair.work()
        if hang_up:
            pair.other.close()
        assert asked[0]() is expected
    finally:
        pair.close()


def test_closing_within_a_call_drops_its_answer() -> None:
    pairs: list[Pair] = []

    def execute(_action: str, _given: Any, _context: Any) -> object:
        pairs[0].peer.close()
        return {}

    pairs.append(Pair(RpcSession(dispatcher_of(execute), "s")))
    try:
        pairs[0].says(call_of(1) + call_of(2))
        assert pairs[0].hears() == b""
        assert pairs[0].peer.closed
    finally:
        pairs[0].close()


def test_notifications_are_run_although_whoever_sent_them_is_gone() -> None:
    ran: list[int] = []

    def execute(_action: str, given: Any, _context: Any) -> object:
        ran.append(given["n"])
        return {}

    pair = Pair(RpcSession(dispatcher_of(execute), "s"))
    try:
        notifications = [call_of(1, n=n).replace(b'"id": 1, ', b"") for n in range(9)]
        pair.other.sendall(b"".join(notifications) + call_of(1, n=9))
        pair.other.close()
        pair.work()
        assert pair.peer.closed
        assert ran == list(range(9)), "but for the request, whose answer nobody stayed for"
    finally:
        pair.close()


def test_an_idle_peer_makes_room(pair: Pair) -> None:
    pair.says(INFO + b"\n")
    assert ids(pair.hears()) == [1]
    pair.now = 7.0
    assert pair.peer.is_idle
    assert pair.peer.idle_since == 0.0
    assert pair.peer.make_room() is True
    with pytest.raises(BrokenPipeError):
        pair.other.send(INFO)


@pytest.mark.parametrize("said", [INFO, INFO + b"\n", b"x" * (MAX + 2)])
def test_what_was_said_is_not_lost_for_another_s_room(pair: Pair, said: bytes) -> None:
    pair.says(said)
    assert pair.peer.make_room() is False
    pair.says(b"\n")
    assert len(answers(pair.hears())) == 1
    assert not pair.peer.closed


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system drops what has come")
def test_a_line_that_comes_as_room_is_made_is_answered(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = pair.peer.read

    def read_and_hear() -> None:
        monkeypatch.setattr(pair.peer, "read", read)
        read()
        pair.other.send(INFO)

    monkeypatch.setattr(pair.peer, "read", read_and_hear)
    assert pair.peer.make_room() is False
    with pytest.raises(BrokenPipeError):
        pair.other.send(b"\n")
    # The end of what it says is the end of a line.
    assert ids(pair.hears()) == [1]
    assert pair.peer.closed
