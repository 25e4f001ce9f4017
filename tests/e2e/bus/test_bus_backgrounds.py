"""Backgrounds: resident, unseen, and without the keyboard."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Frame

from tests.e2e.support.bus_shell import APP, RAW, BusShell

START = """(entries) => {
  shell.told = [];
  shell.backgrounds = new shell.BackgroundFrames(document.body, shell.parts, (state) => {
    shell.told.push([state.app, state.state, state.reason]);
  });
  shell.backgrounds.sync(entries);
}"""


def entry(app: str, **more: str) -> dict[str, str]:
    return {
        "app": app,
        "version": "1",
        "installation": "here",
        "generation": "1",
        "url": APP,
        "mode": "sandboxed",
    } | more


def wait_for_endpoints(shell: BusShell, *apps: str) -> None:
    wanted = sorted(f"app:{app}:background" for app in apps)
    shell.page.wait_for_function(
        """(wanted) => JSON.stringify(shell.kernel.endpoints().map((one) => one.endpoint).sort())
          === JSON.stringify(wanted)""",
        arg=wanted,
    )


def background(shell: BusShell, app: str) -> Frame:
    handle = shell.page.locator(f"iframe[aria-label='{app}, in the background']").element_handle()
    frame = handle.content_frame()
    assert frame is not None
    return frame


def test_backgrounds_are_live_unseen_and_cannot_be_reached_by_keyboard(shell: BusShell) -> None:
    shell.run(START, [entry("notes"), entry("board")])
    wait_for_endpoints(shell, "notes", "board")
    assert shell.call("app:board:background", "echo", {"a": 1})["ok"] == {"a": 1}
    frame = shell.page.locator("iframe").first
    assert frame.is_visible() is False
    shell.page.locator("#press").focus()
    seen = set()
    for _ in range(6):
        shell.page.keyboard.press("Tab")
        seen.add(shell.run("() => document.activeElement.tagName"))
    assert "IFRAME" not in seen


TAKE_FOCUS = """() => {
  globalThis.keys = [];
  addEventListener("keydown", ({key}) => keys.push(key));
  const input = document.querySelector("input");
  const take = () => { window.focus(); input.focus(); };
  take();
  setInterval(take, 5);
}"""


def test_a_background_that_takes_the_keyboard_is_stopped_and_a_person_types_on(
    shell: BusShell, browser_name: str
) -> None:
    shell.run(START, [entry("notes"), entry("board", url=RAW)])
    wait_for_endpoints(shell, "notes", "board")
    # A frame that is seen can do it: the attack works where nothing stands against it.
    key = shell.mount(RAW, app="notes")
    shell.page.locator("#typed").click()
    shell.frame(key).evaluate(TAKE_FOCUS)
    shell.page.wait_for_function("() => document.activeElement.tagName === 'IFRAME'")
    shell.page.keyboard.type("seen")
    assert shell.frame(key).evaluate("() => keys.join('')") == "seen"
    shell.unmount(key)
    shell.page.locator("#typed").click()
    raw = background(shell, "board")
    raw.evaluate(f"() => void setTimeout({TAKE_FOCUS})")
    if browser_name == "chromium":
        shell.page.wait_for_function(
            """() => shell.told.some(([app, state, reason]) =>
              app === "board" && state === "gone" && reason.startsWith("it took the keyboard"))"""
        )
    else:
        # Firefox does not let a frame that is not seen have it in the first place.
        raw.wait_for_function("() => globalThis.keys !== undefined")
    shell.run("() => shell.pass(250)")
    shell.page.keyboard.type("secret")
    assert shell.page.locator("#typed").input_value() == "secret"
    assert "app:notes:background" in shell.endpoints()


CHANGES: list[tuple[str, str]] = [
    ("version", "2"),
    ("installation", "there"),
    ("generation", "2"),
    ("url", f"{APP}?other"),
    ("mode", "other"),
]


def test_a_change_of_what_a_background_is_loads_it_anew_and_no_other(shell: BusShell) -> None:
    shell.run(START, [entry("notes"), entry("board")])
    wait_for_endpoints(shell, "notes", "board")
    target = "app:notes:background"
    now: dict[str, Any] = {}
    for name, value in CHANGES:
        assert shell.call(target, "runs")["ok"] == {"runs": 1}
        assert shell.call("app:board:background", "runs")["ok"]["runs"] > len(now)
        shell.run(
            "(entries) => shell.backgrounds.sync(entries)", [entry("notes", **now), entry("board")]
        )
        assert shell.call(target, "runs")["ok"] == {"runs": 2}
        now[name] = value
        shell.run(
            "(entries) => shell.backgrounds.sync(entries)", [entry("notes", **now), entry("board")]
        )
        wait_for_endpoints(shell, "notes", "board")
    assert shell.call(target, "runs")["ok"] == {"runs": 1}
    assert shell.call("app:board:background", "runs")["ok"] == {"runs": len(CHANGES) + 1}


@pytest.mark.parametrize("way", ["sync([])", "clear()", "close()"])
def test_a_background_that_is_taken_away_ends_what_it_was_asked(shell: BusShell, way: str) -> None:
    shell.run(START, [entry("notes")])
    wait_for_endpoints(shell, "notes")
    shell.begin("app:notes:background")
    background(shell, "notes").wait_for_function("() => globalThis.waiting?.includes('begun')")
    shell.run(f"() => shell.backgrounds.{way}")
    assert shell.ended()["code"] == "ENDPOINT_GONE"
    assert shell.endpoints() == []
    assert shell.run("() => shell.holds().frames") == 0


def test_a_background_computes_in_a_worker_of_its_own(shell: BusShell) -> None:
    shell.run(START, [entry("notes")])
    wait_for_endpoints(shell, "notes")
    background(shell, "notes").evaluate(
        """() => {
          const source = "onmessage = ({data}) => postMessage({sum: data.reduce((a, b) => a + b)})";
          const worker = new Worker(URL.createObjectURL(new Blob([source])));
          bus.exposeTool("sum", {description: "Adds.", inputSchema: {type: "object"}}, ({of}) =>
            new Promise((resolve) => {
              worker.onmessage = ({data}) => resolve(data);
              worker.postMessage(of);
            }));
        }"""
    )
    assert shell.call("app:notes:background", "sum", {"of": [1, 2, 3]})["ok"] == {"sum": 6}
