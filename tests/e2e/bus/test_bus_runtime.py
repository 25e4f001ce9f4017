"""The runtime in frames: its whole suite, and what only a frame has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.bus_shell import APP, BusShell
from tests.e2e.support.page_server import serve_pages

SUITE = Path(__file__).parents[2] / "javascript" / "app"


@pytest.fixture(scope="module")
def suite_pages() -> Iterator[StaticPages]:
    with serve_pages(mounts={"/suite": SUITE}) as served:
        yield served


def test_the_suite_of_the_runtime_passes_in_frames(page: Page, suite_pages: StaticPages) -> None:
    shell = BusShell(page, suite_pages.origin)
    shell.run(
        """async () => {
          const frame = document.createElement("iframe");
          frame.setAttribute("sandbox", "allow-scripts");
          frame.id = "suite";
          frame.src = "./apps/suite.html";
          document.body.prepend(frame);
          const keys = new Map();
          addEventListener("message", ({data, source}) => {
            if (source !== frame.contentWindow) return;
            const {suite, hash, app, kind} = data;
            if (suite === "mount") {
              keys.set(hash, shell.mount(`./apps/relay.html${hash}`, {app, kind}));
            } else if (suite === "unmount") {
              shell.unmount(keys.get(hash));
              frame.contentWindow.postMessage({unmounted: hash}, "*");
            }
          });
          await new Promise((resolve) => { frame.onload = resolve; });
        }"""
    )
    frame = shell.frame("suite")
    frame.wait_for_function("() => globalThis.runAll !== undefined")
    assert frame.evaluate("() => origin") == "null"
    ended = frame.evaluate("() => runAll()")
    assert len(ended) > 20
    assert [(name, how) for name, how in ended if how != "passed"] == []
    holds = shell.run("() => shell.holds()")
    assert (holds["ports"], holds["frames"], holds["calls"]) == (0, 1, 0)


def test_what_an_app_exports_works_as_one_module_in_its_frame(shell: BusShell) -> None:
    background = shell.frame(shell.mount(APP, app="notes", kind="background"))
    background.evaluate(
        """() => {
          bus.exposeTool("add", {
            description: "Adds a note.",
            inputSchema: {type: "object", required: ["text"],
              properties: {text: {type: "string"}}, additionalProperties: false},
            outputSchema: {type: "object", required: ["count"]},
            annotations: {"bascule:attachments": {api: 1}},
          }, ({text}, {reportProgress, attachment, replyAttachment}) => {
            reportProgress({half: text});
            if (attachment) replyAttachment(attachment.slice(0, 2));
            return {count: text.length};
          });
        }"""
    )
    tile = shell.frame(shell.mount(APP, app="notes"))
    done = tile.evaluate(
        """async () => {
          const client = bus.createMsgBusClient();
          const target = "app:notes:background";
          const progress = [];
          const changes = [];
          bus.onAppStateChange("notes", (change) => changes.push(change));
          const buffer = new Uint8Array([7, 8, 9]).buffer;
          const {result, attachment} = await client.callToolWithAttachment(
            {target, name: "add", arguments: {text: "abc"}, attachment: buffer},
            {timeout: 20, onProgress: (value) => progress.push(value)});
          return {
            apps: (await client.listApps()).map(({id}) => id),
            endpoints: (await client.listEndpoints()).length,
            tools: (await client.listTools(target)).map(({name}) => name),
            result, progress, bytes: [...new Uint8Array(attachment)], sent: buffer.byteLength,
            error: await bus.callTool({target, name: "add", arguments: {}}).catch((error) =>
              [error instanceof bus.BusError, error.code, error.data.errors[0].path]),
          };
        }"""
    )
    assert done == {
        "apps": ["notes", "board"],
        "endpoints": 2,
        "tools": ["echo", "runs", "hang", "add"],
        "result": {"count": 3},
        "progress": [{"half": "abc"}],
        "bytes": [7, 8],
        "sent": 0,
        "error": [True, "INVALID_INPUT", ""],
    }
    tile.evaluate("() => bus.onAppStateChange('notes', (change) => { globalThis.told = change; })")
    background.evaluate("() => bus.publishAppStateChange('notes', 3)")
    tile.wait_for_function("() => globalThis.told !== undefined")
    assert tile.evaluate("() => told") == {"topic": "notes", "revision": 3}


def test_a_call_made_before_there_is_a_port_waits_for_it(shell: BusShell) -> None:
    shell.mount(APP, app="notes", kind="background")
    early = shell.mount(f"{APP}?early", app="notes")
    frame = shell.frame(early)
    frame.wait_for_function("() => globalThis.early !== undefined")
    assert frame.evaluate("() => early") == {"connected": False, "result": {"early": True}}
