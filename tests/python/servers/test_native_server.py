"""A native endpoint by its ticks: who may call, when there is a socket, and what one tick does."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.contract.limits import NATIVE_LIMITS
from bridge.contract.peer_credentials import peer_uid
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.servers.native_server import NativeError, NativeServer, serve
from tests.python.support.dispatchers import ScriptedHost, dispatcher_of
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import INFO, Caller, call_of, echo, short_directory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")
needs_root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as other users"
)


@pytest.fixture
def directory() -> Iterator[Path]:
    with short_directory() as path:
        yield path


@pytest.fixture
def server(directory: Path) -> Iterator[NativeServer]:
    with serve(echo(), "Test", directory=directory) as made:
        yield made


def tick(server: NativeServer) -> None:
    """Tick until there is nothing left to do."""
    while server.poll():
        pass


def names_in(path: Path) -> list[str]:
    return [entry.name for entry in path.iterdir()]


def test_a_line_is_answered_by_the_dispatcher(server: NativeServer) -> None:
    with Caller(server) as caller:
        caller.send(call_of(7, text="é"))
        [answer] = caller.lines(1)
        assert answer["id"] == 7
        assert answer["result"]["output"] == {"text": "é"}


def test_the_public_names_are_these() -> None:
    assert bridge.serve is serve
    assert bridge.NativeServer is NativeServer
    assert bridge.NativeError is NativeError


@pytest.mark.parametrize("name", ["絵" * 10_000, "a\nb\x00c", "", "x/../../y", "\U0001f642"])
def test_no_name_prevents_an_endpoint_and_it_stays_whole(directory: Path, name: str) -> None:
    dispatcher = Dispatcher(ScriptedHost(), app=AppName(name, "1"))
    dispatcher.set_enabled(True)
    with serve(dispatcher, directory=directory) as server, Caller(server) as caller:
        assert server.path is not None
        assert server.path.parent == directory
        assert server.path.name.isascii()
        caller.send(INFO + b"\n")
        assert caller.lines(1)[0]["result"]["app"]["name"] == name


# --- who may call

DIAL = """
import os, socket, sys
os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))
dialled = socket.socket(socket.AF_UNIX)
dialled.connect(sys.argv[2])
print("connected", flush=True)
sys.stdin.readline()
try:
    dialled.sendall(b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}\\n')
    dialled.settimeout(20)
    print("got", len(dialled.recv(100)), flush=True)
except (BrokenPipeError, ConnectionResetError):
    print("got", 0, flush=True)
