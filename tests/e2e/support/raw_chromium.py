"""Chromium by its own protocol, without Playwright: whose pages always count as visible."""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp

from tests.e2e.support.waiting import SECONDS, wait_until


class RawChromium:
    """A headless browser with a debugging pipe of its own. A context manager."""

    def __init__(self, executable: str, args: list[str], profile: Path) -> None:
        self._command = [
            executable,
            *args,
            "--headless=new",
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        self._port_file = profile / "DevToolsActivePort"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(self._has_started, "Chromium")
        self._port, path = self._port_file.read_text().split("\n")[:2]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._count = 0
        self._run(self._connect(path))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._run(self._close())
        self._process.terminate()
        self._process.wait(SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(SECONDS)
        self._loop.close()

    def _has_started(self) -> bool:
        return self._port_file.exists() and "\n" in self._port_file.read_text()

    def open(self, url: str) -> Tab:
        """Open a tab in front of the others."""
        target = self.send("Target.createTarget", url=url)["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Target.activateTarget", targetId=target)
        return Tab(self, session)

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        result: dict[str, Any] = self._run(self._send(method, session, params))
        return result

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(SECONDS)

    async def _connect(self, path: str) -> None:
        self._client = aiohttp.ClientSession()
        self._socket = await self._client.ws_connect(
            f"ws://127.0.0.1:{self._port}{path}", max_msg_size=0
        )
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            data = json.loads(message.data)
            future = self._pending.pop(data.get("id", 0), None)
            if future is not None and not future.done():
                future.set_result(data)

    async def _send(
        self, method: str, session: str | None, params: dict[str, Any]
    ) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        future = self._pending[self._count] = self._loop.create_future()
        await self._socket.send_json(message)
        answer = await future
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def _close(self) -> None:
        await self._socket.close()
        await self._reader
        await self._client.close()


class Tab:
    """One tab."""

    def __init__(self, chromium: RawChromium, session: str) -> None:
        self._chromium = chromium
        self._session = session

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self._chromium.send(method, self._session, **params)

    def evaluate(self, expression: str) -> Any:
        return self.send("Runtime.evaluate", expression=expression)["result"].get("value")

    def wait_for(self, expression: str) -> None:
        wait_until(lambda: self.evaluate(expression) is True, expression)

    def click(self, element_id: str) -> None:
        """Click like a mouse does: a trusted event, with user activation."""
        box = (
            f"JSON.stringify(document.getElementById({json.dumps(element_id)})"
            ".getBoundingClientRect())"
        )
        place = json.loads(self.evaluate(box))
        at = {"x": place["x"] + place["width"] / 2, "y": place["y"] + place["height"] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)
