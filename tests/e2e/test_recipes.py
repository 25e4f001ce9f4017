"""The recipes for apps of one's own: each works as it is written, under a strict policy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import BASCULE, ROOT, RealBridge, environment, run_bridge
from tests.e2e.support.waiting import wait_until

RECIPES = Path(__file__).parent / "recipes"
MODULES = ROOT / "node_modules"
CSP = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; "
    "connect-src http://127.0.0.1:* ws://127.0.0.1:*"
)
"""What an app's policy has to allow, and nothing beside it."""


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the bundle, and write it out as an app's developer does."""
    subprocess.run([ROOT / "scripts" / "build"], check=True, cwd=ROOT)
    folder = tmp_path_factory.mktemp("bundle")
    command = [*BASCULE, "assets", "--bundle", str(folder)]
    subprocess.run(command, env=environment(folder), check=True)
    return folder


def prepare(name: str, folder: Path, bundle: Path) -> Path:
    """Make a recipe's app ready to be served, by the steps that the recipe tells."""
    app = folder / "app"
    shutil.copytree(RECIPES / name, app)
    if name == "plain":
        command = [*BASCULE, "assets", str(app / "bascule")]
        subprocess.run(command, env=environment(folder), check=True)
        return app
    for path in bundle.iterdir():
        shutil.copy(path, app)
    if name == "react":
        command = [
            str(MODULES / ".bin" / "esbuild"),
            "app.jsx",
            "--bundle",
            "--format=esm",
            "--jsx=automatic",
            "--external:./bascule.min.js",
            '--define:process.env.NODE_ENV="production"',
            "--outfile=app.js",
            "--log-level=warning",
        ]
        paths = os.environ | {"NODE_PATH": str(MODULES)}
        subprocess.run(command, cwd=app, env=paths, check=True)
    else:
        shutil.copy(MODULES / "vue" / "dist" / "vue.runtime.esm-browser.prod.js", app)
    return app


@contextmanager
def running(
    name: str, tmp_path: Path, runtime: Path, bundle: Path, csp: str = CSP
) -> Iterator[RealBridge]:
    """Serve a recipe's app and run a bridge for it."""
    with (
        serve_pages(
            folder=prepare(name, tmp_path, bundle),
            index="index.html",
            headers={"Content-Security-Policy": csp},
        ) as pages,
        run_bridge(pages.origin, pages.page, runtime) as bridge,
    ):
        yield bridge


Run = Callable[..., AbstractContextManager[RealBridge]]


@pytest.fixture
def run(tmp_path: Path, runtime: Path, bundle: Path) -> Run:
    return lambda name, **more: running(name, tmp_path, runtime, bundle, **more)


def attach(page: Page, bridge: RealBridge) -> None:
    page.goto(bridge.link)
    page.get_by_role("button", name="Attach", exact=True).click()
    expect(page.locator("#bascule-state")).to_have_text("attached")


def attachment(page: Page, member: str) -> str:
    return str(page.evaluate(f"document.querySelector('bascule-panel').attachment.{member}"))


@pytest.mark.parametrize("name", ["plain", "react", "vue"])
def test_a_page_and_a_terminal_drive_one_app(name: str, page: Page, run: Run) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    with run(name) as bridge:
        attach(page, bridge)
        assert bridge.result("agent/info")["app"]["name"] == "To-do"
        page.get_by_role("textbox", name="New to-do").fill("by hand")
        page.get_by_role("button", name="Add").click()
        items = page.locator("#todos > li")
        expect(items).to_have_text(["by hand"])
        added = bridge.execute("todo.add", {"title": "from a terminal"})
        assert added["output"] == {"id": 2, "title": "from a terminal", "done": False}
        expect(items).to_have_text(["by hand", "from a terminal"])
        assert bridge.execute("todo.done", {"id": 1})["output"]["done"] is True
        expect(items).to_have_text(["by hand (done)", "from a terminal"])
        assert bridge.execute("todo.list")["output"]["todos"] == [
            {"id": 1, "title": "by hand", "done": True},
            {"id": 2, "title": "from a terminal", "done": False},
        ]
        refused = bridge.call(
            "actions/execute",
            {"action": "todo.add", "input": {"title": ""}, "expectedRevision": added["revision"]},
        )
        assert json.loads(refused.stdout)["error"]["data"]["code"] == "INVALID_INPUT"
    # Firefox looks for an icon by itself, which this policy forbids as well.
    assert [problem for problem in problems if "favicon.ico" not in problem] == []