"""


class Recorder:
    """A session that notes what it is given."""

    lines: list[bytes | str]

    def __init__(self) -> None:
        self.lines = []

    async def receive(
        self, line: bytes | str, *, expired: Callable[[], bool] | None = None
    ) -> str | None:
        self.lines.append(line)
        return "{}"


@needs_root
@pytest.mark.parametrize(("uid", "answered"), [(0, True), (12_345, False), (65_534, False)])
def test_another_user_is_hung_up_on_before_a_byte_is_read(
    directory: Path, uid: int, answered: bool
) -> None:
    session = Recorder()
    server = NativeServer(echo(), directory=str(directory), new_session=lambda _name: session)
    server.follow()
    assert server.path is not None
    # Somebody has opened it to all, so that the kernel's word is all that is left.
    directory.chmod(0o711)
    server.path.chmod(0o666)
    with (
        server,
        subprocess.Popen(
            [sys.executable, "-c", DIAL, str(uid), str(server.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as child,
    ):
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == b"connected\n", "the control: the attack is delivered"
        server.poll(PATIENCE_SECONDS)
        assert server.connections == answered
        child.stdin.write(b"\n")
        child.stdin.flush()
        while answered and not session.lines:
            server.poll(0.1)
        told = child.stdout.readline()
        server.poll()
        assert told == (b"got 3\n" if answered else b"got 0\n")
        assert bool(session.lines) is answered


@needs_root
def test_another_user_does_not_even_come_to_the_socket(server: NativeServer) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIAL, "12345", str(server.path)], capture_output=True, check=False
    )
    assert b"PermissionError" in done.stderr
    assert done.stdout == b""


def test_where_the_platform_does_not_tell_nobody_may_call(
    server: NativeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.servers.native_server.peer_uid", lambda *_: None)
    with Caller(server) as caller:
        server.poll(PATIENCE_SECONDS)
        assert caller.is_closed()
    monkeypatch.undo()
    with Caller(server) as caller:
        caller.send(INFO + b"\n")
        assert caller.lines(1), "the control: otherwise this one may"


def test_a_path_that_looks_like_a_user_is_only_a_path(
    server: NativeServer, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []
    real = peer_uid

    def noted(*given: Any) -> int | None:
        asked.append(given[1:])
        return real(*given)

    monkeypatch.setattr("bridge.servers.native_server.peer_uid", noted)
    with socket.socket(socket.AF_UNIX) as dialled:
        dialled.bind(str(directory / ";uid=4294967295;"))
        dialled.connect(str(server.path))
        dialled.sendall(INFO + b"\n")
        server.poll(PATIENCE_SECONDS)
        tick(server)
        dialled.settimeout(PATIENCE_SECONDS)
        assert b'"result"' in dialled.recv(1_000), "it is who it is, whatever its path says"
    assert asked == [(socket.SOL_SOCKET, socket.SO_PEERCRED)]


# --- when there is a socket


def test_there_is_a_socket_while_the_dispatcher_is_enabled(directory: Path) -> None:
    dispatcher = echo()
    dispatcher.set_enabled(False)
    with serve(dispatcher, directory=directory) as server:
        assert server.path is None
        assert not directory.exists() or names_in(directory) == []
        dispatcher.set_enabled(True)
        assert names_in(directory) == [Path(str(server.path)).name]
        with Caller(server) as caller:
            caller.send(INFO + b"\n")
            assert caller.lines(1)
            dispatcher.set_enabled(False)
            assert caller.is_closed(), "at once, not at the next tick"
            assert names_in(directory) == []
            assert str(server.path) == "None"
            assert server.connections == 0
        dispatcher.set_enabled(True)
        with Caller(server) as caller:
            caller.send(INFO + b"\n")
            assert caller.lines(1)
    assert names_in(directory) == []
    dispatcher.set_enabled(False)
    dispatcher.set_enabled(True)
    assert names_in(directory) == [], "closed is for good"


def test_what_goes_wrong_later_is_told(directory: Path) -> None:
    dispatcher = echo()
    dispatcher.set_enabled(False)
    with serve(dispatcher, directory=directory) as server:
        directory.chmod(0o755)
        dispatcher.set_enabled(True)
        assert "0755" in str(server.problem)
        assert server.path is None
        with pytest.raises(NativeError):
            server.follow()
        directory.chmod(0o700)
        server.follow()
        assert server.problem is None
        assert server.path is not None


def test_what_goes_wrong_at_once_is_raised_and_leaves_nothing(directory: Path) -> None:
    directory.chmod(0o755)
    dispatcher = echo()
    with pytest.raises(NativeError, match="0755"):
        serve(dispatcher, directory=directory)
    directory.chmod(0o700)
    dispatcher.set_enabled(False)
    dispatcher.set_enabled(True)
    assert names_in(directory) == [], "it does not listen behind anybody's back"


def test_windows_is_refused_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    dispatcher = echo()
    dispatcher.set_enabled(False)
    with pytest.raises(NativeError, match="not there on Windows yet"):
        serve(dispatcher)


def test_an_action_may_disable_or_close_what_it_came_by(directory: Path) -> None:
    def execute(*_: object) -> object:
        made.close()
        return {}

    made = serve(dispatcher_of(execute), directory=directory)
    with Caller(made) as caller:
        caller.send(call_of(1) + call_of(2))
        while not made.closed:
            made.poll(1.0)
        assert caller.is_closed()
        assert made.poll() is False
        made.close()
    assert names_in(directory) == []


def test_several_apps_are_served_at_once(directory: Path) -> None:
    with serve(echo(), "A", directory=directory) as one, serve(echo(), "A", directory=directory):
        assert len(names_in(directory)) == 2
        one.close()
        assert len(names_in(directory)) == 1


# --- bounds


def test_sixteen_connections_are_served_and_one_more_is_told_so(server: NativeServer) -> None:
    callers = [Caller(server) for _ in range(NATIVE_LIMITS.max_connections)]
    try:
        for caller in callers:
            # The beginning of a line, which nobody may lose.
            caller.send(b" ")
        server.poll(PATIENCE_SECONDS)
        tick(server)
        assert server.connections == NATIVE_LIMITS.max_connections
        with Caller(server) as extra:
            extra.send(INFO + b"\n")
            [answer] = extra.lines(1)
            assert answer["error"]["data"]["code"] == "SESSION_LIMIT"
            assert answer["id"] is None
            assert extra.is_closed()
        callers.pop().socket.close()
        with Caller(server) as extra:
            extra.send(INFO + b"\n")
            assert "result" in extra.lines(1)[0], "whoever hangs up makes room"
        for caller in callers:
            caller.send(INFO + b"\n")
            assert "result" in caller.lines(1)[0]
    finally:
        for caller in callers:
            caller.socket.close()


class Crowd:
    """A server with three places, all of them taken, and a clock that is set."""

    def __init__(self, directory: Path, dispatcher: Dispatcher | None = None) -> None:
        self.now = 0.0
        self.server = NativeServer(
            dispatcher or echo(),
            directory=str(directory),
            clock=lambda: self.now,
            limits=NATIVE_LIMITS._replace(max_connections=3),
        )
        self.server.follow()
        self.callers: list[Caller] = []
        for _ in range(3):
            self.callers.append(Caller(self.server))
            self.server.poll(PATIENCE_SECONDS)
            self.now += 1.0

    def another(self) -> Any:
        """Return what one more is answered."""
        self.callers.append(Caller(self.server))
        self.callers[-1].send(INFO + b"\n")
        [answer] = self.callers[-1].lines(1)
        return answer.get("error", {}).get("data", {}).get("code", "answered")

    def closed(self) -> list[bool]:
        return [caller.is_closed() for caller in self.callers]

    def close(self) -> None:
        self.server.close()
        for caller in self.callers:
            caller.socket.close()


@pytest.fixture
def crowd(directory: Path) -> Iterator[Crowd]:
    made = Crowd(directory)
    try:
        yield made
    finally:
        made.close()


def test_who_has_been_idle_for_longest_makes_room(crowd: Crowd) -> None:
    # The first was let in before the second, and has been answered since.
    crowd.callers[0].send(INFO + b"\n")
    crowd.callers[0].lines(1)
    crowd.now += 1.0
    assert crowd.another() == "answered"
    assert crowd.closed() == [False, True, False, False]
    assert crowd.another() == "answered"
    assert crowd.closed() == [False, True, True, False, False]


def test_who_was_answered_just_now_makes_no_room(crowd: Crowd) -> None:
    for caller in crowd.callers:
        caller.send(INFO + b"\n")
        caller.lines(1)
        crowd.now += 1 / 64
    answered = crowd.now - 3 / 64
    crowd.now = answered + NATIVE_LIMITS.min_idle_seconds - 0.01
    assert crowd.another() == "SESSION_LIMIT"
    assert crowd.closed() == [False, False, False, True]
    crowd.now = answered + NATIVE_LIMITS.min_idle_seconds
    assert crowd.another() == "answered"
    assert crowd.closed() == [True, False, False, True, False]


def test_who_has_said_something_that_was_not_read_yet_makes_no_room(crowd: Crowd) -> None:
    crowd.callers.append(Caller(crowd.server))
    crowd.callers[-1].send(INFO + b"\n")
    # All of it is there at once when the server looks, and the one who dials is looked at last.
    for caller in crowd.callers[:3]:
        caller.send(call_of(1))
    crowd.server.poll(PATIENCE_SECONDS)
    tick(crowd.server)
    assert [caller.lines(1)[0]["id"] for caller in crowd.callers] == [1, 1, 1, None]


def test_who_has_not_read_its_answer_yet_makes_no_room(directory: Path) -> None:
    text = {"text": "x" * 250_000}
    crowd = Crowd(directory, dispatcher_of(lambda *_: text))
    try:
        deaf = crowd.callers[0]
        deaf.send(b"".join(call_of(n) for n in range(8)))
        crowd.server.poll(PATIENCE_SECONDS)
        tick(crowd.server)
        crowd.now += 1.0
        for _ in range(3):
            crowd.another()
            crowd.now += 1.0
        assert [answer["id"] for answer in deaf.lines(8)] == list(range(8))
        assert crowd.closed()[1:3] == [True, True], "the control: others made room"
    finally:
        crowd.close()


def test_who_hangs_up_within_a_tick_makes_room_in_it(crowd: Crowd) -> None:
    leaving = crowd.callers[1]
    for caller in crowd.callers:
        caller.send(b" ")
    crowd.server.poll(PATIENCE_SECONDS)
    tick(crowd.server)

    class Listening:
        """Lets one go when the tick has looked at all of them, and then another in."""

        def __init__(self, listening: socket.socket) -> None:
            self._listening = listening
            self.fileno = listening.fileno
            self.close = listening.close

        def accept(self) -> Any:
            leaving.socket.close()
            return self._listening.accept()

    assert crowd.server._listener is not None
    real = crowd.server._listener.socket
    crowd.server._listener.socket = Listening(real)  # type: ignore[assignment]
    assert crowd.another() == "answered"
    crowd.server._listener.socket = real
    crowd.callers.remove(leaving)
    assert crowd.closed() == [False, False, False]


def test_nobody_makes_room_for_one_who_only_looks(crowd: Crowd) -> None:
    with Caller(crowd.server):
        pass
    crowd.server.poll(PATIENCE_SECONDS)
    tick(crowd.server)
    assert crowd.closed() == [False, False, False]


def test_one_tick_handles_so_many_lines_and_no_connection_is_left_out(directory: Path) -> None:
    handled: list[str] = []

    def execute(_action: str, given: Any, _context: Any) -> object:
        handled.append(given["who"])
        return {}

    with (
        serve(dispatcher_of(execute), directory=directory) as server,
        Caller(server) as one,
        Caller(server) as other,
    ):
        one.send(b"".join(call_of(n, who="one") for n in range(100)))
        other.send(b"".join(call_of(n, who="other") for n in range(100)))
        assert server.poll(PATIENCE_SECONDS) is True
        assert len(handled) == NATIVE_LIMITS.max_tick_lines
        assert handled.count("one") == handled.count("other")
        tick(server)
        assert len(handled) == 200
        assert server.poll() is False


def test_whoever_came_first_is_not_always_first(directory: Path) -> None:
    handled: list[str] = []

    def execute(_action: str, given: Any, _context: Any) -> object:
        handled.append(given["who"])
        return {}

    limits = NATIVE_LIMITS._replace(max_tick_lines=1)
    server = NativeServer(dispatcher_of(execute), directory=str(directory), limits=limits)
    server.follow()
    with server, Caller(server) as one, Caller(server) as other:
        one.send(call_of(1, who="one") + call_of(2, who="one"))
        other.send(call_of(1, who="other") + call_of(2, who="other"))
        tick_once = server.poll(PATIENCE_SECONDS)
        assert tick_once
        tick(server)
        assert handled == ["one", "other", "one", "other"]


def test_one_tick_reads_so_much_of_a_connection(server: NativeServer) -> None:
    with Caller(server) as caller:
        caller.socket.setblocking(False)
        sent = caller.socket.send(b"x" * 1_000_000)
        server.poll(PATIENCE_SECONDS)
        [peer] = server._peers
        assert len(peer._reader._line) == min(sent, NATIVE_LIMITS.max_tick_read_bytes)


def test_who_reads_nothing_is_cut_off_and_the_others_are_not(directory: Path) -> None:
    now = 0.0
    text = {"text": "x" * 250_000}
    server = NativeServer(
        dispatcher_of(lambda *_: text), directory=str(directory), clock=lambda: now
    )
    server.follow()
    with server, Caller(server) as deaf, Caller(server) as other:
        deaf.send(b"".join(call_of(n) for n in range(8)))
        server.poll(PATIENCE_SECONDS)
        tick(server)
        now = NATIVE_LIMITS.max_unread_seconds - 0.1
        assert server.next_tick_in() == pytest.approx(0.1)
        server.poll()
        assert server.connections == 2
        other.send(call_of(1))
        assert other.lines(1)
        now = NATIVE_LIMITS.max_unread_seconds
        server.poll()
        assert server.connections == 1
        assert server.next_tick_in() is None
        other.send(call_of(2))
        assert other.lines(1)


def test_a_system_without_handles_is_left_alone_for_a_moment(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    tries: list[float] = []

    class Full(socket.socket):
        def accept(self) -> Any:
            tries.append(now)
            if now < 1:
                raise OSError(errno.EMFILE, "Too many open files")
            return super().accept()

    monkeypatch.setattr(socket, "socket", Full)
    server = NativeServer(echo(), directory=str(directory), clock=lambda: now)
    server.follow()
    with server, Caller(server) as caller:
        server.poll(PATIENCE_SECONDS)
        assert server.next_tick_in() == NATIVE_LIMITS.accept_pause_seconds
        server.poll()
        server.poll()
        assert tries == [0.0], "it is not asked for again at once"
        now = NATIVE_LIMITS.accept_pause_seconds
        caller.send(INFO + b"\n")
        assert caller.lines(1)


def test_a_tick_within_an_action_does_nothing(directory: Path) -> None:
    seen: list[bool] = []

    def execute(*_: object) -> object:
        seen.append(made.poll())
        return {}

    made = serve(dispatcher_of(execute), directory=directory)
    with made, Caller(made) as caller:
        caller.send(call_of(1) + call_of(2))
        assert [answer["id"] for answer in caller.lines(2)] == [1, 2]
        assert seen == [False, False]


def test_each_connection_has_a_session_of_its_own(directory: Path) -> None:
    sessions: list[str] = []

    def execute(_action: str, _given: Any, context: Any) -> object:
        sessions.append(context.session)
        return {}

    with (
        serve(dispatcher_of(execute), directory=directory) as server,
        Caller(server) as one,
        Caller(server) as other,
    ):
        for caller in (one, other, one):
            caller.send(call_of(1))
            caller.lines(1)
    assert sessions == ["native-1", "native-2", "native-1"]
