"""Calling an app that is busy, while as many wait to be let in as the system lets wait."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.client import native_connection
from bridge.client.bridge_failure import DeadlineExceeded
from bridge.client.native_async_connection import AsyncNativeConnection
from bridge.client.native_connection import NativeConnection
from bridge.client.native_discovery import native_entries
from bridge.client.native_states import native_states
from bridge.contract.error_codes import Outcome
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import INFO, short_directory

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a full queue is a refusal"
)


class BusyApp:
    """Listens, and lets nobody in until it is told to."""

    def __init__(self, directory: Path) -> None:
        self.path = str(directory / "busy.1.01234567.sock")
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.path)
        self._listening.listen(1)
        self._waiting: list[socket.socket] = []
        self._answering: threading.Thread | None = None
        while self._dials():
            pass

    def _dials(self) -> bool:
        dialled = socket.socket(socket.AF_UNIX)
        dialled.setblocking(False)
        try:
            dialled.connect(self.path)
        except BlockingIOError:
            dialled.close()
            return False
        self._waiting.append(dialled)
        return True

    def wakes(self) -> None:
        """Let all in who wait, and answer whoever comes after them."""
        self._answering = threading.Thread(target=self._answer, daemon=True)
        self._answering.start()

    def _answer(self) -> None:
        for _ in self._waiting:
            self._listening.accept()[0].close()
        opened, _ = self._listening.accept()
        with opened:
            opened.recv(1_000)
            opened.sendall(b"{}\n")

    def stop(self) -> None:
        if self._answering is not None:
            self._answering.join(PATIENCE_SECONDS)
        for dialled in self._waiting:
            dialled.close()
        self._listening.close()


@pytest.fixture
def busy() -> Iterator[BusyApp]:
    with short_directory() as directory:
        app = BusyApp(directory)
        try:
            yield app
        finally:
            app.stop()


def test_a_caller_waits_to_be_let_in(busy: BusyApp, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []
    dials = native_connection.try_dial

    def try_dial(path: str) -> object:
        found = dials(path)
        if not tries:
            assert found is None, "the control: there was no room"
            busy.wakes()
        tries.append(path)
        return found

    monkeypatch.setattr(native_connection, "try_dial", try_dial)
    with NativeConnection(busy.path) as connection:
        assert connection.call("", INFO, PATIENCE_SECONDS) == b"{}"
    assert len(tries) > 1


def test_a_caller_who_is_never_let_in_has_sent_nothing(busy: BusyApp) -> None:
    with NativeConnection(busy.path) as connection, pytest.raises(DeadlineExceeded) as failure:
        connection.call("", INFO, 0.05)
    assert failure.value.outcome is Outcome.NOT_DELIVERED


async def test_a_loop_waits_for_it_as_well_and_goes_on_meanwhile(busy: BusyApp) -> None:
    loop = asyncio.get_running_loop()
    connection = AsyncNativeConnection(busy.path)
    with pytest.raises(DeadlineExceeded) as failure:
        await connection.respond("", INFO, None, loop.time() + 0.05)
    assert failure.value.outcome is Outcome.NOT_DELIVERED

    call = asyncio.create_task(connection.respond("", INFO, None, loop.time() + PATIENCE_SECONDS))
    await asyncio.sleep(0)
    busy.wakes()
    assert await call == b"{}"
    connection.close()


def test_a_list_tells_of_it(busy: BusyApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.client.native_states._PATIENCE_SECONDS", 0.05)
    [state] = native_states(native_entries(Path(busy.path).parent))
    assert (state.entry.slug, state.state) == ("busy", "silent")
