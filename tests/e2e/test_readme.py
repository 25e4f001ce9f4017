"""README's blocks, taken out of it and run as they stand, in an empty directory."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.browsers import launch_options
from tests.e2e.support.bus_shell import BusShell
from tests.e2e.support.let_in import EVERY_APP
from tests.e2e.support.owner_dialog import allow
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import BASCULE, ROOT, RealBridge, environment, run_bridge
from tests.e2e.support.terminal import run_in_terminal
from tests.e2e.support.waiting import wait_until

README = (ROOT / "README.md").read_text(encoding="utf-8")
RECORDING = re.compile(
    r"<!-- recording -->\n```text\n(.*?)```\n<!-- end of recording -->", re.DOTALL
)
COLUMNS = 110
APP = {"index.html", "app.js", "count.py", "test_counter.py"}
"""The files of the example of an app."""
NATIVE = {"notes.py", "notes_headless.py"}
BUS = {"todo_background.js", "todo_tile.js"}
AUTHORS = {"planner.js", "planner.test.js", "counter_backend.js"}
"""What authors of apps and pages write and test without a browser."""
NOT_RUN_HERE = {
    "scripts/demo": "what it prints and shows is tested with the demo",
    "scripts/setup ": "the package that it makes is tested with the packages",
    "# A package of tools": "it is a file of the tests of `bascule tools`, word for word",
}
"""Blocks of shell that these tests leave to others, by how they begin."""


class Block(NamedTuple):
    language: str
    name: str | None
    """The file that it is, where the line before says so."""
    text: str


def blocks() -> list[Block]:
    pattern = r"(?:^`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```"
    found = re.finditer(pattern, README, re.DOTALL | re.MULTILINE)
    return [Block(match[2], match[1], match[3]) for match in found]


def shell() -> list[str]:
    """Return the blocks of shell that are run here, in order."""
    texts = [block.text for block in blocks() if block.language == "sh"]
    return [text for text in texts if not text.startswith(tuple(NOT_RUN_HERE))]


def run(text: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        ["bash", "-ec", text],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (text, done.stdout, done.stderr)
    return done


@pytest.fixture
def newcomer(tmp_path: Path, runtime: Path) -> dict[str, str]:
    """Return the environment of somebody who has installed Bascule, and a free port for the app."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in (("bascule", BASCULE), ("python", [sys.executable])):
        program = programs / name
        program.write_text('#!/bin/sh\nexec {} "$@"\n'.format(" ".join(arguments)))
        program.chmod(0o755)
    # No browser is to be opened on the machine that tests.
    return environment(
        runtime, PATH=f"{programs}:{os.environ['PATH']}", BROWSER="true %s", PYTHONSAFEPATH="1"
    )


