"""A page as Playwright shows one, without a browser: it attaches, answers and leaves over HTTP.

Needs nothing of these tests, so that tests of tests can take it along as a file.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import http.client
import json
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit


class BrowserPage:
    """What Playwright's synchronous page has, as far as it is used here."""

    def __init__(self, *, panel: bool = False, refuses: str | None = None) -> None:
        self.visited: list[str] = []
        self.panel = panel
        self.refuses = refuses
        """What the page says in place of attaching."""
        self.message = ""
        self.link: dict[str, str] | None = None
        self.channel: object = None
        self.notes: list[str] = []
        self.closed = False
        self._client = ""
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    # What a test does with a page.

    def goto(self, url: str) -> None:
        self.visited.append(url.partition("#")[0])
        if url == "about:blank":
            self.leave()
        elif "#bascule=" in url:
            encoded = url.partition("#bascule=")[2]
            padded = encoded + "=" * (-len(encoded) % 4)
            origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
            self.link = json.loads(base64.urlsafe_b64decode(padded)) | {"origin": origin}

    def is_closed(self) -> bool:
        return self.closed

    def wait_for_timeout(self, milliseconds: float) -> None:
        threading.Event().wait(milliseconds / 1000)

    def get_by_role(self, role: str, *, name: str, **_: Any) -> BrowserElement:
        return BrowserElement(self, name)

    def locator(self, selector: str) -> BrowserElement:
        return BrowserElement(self, selector)

    # What the page's own script does.

    def attach(self) -> None:
        if self.refuses is not None:
            self.message = self.refuses
            return
        answer = self._ask("POST", "/connect", {"app": "Scripted"})
        self._client, self.channel = answer["client"], answer.get("channel")
        self._stopping.clear()
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def leave(self) -> None:
        if not self._client:
            return
        self._stopping.set()
        with contextlib.suppress(OSError, KeyError, ValueError):
            self._ask("POST", "/disconnect", {"client": self._client})
        if self._thread is not None:
            self._thread.join(10)
        self._client = ""

    def close(self) -> None:
        self.leave()
        self.closed = True

    def _poll(self) -> None:
        ack = 0
        with contextlib.suppress(OSError, KeyError, ValueError):
            while not self._stopping.is_set():
                path = f"/poll?client={self._client}"
                for item in self._ask("GET", path, None, {"Bascule-Ack": str(ack)})["requests"]:
                    ack = max(ack, item["seq"])
                    result = {"client": self._client, "id": item["id"]}
                    self._ask("POST", "/result", result | {"response": self._respond(item)})

    def _respond(self, item: dict[str, Any]) -> Any:
        request = item.get("request")
        if request is None:
            return None
        params = request.get("params", {})
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] == "actions/describe":
            return response | {"result": {"action": {}, "revision": len(self.notes)}}
        if request["method"] == "state/inspect":
            return response | {"result": {"notes": self.notes}}
        if params.get("action") != "note.add":
            data = {"code": "UNKNOWN_ACTION"}
            return response | {"error": {"code": 1002, "message": "No such.", "data": data}}
        self.notes.append(params["input"]["text"])
        return response | {"result": {"status": "completed", "output": len(self.notes)}}

    def _ask(self, method: str, path: str, body: Any, more: dict[str, str] | None = None) -> Any:
        link = self.link or {}
        connection = http.client.HTTPConnection(urlsplit(link["url"]).netloc, timeout=30)
        headers = {"Authorization": f"Bearer {link['token']}", "Origin": link["origin"]}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, path, data, headers | (more or {}))
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


class BrowserElement:
    """A locator: of the button Attach, of the panel and its button, of the message."""

    def __init__(self, page: BrowserPage, name: str) -> None:
        self._page = page
        self._name = name

    @property
    def first(self) -> BrowserElement:
        return self

    def get_by_role(self, role: str, *, name: str, **_: Any) -> BrowserElement:
        return BrowserElement(self._page, f"{self._name} {name}")

    def count(self) -> int:
        if self._name.startswith("bascule-panel"):
            return int(self._page.panel)
        return int(self._name != "#bascule-message" or bool(self._page.message))

    def click(self) -> None:
        if self._name == "Attach":
            self._page.attach()

    def dispatch_event(self, kind: str) -> None:
        if (self._name, kind) == ("bascule-panel Detach", "click"):
            self._page.leave()

    def text_content(self) -> str:
        return self._page.message


class AsyncBrowserPage:
    """The same page by Playwright's asynchronous interface."""

    def __init__(self, **given: Any) -> None:
        self.page = BrowserPage(**given)

    async def goto(self, url: str) -> None:
        await asyncio.to_thread(self.page.goto, url)

    async def wait_for_timeout(self, milliseconds: float) -> None:
        await asyncio.sleep(milliseconds / 1000)

    def is_closed(self) -> bool:
        return self.page.closed

    def get_by_role(self, role: str, **given: Any) -> AsyncBrowserElement:
        return AsyncBrowserElement(self.page.get_by_role(role, **given))

    def locator(self, selector: str) -> AsyncBrowserElement:
        return AsyncBrowserElement(self.page.locator(selector))


class AsyncBrowserElement:
    def __init__(self, element: BrowserElement) -> None:
        self._element = element

    @property
    def first(self) -> AsyncBrowserElement:
        return self

    def get_by_role(self, role: str, **given: Any) -> AsyncBrowserElement:
        return AsyncBrowserElement(self._element.get_by_role(role, **given))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._element, name)
        return lambda *given: asyncio.to_thread(method, *given)
