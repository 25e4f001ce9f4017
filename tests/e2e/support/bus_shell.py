"""A page with the bus's kernel and real frames, as a test drives it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Frame, Page, expect

APP = "./apps/app.html"
RAW = "./apps/raw.html"


class BusShell:
    """The trusted page: mounts frames, calls their tools, and tells what reached it."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        page.goto(f"{origin}/probe/bus/shell.html")
        page.wait_for_function("() => globalThis.shell !== undefined")

    def run(self, script: str, argument: Any = None) -> Any:
        """Run a function in the trusted page."""
        return self.page.evaluate(script, argument)

    def mount(
        self, url: str = APP, *, app: str = "notes", kind: str = "tile", state: str = "connected"
    ) -> str:
        """Mount a frame and wait until it is so far; return its key."""
        key = str(
            self.run("([url, of]) => shell.mount(url, of)", [url, {"app": app, "kind": kind}])
        )
        self.wait_for_state(key, state)
        return key

    def wait_for_state(self, key: str, state: str) -> None:
        self.page.wait_for_function(
            "([key, state]) => shell.state(key) === state", arg=[key, state], timeout=20_000
        )

    def unmount(self, key: str) -> None:
        self.run("(key) => shell.unmount(key)", key)

    def reason(self, key: str) -> str:
        return str(self.run("(key) => shell.states(key).at(-1)[1]", key))

    def endpoint(self, key: str) -> str:
        return str(self.run("(key) => shell.endpoint(key)", key))

    def frame(self, key: str) -> Frame:
        """Return the frame itself, in which a test may run what it likes."""
        handle = self.page.locator(f"#{key}").element_handle()
        frame = handle.content_frame()
        assert frame is not None
        return frame

    def endpoints(self) -> list[str]:
        return list(self.run("() => shell.kernel.endpoints().map(({endpoint}) => endpoint)"))

    def call(self, target: str, name: str, given: Any = None, **more: Any) -> Any:
        """Call a tool for the page itself; return its result or error, and how long it took."""
        request = {"target": target, "name": name, "arguments": given or {}, **more}
        return self.run("(request) => shell.call(request)", request)

    def begin(self, target: str, name: str = "hang") -> None:
        """Begin a call without waiting for its end, which `ended` does."""
        self.run(
            "(request) => void (shell.last = shell.call(request))",
            {"target": target, "name": name, "timeoutSeconds": 60},
        )

    def ended(self) -> Any:
        return self.run("() => shell.last")

    def heard(self, marker: str) -> list[Any]:
        """Return the window messages with a marker that have reached the trusted page."""
        found = "(marker) => shell.heard.filter(({data}) => data?.marker === marker)"
        return list(self.run(found, marker))

    def wait_until_heard(self, marker: str) -> None:
        """Wait for the control of an attack: without it nothing would be proved."""
        self.page.wait_for_function(
            "(marker) => shell.heard.some(({data}) => data?.marker === marker)", arg=marker
        )

    def press(self) -> None:
        """See that the page still takes a click."""
        before = int(self.page.locator("#pressed").inner_text())
        self.page.locator("#press").click()
        expect(self.page.locator("#pressed")).to_have_text(str(before + 1))
