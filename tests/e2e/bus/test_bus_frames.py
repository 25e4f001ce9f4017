"""Frames on the bus: connected, called, lost and gone."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest
from aiohttp import web
from playwright.sync_api import Browser, Frame

from tests.e2e.support.bus_shell import APP, RAW, BusShell
from tests.e2e.support.waiting import wait_until

SECONDS_TO_NOTICE = 2
ENDLESS = """<!doctype html><p>It goes on</p><script>
parent.postMessage({bascule: "bus", version: 1, step: "ready", marker: "the next document"}, "*");
</script>"""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """Serve a page, and one that begins and never ends, from another origin; return its address."""

    async def page(_request: web.Request) -> web.Response:
        return web.Response(text="<p>Elsewhere</p>", content_type="text/html")

    stopped = asyncio.Event()

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        await response.write(ENDLESS.encode() + b" " * 4_096)
        await stopped.wait()
        return response

    async def serve() -> tuple[web.AppRunner, str]:
        app = web.Application()
        app.router.add_get("/page", page)
        app.router.add_get("/endless", endless)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner, f"http://127.0.0.1:{runner.addresses[0][1]}"

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner, address = asyncio.run_coroutine_threadsafe(serve(), loop).result(10)
    try:
        yield address
    finally:
        loop.call_soon_threadsafe(stopped.set)
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def hanging(shell: BusShell) -> str:
    """Mount a background whose tool was called and does not answer."""
    key = shell.mount(APP, app="notes", kind="background")
    frame = shell.frame(key)
    frame.wait_for_function("() => globalThis.waiting !== undefined")
    shell.begin("app:notes:background")
    frame.wait_for_function("() => waiting.includes('begun')")
    return key


def assert_gone(shell: BusShell, key: str) -> None:
    """See that the call ended in time, and that frame and endpoint are away."""
    shell.page.wait_for_function(
        "(key) => shell.state(key) === 'gone'", arg=key, timeout=SECONDS_TO_NOTICE * 1000
    )
    ended = shell.ended()
    assert ended["code"] == "ENDPOINT_GONE"
    assert "may have been done" in ended["message"] or "may have done" in ended["message"]
    assert shell.endpoints() == []
    assert shell.run("() => shell.holds().ports") == 0
    assert shell.run("(key) => document.getElementById(key)", key) is None


def test_frames_without_an_origin_connect_and_are_called(shell: BusShell) -> None:
    key = shell.mount(app="notes", kind="background")
    assert shell.frame(key).evaluate("() => origin") == "null"
    done = shell.call("app:notes:background", "echo", {"a": [1]})
    assert done["ok"] == {"a": [1]}
    tile = shell.frame(shell.mount(app="notes"))
    result = tile.evaluate(
        """() => bus.callTool({target: "app:notes:background", name: "echo", arguments: {b: 2}})"""
    )
    assert result == {"b": 2}


def test_a_frame_has_no_power_of_a_page(shell: BusShell) -> None:
    frame = shell.frame(shell.mount(app="notes"))
    refused = frame.evaluate(
        """async () => {
          const tried = {
            storage: () => localStorage.length,
            cookies: () => document.cookie,
            database: () => new Promise((resolve, reject) => {
              const asked = indexedDB.open("x");
              asked.onsuccess = resolve;
              asked.onerror = () => reject(asked.error);
            }),
            page: () => parent.document.title,
            sibling: () => parent.shell.kernel,
            popup: () => { if (open("about:blank") === null) throw new Error("no popup"); },
            top: () => { top.location.href = "about:blank"; },
            network: () => fetch("./app.html"),
          };
          const refused = [];
          for (const [name, attempt] of Object.entries(tried)) {
            try { await attempt(); } catch { refused.push(name); }
          }
          return refused;
        }"""
    )
    wanted = {"storage", "cookies", "database", "page", "sibling", "popup", "top", "network"}
    # A navigation of the whole page may be refused without a word: it is still there.
    assert wanted - set(refused) <= {"top"}
    assert shell.page.title() == "Shell"


ELSEWHERE = ["page", "far page", "endless", "unreachable", "reload", "data"]


def leave(shell: BusShell, key: str, way: str, elsewhere: str) -> None:
    where = {
        "page": "./raw.html",
        "far page": f"{elsewhere}/page",
        "endless": f"{elsewhere}/endless",
        "unreachable": "http://127.0.0.1:59999/",
        "reload": None,
        "data": "data:text/html,hello",
    }[way]
    shell.frame(key).evaluate(
        """(where) => void setTimeout(() => {
          if (where === null) location.reload();
          else location.href = where;
        })""",
        where,
    )


@pytest.mark.parametrize("way", ELSEWHERE)
def test_a_frame_that_goes_elsewhere_loses_its_port_and_what_it_was_asked_ends(
    lenient_shell: BusShell, elsewhere: str, way: str
) -> None:
    key = hanging(lenient_shell)
    leave(lenient_shell, key, way, elsewhere)
    assert_gone(lenient_shell, key)


@pytest.mark.parametrize("way", ["page", "far page", "reload"])
def test_a_frame_that_does_not_say_that_it_leaves_is_missed_too(
    lenient_shell: BusShell, elsewhere: str, way: str
) -> None:
    shell = lenient_shell
    key = shell.mount(RAW, app="notes", kind="background")
    shell.begin("app:notes:background", "work")
    frame = shell.frame(key)
    invoked = "({payload}) => payload?.action === 'tools.invoke'"
    frame.wait_for_function(f"() => raw.received.some({invoked})")
    leave(shell, key, way, elsewhere)
    assert_gone(shell, key)


def test_the_next_document_of_a_frame_gets_no_port_until_it_is_mounted_again(
    lenient_shell: BusShell, elsewhere: str
) -> None:
    # It leaves without a word, for a page that says that it is ready and never finishes loading: no
    # event tells of it.
    shell = lenient_shell
    key = shell.mount(RAW, app="notes", kind="background")
    shell.begin("app:notes:background", "work")
    shell.frame(key).wait_for_function("() => raw.received.length > 1")
    leave(shell, key, "endless", elsewhere)
    shell.wait_until_heard("the next document")
    assert shell.run("() => shell.held.ports") == 1
    for _ in range(5):
        shell.run("() => shell.pass(5_000)")
    assert shell.run("() => shell.kernel.endpoints()[0].state") == "not-responding"
    shell.unmount(key)
    assert_gone(shell, key)
    shell.mount(APP, app="notes", kind="background")
    assert shell.endpoints() == ["app:notes:background"]
    assert shell.call("app:notes:background", "echo", {"a": 1})["ok"] == {"a": 1}


def test_moving_about_within_a_document_is_no_other_document(shell: BusShell) -> None:
    key = shell.mount(APP, app="notes", kind="background")
    shell.frame(key).evaluate(
        """async () => {
          const moved = new Promise((resolve) => addEventListener("hashchange", resolve));
          location.hash = "#elsewhere";
          await moved;
          history.pushState(null, "", "#further");
        }"""
    )
    assert shell.call("app:notes:background", "echo", {"a": 1})["ok"] == {"a": 1}
    assert shell.run("(key) => shell.state(key)", key) == "connected"


REMOVALS = {
    "removed": "(key) => document.getElementById(key).remove()",
    "removed with what is around it": """(key) => {
      const around = document.createElement("div");
      around.append(...document.querySelectorAll("label, button, output"));
      document.querySelector("main").remove();
      document.body.append(around);
    }""",
    "moved": "(key) => document.body.prepend(document.getElementById(key))",
    "unmounted": "(key) => shell.unmount(key)",
    "replaced by text": "(key) => { document.querySelector('main').textContent = 'gone'; }",
}


@pytest.mark.parametrize("way", REMOVALS)
def test_a_frame_that_is_taken_away_ends_what_it_was_asked(shell: BusShell, way: str) -> None:
    shell.run(
        """() => {
          const main = document.createElement("main");
          document.body.append(main);
          shell.mountIn = main;
        }"""
    )
    key = hanging(shell)
    shell.run(REMOVALS[way], key)
    assert_gone(shell, key)


def test_a_frame_in_a_shadow_tree_that_is_taken_away_is_missed(shell: BusShell) -> None:
    shell.run(
        """() => {
          const host = document.createElement("section");
          document.body.append(host);
          shell.mountIn = host.attachShadow({mode: "open"});
          shell.host = host;
        }"""
    )
    key = shell.mount(APP, app="notes", kind="background")
    shell.begin("app:notes:background")
    shell.run("() => shell.host.remove()")
    assert_gone(shell, key)


def test_a_locked_workspace_has_no_live_frame_and_lets_none_in(shell: BusShell) -> None:
    key = hanging(shell)
    shell.run("() => shell.kernel.lock()")
    shell.wait_for_state(key, "gone")
    assert shell.ended()["code"] == "LOCKED"
    assert shell.endpoints() == []
    refused = shell.mount(APP, app="notes", kind="background", state="gone")
    assert "locked" in shell.reason(refused)
    shell.run("() => shell.kernel.unlock()")
    shell.mount(APP, app="notes", kind="background")
    assert shell.endpoints() == ["app:notes:background"]


def test_a_page_that_asks_for_no_port_is_silent_after_fifteen_seconds(shell: BusShell) -> None:
    key = shell.mount(f"{RAW}#quiet", app="notes", state="loading")
    frame = shell.frame(key)
    frame.wait_for_function("() => globalThis.raw?.nonce")
    shell.run("() => shell.pass(14_000)")
    assert shell.run("(key) => shell.state(key)", key) == "loading"
    shell.run("() => shell.pass(1_000)")
    shell.wait_for_state(key, "silent")
    frame.evaluate(
        """() => {
          parent.postMessage({bascule: "bus", version: 1, step: "ready", nonce: raw.nonce}, "*");
          parent.postMessage({marker: "too late"}, "*");
        }"""
    )
    shell.wait_until_heard("too late")
    assert shell.endpoints() == []


def test_a_frame_that_hangs_is_shown_and_its_calls_end_by_their_own_time_out(
    shell: BusShell,
) -> None:
    key = shell.mount(RAW, app="notes", kind="background")
    frame = shell.frame(key)
    frame.evaluate("() => { raw.kept = raw.answers; raw.answers = {}; }")
    shell.begin("app:notes:background", "work")
    states = "() => shell.kernel.endpoints().map(({state}) => state)"
    for _ in range(4):
        shell.run("() => shell.pass(5_000)")
        frame.wait_for_function("() => raw.received.length > 0")
    shell.page.wait_for_function(f"() => ({states})()[0] === 'not-responding'")
    assert shell.run("(key) => shell.state(key)", key) == "connected"
    shell.run("() => shell.pass(60_000)")
    assert shell.ended()["code"] == "TIMEOUT"
    # It comes to itself, and is live again.
    frame.evaluate(
        """() => {
          raw.answers = raw.kept;
          for (const {id, payload} of raw.received) {
            if (payload?.action === "ping") raw.send({type: "response", id, ok: {}});
          }
        }"""
    )
    shell.page.wait_for_function(f"() => ({states})()[0] === 'live'")


def cpu_times(browser: Browser) -> dict[int, float]:
    """Return how long each process that renders has worked."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return {int(one["id"]): one["cpuTime"] for one in processes if one["type"] == "renderer"}


