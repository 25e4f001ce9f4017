"""What a forked child has of its parent's endpoint: nothing, so that it takes nothing from it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.client.bridge_failure import BridgeFailure
from bridge.client.native_connection import NativeConnection
from bridge.client.native_discovery import running_natives
from bridge.contract.error_codes import Outcome
from bridge.servers.native_server import NativeServer, serve
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import INFO, Caller, app_process, echo, short_directory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")

LIVES_ON = """
import os, signal
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.write(writing, b"x")
    signal.pause()
    os._exit(0)
os.read(reading, 1)
print(child, flush=True)
while True: server.poll(1.0)
"""


@pytest.fixture
def directory() -> Iterator[Path]:
    with short_directory() as path:
        yield path


@pytest.fixture
def server(directory: Path) -> Iterator[NativeServer]:
    with serve(echo(), "App", directory=directory) as served:
        yield served


def in_a_child(work: Callable[[], None]) -> int:
    """Run something in a forked child to its end, and return the child's status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_child_that_closes_its_copy_leaves_the_parent_its_callers(server: NativeServer) -> None:
    def closes() -> None:
        with server:
            server.poll()

    with Caller(server) as before:
        before.send(INFO + b"\n")
        assert before.lines(1)[0]["result"]["enabled"] is True

        assert in_a_child(closes) == 0

        before.send(INFO + b"\n")
        assert before.lines(1)[0]["id"] == 1
        with Caller(server) as after:
            after.send(INFO + b"\n")
            assert after.lines(1)[0]["id"] == 1


def test_a_child_serves_nobody_and_may_disable_its_copy(directory: Path) -> None:
    dispatcher = echo()
    with serve(dispatcher, "App", directory=directory) as server:

        def disables() -> None:
            assert server.closed
            assert not server.poll()
            assert server.path is None
            dispatcher.set_enabled(False)
            dispatcher.set_enabled(True)
            assert server.path is None

        assert in_a_child(disables) == 0
        assert server.path is not None
        assert server.path.exists()


def test_an_action_may_fork(directory: Path) -> None:
    dispatcher = echo()
    statuses: list[int] = []
    with serve(dispatcher, "App", directory=directory) as server, Caller(server) as caller:

        def forks(_action: str, given: object, _context: object) -> object:
            child = os.fork()
            if child:
                statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            return {"child": child}

        dispatcher.host.script = forks  # type: ignore[attr-defined]
        caller.send(
            b'{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"a"}}\n'
        )
        parent = os.getpid()
        try:
            server.poll(PATIENCE_SECONDS)
        finally:
            if os.getpid() != parent:
                # What the child gave was for nobody.
                os._exit(0 if server.closed else 1)
        [answer] = caller.lines(1)
        assert answer["result"]["output"]["child"] > 0
        assert statuses == [0]


def test_disabling_hangs_up_although_a_program_has_a_copy_of_the_handle(directory: Path) -> None:
    dispatcher = echo()
    with serve(dispatcher, "App", directory=directory) as server, Caller(server) as caller:
        caller.send(INFO + b"\n")
        caller.lines(1)
        copies = [os.dup(peer.socket.fileno()) for peer in server._peers]
        try:
            assert not caller.is_closed()
            dispatcher.set_enabled(False)
            assert caller.is_closed()
        finally:
            for copy in copies:
                os.close(copy)


def test_an_app_that_was_killed_is_gone_although_its_child_lives_on(directory: Path) -> None:
    with app_process("App", str(directory), then=LIVES_ON) as (app, path):
        assert app.stdout is not None
        child = int(app.stdout.readline())
        try:
            with NativeConnection(path) as connection:
                assert b'"result"' in (connection.call("", INFO) or b"")
                assert len(running_natives(directory)) == 1
                app.kill()
                app.wait(PATIENCE_SECONDS)

                assert running_natives(directory) == []
                with pytest.raises(BridgeFailure) as failure:
                    connection.call("", INFO)
                assert failure.value.outcome is Outcome.NOT_DELIVERED
        finally:
            os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="counts handles where the system shows them")
def test_a_thousand_connections_leave_no_handle_behind(server: NativeServer) -> None:
    def handles() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count

    before = handles()
    with Caller(server):
        server.poll(PATIENCE_SECONDS)
        assert handles() == before + 2
    for number in range(1_000):
        with Caller(server) as caller:
            caller.send((INFO + b"\n", b"\xff{{\n", INFO, b"")[number % 4])
            server.poll(PATIENCE_SECONDS)
    while server.connections:
        server.poll(PATIENCE_SECONDS)
    assert handles() == before
