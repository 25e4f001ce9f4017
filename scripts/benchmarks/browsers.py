"""The browsers of the benchmarks, driven by their own protocols and by nothing that listens along.

Playwright subscribes to a page's network events, which costs a polling page a third of its time:
what is measured here is watched by nobody. Every page has a window of its own, so that none is
hidden.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import aiohttp

from tests.e2e.support.browsers import CHROMIUM, CHROMIUM_ARGS, FIREFOX
from tests.e2e.support.raw_chromium import RawChromium, Tab
from tests.e2e.support.waiting import SECONDS, wait_until

__all__ = ["Browser", "Window", "running_browser"]

_LISTENS = re.compile(r"ws://127\.0\.0\.1:\d+")


class Window(Protocol):
    """One page."""

    def click(self, element_id: str) -> None:
        """Click as a person does."""

    def wait_for(self, expression: str) -> None:
        """Wait until an expression of the page is true."""

    def close(self) -> None:
        """Close it."""


class Browser(Protocol):
    """One running browser."""

    @property
    def version(self) -> str:
        """Its name and major version."""

    def open(self, url: str) -> Window:
        """Open a page in a window of its own."""


@contextmanager
def running_browser(name: str) -> Iterator[Browser]:
    """Run "chromium" or "firefox" without a window on the screen."""
    with tempfile.TemporaryDirectory() as profile:
        if name == "chromium":
            with RawChromium(CHROMIUM, CHROMIUM_ARGS, Path(profile)) as chromium:
                yield _Chromium(chromium)
        else:
            with _Firefox(Path(profile)) as firefox:
                yield firefox


class _ChromiumWindow(Tab):
    def __init__(self, chromium: RawChromium, target: str, session: str) -> None:
        super().__init__(chromium, session)
        self._target = target

    def close(self) -> None:
        self._chromium.send("Target.closeTarget", targetId=self._target)


class _Chromium:
    def __init__(self, chromium: RawChromium) -> None:
        self._chromium = chromium

    @property
    def version(self) -> str:
        product = self._chromium.send("Browser.getVersion")["product"]
        return f"Chromium {_major(product)}"

    def open(self, url: str) -> Window:
        made = self._chromium.send("Target.createTarget", url=url, newWindow=True)
        target = made["targetId"]
        attached = self._chromium.send("Target.attachToTarget", targetId=target, flatten=True)
        window = _ChromiumWindow(self._chromium, target, attached["sessionId"])
        window.wait_for("location.protocol === 'http:' && document.readyState === 'complete'")
        return window


class _FirefoxWindow:
    def __init__(self, firefox: _Firefox, context: str) -> None:
        self._firefox = firefox
        self._context = context

    def click(self, element_id: str) -> None:
        self._evaluate(f"document.getElementById({json.dumps(element_id)}).click()")

    def wait_for(self, expression: str) -> None:
        wait_until(lambda: self._evaluate(expression) is True, expression)

    def close(self) -> None:
        self._firefox.send("browsingContext.close", context=self._context)

    def _evaluate(self, expression: str) -> Any:  # noqa: ANN401 - whatever the page says
        answer = self._firefox.send(
            "script.evaluate",
            expression=expression,
            target={"context": self._context},
            awaitPromise=False,
            userActivation=True,
        )
        return answer["result"].get("value")


class _Firefox:
    """Firefox by WebDriver BiDi, subscribed to nothing. A context manager."""

    def __init__(self, profile: Path) -> None:
        self._profile = profile
        self._count = 0

    def __enter__(self) -> Self:
        command = [FIREFOX, "--headless", "--no-remote", "--remote-debugging-port", "0"]
        self._process = subprocess.Popen(
            [*command, "--profile", str(self._profile)],
            # It refuses a home of somebody else's.
            env={**os.environ, "HOME": str(self._profile)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self._process.stderr is not None
        found = next(filter(None, (_LISTENS.search(line) for line in self._process.stderr)), None)
        if found is None:
            raise RuntimeError("Firefox ended")
        self._log = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._log.start()
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(self._connect(f"{found[0]}/session"))
        self._about = self.send("session.new", capabilities={})["capabilities"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()
        self._process.terminate()
        self._process.wait(SECONDS)
        self._log.join(SECONDS)

    @property
    def version(self) -> str:
        return f"Firefox {_major(self._about['browserVersion'])}"

    def open(self, url: str) -> Window:
        context = self.send("browsingContext.create", type="window")["context"]
        self.send("browsingContext.navigate", context=context, url=url, wait="complete")
        return _FirefoxWindow(self, context)

    def send(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command and return its result."""
        return self._loop.run_until_complete(self._send(method, params))

    async def _connect(self, url: str) -> None:
        self._client = aiohttp.ClientSession()
        self._socket = await self._client.ws_connect(url, max_msg_size=0)

    async def _send(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        self._count += 1
        async with asyncio.timeout(SECONDS):
            await self._socket.send_json({"id": self._count, "method": method, "params": params})
            answer = await self._socket.receive_json()
            while answer.get("id") != self._count:
                answer = await self._socket.receive_json()
        if "result" not in answer:
            raise RuntimeError(json.dumps(answer))
        result: dict[str, Any] = answer["result"]
        return result


def _major(version: str) -> str:
    found = re.search(r"(\d+)\.", version)
    return found[1] if found else version