@contextmanager
def left_running(text: str, folder: Path, env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run a block whose last command runs until Ctrl-C, as it does for its reader."""
    process = subprocess.Popen(
        ["bash", "-ec", text],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)
        assert process.stderr is not None
        process.stderr.close()


def attach_link(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if "#bascule=" in line:
            return line.strip()
    raise AssertionError("the bridge printed no link")


def free_port() -> int:
    with socket.socket() as probing:
        probing.bind(("127.0.0.1", 0))
        return int(probing.getsockname()[1])


def accepts(port: int) -> bool:
    with socket.socket() as probing:
        return probing.connect_ex(("127.0.0.1", port)) == 0


def test_the_example_of_an_app_works_from_assets_to_tests(
    page: Page, tmp_path: Path, newcomer: dict[str, str], browser_name: str
) -> None:
    app = tmp_path / "app"
    app.mkdir()
    named = {block.name: block.text for block in blocks() if block.name is not None}
    assert set(named) == APP | NATIVE | BUS | AUTHORS
    port = free_port()

    def here(text: str) -> str:
        return text.replace("8765", str(port))

    for name in APP:
        (app / name).write_text(here(named[name]), encoding="utf-8")
    assets, serve, calls, test = [here(text) for text in shell()[:4]]
    run(assets, app, newcomer)
    with left_running(serve, app, newcomer) as serving:
        link = attach_link(serving)
        # A person is slower than the app's own server, which starts beside the bridge.
        wait_until(lambda: accepts(port), "the app is not served")
        page.goto(link)
        page.get_by_role("button", name="Attach", exact=True).click()
        expect(page.locator("#bascule-state")).to_have_text("attached")
        run(calls, app, newcomer)
        expect(page.locator("#count")).to_have_text("2")
        counted = run("python count.py", app, newcomer)
        assert counted.stdout == "5 5\nINVALID_INPUT None\n"
        page.get_by_role("button", name="Detach", exact=True).click()
        # What the reader's own browser needs no word for.
        options = launch_options(browser_name, str(tmp_path / "home"))
        (tmp_path / "home").mkdir()
        (app / "conftest.py").write_text(
            "import pytest\n@pytest.fixture(scope='session')\ndef browser_type_launch_args():\n"
            f"    return {options!r}\n"
        )
        # The app's own server listens by now, and only the tests' bridge is new.
        done = run(f"{test.rstrip()} --browser {browser_name} -p no:cacheprovider", app, newcomer)
        assert "1 passed" in done.stdout


def test_the_native_app_is_called_by_the_same_words(
    tmp_path: Path, newcomer: dict[str, str]
) -> None:
    text = next(block.text for block in blocks() if block.name == "notes.py")
    (tmp_path / "notes.py").write_text(text, encoding="utf-8")
    serve, calls = shell()[4:6]
    with left_running(serve, tmp_path, newcomer):
        listening = ["bash", "-ec", "bascule actions notes"]
        wait_until(
            lambda: (
                subprocess.call(
                    listening, env=newcomer, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                == 0
            ),
            "the app",
        )
        done = run(calls, tmp_path, newcomer)
    assert done.stdout.splitlines()[-2:] == ['{"text": "Hello"}'] * 2


def test_the_native_app_runs_headless_in_both_protocols(
    tmp_path: Path, newcomer: dict[str, str]
) -> None:
    for block in blocks():
        if block.name in NATIVE:
            (tmp_path / str(block.name)).write_text(block.text, encoding="utf-8")
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    arguments = {"action": "note.set", "input": {"text": "Hello"}, "expectedRevision": 0}
    call = {"name": "actions_execute", "arguments": arguments, "_meta": meta}
    for protocol, method, params in (
        ("json", "actions/execute", arguments),
        ("mcp", "tools/call", call),
    ):
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        # Its own folder is where a program's modules are looked for, unless that is unsafe.
        env = {name: value for name, value in newcomer.items() if name != "PYTHONSAFEPATH"}
        command = f"bascule headless python notes_headless.py --protocol {protocol} <<< '{line}'"
        result = json.loads(run(command, tmp_path, env).stdout)["result"]
        told = result["structuredContent"] if protocol == "mcp" else result
        assert told["output"] == {"text": "Hello"}


def test_the_configurations_of_mcp_clients_are_what_is_printed(
    tmp_path: Path, newcomer: dict[str, str]
) -> None:
    shown = re.findall(
        r"\(`bascule mcp-config ([a-z-]+)[^)]*\)(?:(?!mcp-config).)*?```(json|toml)\n(.*?)```",
        README,
        re.DOTALL,
    )
    assert {client for client, _, _ in shown} == {
        "claude-code",
        "claude-desktop",
        "vscode",
        "codex",
    }
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    for client, language, text in shown:
        printed = run(
            f"bascule mcp-config {client}", tmp_path, {**newcomer, "XDG_RUNTIME_DIR": str(folder)}
        ).stdout
        program = re.search(r'command"?(?:: | = )"([^"]+)"', printed)
        assert program is not None
        for real, written in (
            (program[1], "/home/you/.local/bin/bascule"),
            (str(folder), "/run/user/1000"),
        ):
            printed = printed.replace(real, written)
        read = json.loads if language == "json" else tomllib.loads
        assert read(text) == read(printed), client


@pytest.fixture(scope="module")
def todo_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StaticPages]:
    """Serve the app of the section on the bus, with the one module that it imports."""
    bundle, app = tmp_path_factory.mktemp("bundle"), tmp_path_factory.mktemp("todo")
    subprocess.run(["node", "scripts/config/bundle.mjs", bundle], cwd=ROOT, check=True)
    (app / "bascule-app.js").write_bytes((bundle / "bascule-app.js").read_bytes())
    for block in blocks():
        if block.name in BUS:
            (app / block.name).write_text(block.text, encoding="utf-8")
    for part in ("background", "tile"):
        (app / f"{part}.js").write_text(
            f'import * as part from "./todo_{part}.js"; globalThis.part = part;'
        )
        script = f'<script type="module" src="./{part}.js"></script>'
        (app / f"{part}.html").write_text(script)
    with serve_pages(mounts={"/probe/bus/apps/todo": app}) as served:
        yield served


def test_the_app_of_the_bus_works_in_its_frames(page: Page, todo_pages: StaticPages) -> None:
    shell = BusShell(page, todo_pages.origin)
    shell.mount("./apps/todo/background.html", app="todo", kind="background")
    tile = shell.frame(shell.mount("./apps/todo/tile.html", app="todo"))
    tile.wait_for_function("() => globalThis.part !== undefined")
    assert tile.evaluate("() => part.added") == {"count": 1}
    assert tile.evaluate("() => part.tools") == ["todo_add"]


COUNTER_TEST = """
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryKernel } from "bascule/testing";
import { pagePowers } from "bascule/kernel";
import { installCounter } from "./counter_backend.js";