def values(bridge: RealBridge, kinds: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ask for each value at once, by a promise and as state. Yields kinds and responses."""
    requests = [
        (kind, method, params)
        for kind in kinds
        for method, params in (
            ("actions/execute", {"action": "value.get", "input": {"kind": kind}}),
            ("actions/execute", {"action": "value.later", "input": {"kind": kind}}),
            ("state/inspect", {"kind": kind}),
        )
    ]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params})
        for n, (_, method, params) in enumerate(requests)
    ]
    done = bridge.run(["browser-stdio"], stdin="".join(f"{line}\n" for line in lines))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == list(range(len(requests)))
    for answer in answers:
        yield requests[answer["id"]][0], answer


def test_a_result_that_is_a_proxy_is_told_as_what_it_holds(page: Page, run: Run) -> None:
    told = {"a": {"b": [1, {"c": "x"}]}}
    with run("values") as bridge:
        attach(page, bridge)
        for kind, answer in values(bridge, ["reactive", "nested", "frozen"]):
            result = answer["result"]
            assert result.get("output", result.get("value")) == told, (kind, answer)


def test_a_result_that_is_no_json_is_an_error_that_names_its_place(page: Page, run: Run) -> None:
    words = {
        "map": "is a Map",
        "reactiveMap": "is a Map",
        "date": "is a Date",
        "instance": "is an instance of",
        "ref": "is an instance of",
        "function": "is a function",
    }
    with run("values") as bridge:
        attach(page, bridge)
        for kind, answer in values(bridge, words):
            error = answer["error"]
            assert error["data"]["code"] == "INVALID_OUTPUT", (kind, answer)
            assert error["data"]["errors"][0]["path"].endswith("/m")
            assert words[kind] in error["message"]
        assert bridge.result("agent/info")["enabled"] is True


@pytest.mark.parametrize(
    ("name", "worker"), [("plain", "/bascule/link/worker.js"), ("vue", "/bascule.min.js")]
)
def test_with_both_schemes_in_the_policy_calls_go_over_the_channel(
    name: str, worker: str, page: Page, run: Run
) -> None:
    with run(name) as bridge:
        attach(page, bridge)
        assert [opened.url for opened in page.workers] == [f"{bridge.origin}{worker}"]
        wait_until(lambda: attachment(page, "transport") == "channel", "the channel")
        assert attachment(page, "transportNote") == ""
        assert bridge.execute("todo.add", {"title": "x"})["output"]["id"] == 1


def test_with_http_alone_in_the_policy_the_page_polls_and_says_why(page: Page, run: Run) -> None:
    csp = CSP.replace(" ws://127.0.0.1:*", "")
    assert csp != CSP
    with run("plain", csp=csp) as bridge:
        attach(page, bridge)
        wait_until(lambda: attachment(page, "transportNote") != "", "the note")
        assert attachment(page, "transport") == "polling"
        note = attachment(page, "transportNote")
        assert "connect-src" in note
        assert "ws://127.0.0.1:" in note
        assert bridge.execute("todo.add", {"title": "x"})["output"]["id"] == 1


@pytest.mark.parametrize("directive", ["worker-src", "connect-src"])
def test_a_policy_without_one_of_the_directives_is_told(
    directive: str, page: Page, run: Run
) -> None:
    kept = [part for part in CSP.split("; ") if not part.startswith(directive)]
    assert len(kept) == len(CSP.split("; ")) - 1
    csp = "; ".join([*kept, f"{directive} 'none'"])
    with run("vue", csp=csp) as bridge:
        page.goto(bridge.link)
        page.get_by_role("button", name="Attach", exact=True).click()
        expect(page.locator("#bascule-state")).to_have_text("refused")
        expect(page.locator("#bascule-message")).to_contain_text(directive)


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pack the package as it would be published, and unpack it as it would be installed."""
    folder = tmp_path_factory.mktemp("package")
    command = ["npm", "pack", "--silent", "--pack-destination", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


@contextmanager
def vite_serves(app: Path) -> Iterator[str]:
    """Run Vite's own server of an app that is being developed."""
    command = [str(MODULES / ".bin" / "vite"), "--host", "127.0.0.1", "--port", "0"]
    quiet = os.environ | {"NO_COLOR": "1"}
    with subprocess.Popen(
        command, cwd=app, env=quiet, stdout=subprocess.PIPE, encoding="utf-8"
    ) as vite:
        try:
            assert vite.stdout is not None
            said = next(line for line in vite.stdout if "Local:" in line)
            yield said.partition("Local:")[2].strip()
        finally:
            vite.terminate()


def add_one(page: Page, bridge: RealBridge) -> None:
    attach(page, bridge)
    assert bridge.execute("todo.add", {"title": "x"})["output"]["id"] == 1
    expect(page.locator("#todos > li")).to_have_text(["x"])
    wait_until(lambda: attachment(page, "transport") == "channel", "the channel")


@pytest.fixture
def vite_app(tmp_path: Path, package: Path) -> Path:
    """Make of the plain app one that imports the package by its name."""
    app = tmp_path / "app"
    shutil.copytree(RECIPES / "plain", app)
    script = app / "app.js"
    text = script.read_text(encoding="utf-8")
    assert "./bascule/index.js" in text
    script.write_text(text.replace("./bascule/index.js", "bascule"), encoding="utf-8")
    shutil.copytree(package, app / "node_modules" / "bascule")
    (app / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return app


def test_vite_builds_an_app_that_imports_the_package(
    page: Page, vite_app: Path, runtime: Path
) -> None:
    vite = str(MODULES / ".bin" / "vite")
    subprocess.run([vite, "build"], cwd=vite_app, check=True, capture_output=True)
    with (
        serve_pages(
            folder=vite_app / "dist",
            index="index.html",
            headers={"Content-Security-Policy": CSP},
        ) as pages,
        run_bridge(pages.origin, pages.page, runtime) as bridge,
    ):
        add_one(page, bridge)


def test_vite_serves_an_app_that_imports_the_package(
    page: Page, vite_app: Path, runtime: Path
) -> None:
    with (
        vite_serves(vite_app) as address,
        run_bridge(address.rstrip("/"), address, runtime) as bridge,
    ):
        add_one(page, bridge)


def playwright_test(
    spec: str,
    folder: Path,
    app: Path,
    browser_name: str,
    launch_options: dict[str, Any],
    channel: str = "on",
) -> subprocess.CompletedProcess[str]:
    """Run the real Playwright Test on a recipe's app, with the browser that is installed here."""
    names = {
        "executable_path": "executablePath",
        "firefox_user_prefs": "firefoxUserPrefs",
    }
    options = {names.get(name, name): value for name, value in launch_options.items()}
    with serve_pages(
        folder=app, index="index.html", headers={"Content-Security-Policy": CSP}
    ) as pages:
        return subprocess.run(
            [
                str(MODULES / ".bin" / "playwright"),
                "test",
                "--config",
                str(RECIPES / "playwright_test" / "playwright.config.js"),
                spec,
            ],
            cwd=ROOT,
            env=environment(
                folder,
                APP_URL=pages.page,
                BROWSER_NAME=browser_name,
                LAUNCH_OPTIONS=json.dumps(options),
                OUTPUT_DIR=str(folder / "results"),
                CHANNEL=channel,
                BASCULE_COMMAND=str(Path(sys.executable).with_name("bascule")),
            ),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )


@pytest.mark.parametrize("channel", ["on", "off"])
def test_playwright_test_in_node_arranges_and_asks_by_actions(
    channel: str,
    browser_name: str,
    browser_type_launch_args: dict[str, Any],
    runtime: Path,
    tmp_path: Path,
    bundle: Path,
) -> None:
    app = prepare("plain", tmp_path, bundle)
    done = playwright_test(
        "todo.spec.js", runtime, app, browser_name, browser_type_launch_args, channel
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    assert list((runtime / "bascule").iterdir()) == []


def test_a_failed_test_of_playwright_test_shows_no_token(
    browser_name: str,
    browser_type_launch_args: dict[str, Any],
    runtime: Path,
    tmp_path: Path,
    bundle: Path,
) -> None:
    app = prepare("plain", tmp_path, bundle)
    done = playwright_test("fails.spec.js", runtime, app, browser_name, browser_type_launch_args)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "bridge http://127.0.0.1:" in done.stdout
    assert "1 failed" in done.stdout
    assert "#bascule=" not in done.stdout + done.stderr
    assert list((runtime / "bascule").iterdir()) == []