def process_of(browser: Browser, frame: Frame) -> int:
    """Find a frame's process: the one that works when the frame does."""
    before = cpu_times(browser)
    frame.evaluate(
        "() => { const end = performance.now() + 1_000; while (performance.now() < end); }"
    )
    after = cpu_times(browser)
    return max(after, key=lambda process: after[process] - before.get(process, 0.0))


def test_a_frame_whose_process_dies_is_shown_as_not_responding(
    shell: BusShell, browser: Browser, browser_name: str
) -> None:
    if browser_name != "chromium":
        pytest.skip("only Chromium gives frames without an origin a process of their own")
    key = hanging(shell)
    process = process_of(browser, shell.frame(key))
    os.kill(process, signal.SIGKILL)
    wait_until(lambda: process not in cpu_times(browser), "the end of the frame's process")
    for _ in range(5):
        shell.run("() => shell.pass(5_000)")
    assert shell.run("() => shell.kernel.endpoints()[0].state") == "not-responding"
    shell.run("() => shell.pass(60_000)")
    assert shell.ended()["code"] == "TIMEOUT"
    shell.press()
    shell.unmount(key)
    shell.mount(APP, app="notes", kind="background")
    assert shell.call("app:notes:background", "echo", {"a": 1})["ok"] == {"a": 1}


def test_a_thousand_mounts_and_unmounts_leave_no_port_listener_or_timer(shell: BusShell) -> None:
    holds = "() => shell.holds()"
    before = shell.run(holds)
    shell.mount(APP)
    assert shell.run(holds) != before
    shell.run("() => { for (const [key] of shell.frames) shell.unmount(key); }")
    connected = shell.run(
        """async () => {
          const next = () => new Promise((resolve) => setTimeout(resolve));
          const life = async (each) => {
            const key = shell.mount("./apps/raw.html");
            // Some go before they have loaded, some when they have, and most when they are there.
            const {frame, element} = shell.frames.get(key);
            const loaded = new Promise((resolve) => { element.onload = resolve; });
            if (each % 10 > 0) await loaded;
            if (each % 10 > 1) while (frame.state === "loading") await next();
            const connected = frame.state === "connected";
            frame.unmount();
            shell.frames.delete(key);
            return Number(connected);
          };
          let connected = 0;
          for (let batch = 0; batch < 1_000; batch += 20) {
            const lives = Array.from({length: 20}, (_, each) => life(batch + each));
            for (const lived of await Promise.all(lives)) connected += lived;
          }
          return connected;
        }"""
    )
    assert connected >= 800
    assert shell.run(holds) == before