test("the backend counts", async (t) => {
  const apps = [{ id: "counter", name: "Counter", version: "1" }];
  const memory = createMemoryKernel({ apps });
  t.after(() => memory.close());
  const store = { load: () => null, save: () => {} };
  installCounter(memory.kernel, { consent: memory.consent, store, powers: pagePowers() });
  const { runtime } = memory.connect("counter");
  const more = { method: "add", arguments: { arg0: "2" } };
  await runtime.actions.canister.updateSelf(more);
  assert.equal((await runtime.actions.canister.updateSelf(more)).result, "4");
});
"""


@pytest.mark.skip_browser("firefox")
def test_what_authors_of_apps_write_works_without_a_browser(tmp_path: Path) -> None:
    for block in blocks():
        if block.name in AUTHORS:
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
    (tmp_path / "counter.test.js").write_text(COUNTER_TEST, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "bascule").symlink_to(ROOT)
    done = subprocess.run(
        ["node", "--test", "planner.test.js", "counter.test.js"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "# pass 2" in done.stdout


def test_a_manifest_is_shown_as_an_app_has_it() -> None:
    shown = [block.text for block in blocks() if '"tiles"' in block.text]
    notes = ROOT / "browser_worker" / "demo" / "workspace" / "apps" / "notes" / "manifest.json"
    assert shown == [notes.read_text(encoding="utf-8")]


def test_the_workspace_is_an_app_like_any_other(
    page: Page, runtime: Path, attach: Attach, newcomer: dict[str, str], tmp_path: Path
) -> None:
    with (
        serve_pages(index="demo/workspace/index.html") as served,
        run_bridge(served.origin, served.page, runtime) as bridge,
    ):
        attach(page, bridge)
        expect(page.locator("iframe").first).to_be_attached()
        listing = ["bash", "-ec", "bascule actions bascule-workspace --query notes_search | grep ."]
        wait_until(
            lambda: (
                subprocess.call(
                    listing,
                    env=newcomer,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                == 0
            ),
            "the notes",
        )
        [block] = [text for text in shell() if "bascule call bascule-workspace" in text]
        with ThreadPoolExecutor(1) as threads:
            running = threads.submit(run, block, tmp_path, newcomer)
            allow(page, EVERY_APP)
            done = running.result()
    assert "Hello" in done.stdout


def test_every_block_is_run_or_said_to_be_run_elsewhere() -> None:
    languages = {block.language for block in blocks()}
    assert languages <= {"sh", "text", "html", "js", "python", "json", "toml"}
    assert {block.name for block in blocks() if block.language in {"html", "js", "python"}} == {
        *APP,
        *NATIVE,
        *BUS,
        *AUTHORS,
    }
    assert len(shell()) == 7
    texts = [block.text for block in blocks() if block.language == "sh"]
    assert all(any(text.startswith(start) for text in texts) for start in NOT_RUN_HERE)


def test_the_recording_is_of_a_real_run(
    page: Page, bridge: RealBridge, attach: Attach, newcomer: dict[str, str], browser_name: str
) -> None:
    found = RECORDING.search(README)
    assert found is not None
    commands = [line[2:] for line in found[1].splitlines() if line.startswith("$ ")]
    assert len(commands) >= 6
    attach(page, bridge)
    pieces = []
    for command in commands:
        output = run_in_terminal(command, newcomer, COLUMNS)
        lines = [line.rstrip() for line in output.splitlines()]
        pieces.append("\n".join([f"$ {command}", *lines]).rstrip() + "\n")
    real = "\n".join(pieces)
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    (build / f"recording-{browser_name}.txt").write_text(real, encoding="utf-8")
    assert without_numbers(real) == without_numbers(found[1])


def without_numbers(text: str) -> str:
    """Leave out what no two runs have in common: numbers, and the widths that follow from them."""
    return re.sub(r"[ ─]+", " ", re.sub(r"\d+", "N", text))
